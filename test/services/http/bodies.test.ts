import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { Type } from 'typebox'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Problem } from '../../../services/domain/errors.ts'
import { defaultLimits } from '../../../services/domain/limits.ts'
import { createHttpServer, type HttpServer } from '../../../services/http/server.ts'

const SLOW = { limits: { ...defaultLimits, bodySeconds: 0.05 } }
const MIB = 1024 * 1024
const servers: HttpServer[] = []
const sockets: Socket[] = []

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

/** A server that answers with what it has read. */
async function listening(options: Partial<Parameters<typeof createHttpServer>[0]> = {}) {
  const server = createHttpServer({ logger: false, ...options })
  servers.push(server)
  server.decorateRequest('principal')
  server.addHook('onRequest', async (request) => {
    const { authorization } = request.headers
    if (authorization) request.principal = { accountId: authorization } as never
  })
  server.post('/echo', { schema: { body: Type.Unknown() } }, async ({ body }) => ({ read: body }))
  /** The bodies that `/bytes` was called with. */
  const taken: number[] = []
  server.post('/bytes', { bodyLimit: 8 * MIB, schema: { body: Type.Unknown() } }, async ({ body }) => {
    const bytes = JSON.stringify(body).length
    taken.push(bytes)
    return { bytes }
  })
  const closed = async () => {
    throw new Problem('FORBIDDEN', 'closed')
  }
  server.post('/closed', { onRequest: closed }, async () => 'open')
  server.delete('/thing', async () => 'gone')
  server.register(async (scope) => {
    scope.addContentTypeParser('application/xml', (request, payload: Readable, done) =>
      done(null, server.bodies.stream(request, payload)),
    )
    scope.post('/upload', async ({ body }) => {
      let bytes = 0
      for await (const chunk of body as Readable) bytes += chunk.length
      return { bytes }
    })
    scope.post('/start', async ({ body }) => {
      for await (const _ of body as Readable) break
      return { read: 'the start' }
    })
    scope.post('/nothing', async () => ({ read: 'nothing' }))
  })
  const { port } = new URL(await server.listen({ port: 0 }))
  return { server, port: Number(port), taken }
}

/** Waits long, because the machine may be busy. */
const eventually = (check: () => void) => vi.waitFor(check, { timeout: 60_000 })

/** A connection that records what it receives. */
function open(port: number) {
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  const told = { text: '', closed: false }
  socket.on('data', (chunk) => {
    told.text += chunk
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    told.closed = true
  })
  return { socket, told }
}
const head = (path: string, length: number, type = 'application/json', more = '') =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n${more}\r\n`

describe('a body that does not come in time', () => {
  it('is answered 408 where it is collected, and the connection is closed', async () => {
    const { port } = await listening(SLOW)
    const { socket, told } = open(port)
    socket.write(`${head('/echo', 100)}{`)
    await eventually(() => expect(told.closed).toBe(true))
    expect(told.text).toContain('408 ')
    expect(told.text).toContain('TOO_SLOW')
  })

  it('is hung up on where it is streamed', async () => {
    const { port } = await listening(SLOW)
    const { socket, told } = open(port)
    socket.write(`${head('/upload', 100, 'application/xml')}<`)
    await eventually(() => expect(told.closed).toBe(true))
  })

  it('is hung up on where nobody wants it', async () => {
    const { port } = await listening(SLOW)
    const { socket, told } = open(port)
    socket.write(`${head('/closed', 100)}{`)
    await eventually(() => expect(told.closed).toBe(true))
    expect(told.text).toContain('403 ')
  })

  it('is waited for longer the more of it has come', async () => {
    const { port } = await listening(SLOW)
    const { socket, told } = open(port)
    const json = JSON.stringify('a'.repeat(200_000))
    socket.write(head('/echo', json.length) + json.slice(0, -1))
    const late = open(port)
    late.socket.write(`${head('/echo', 100)}{`)
    await eventually(() => expect(late.told.closed).toBe(true))
    socket.write(json.slice(-1))
    await eventually(() => expect(told.text).toContain('200 OK'))
  })
})

it('closes a connection whose headers never end, and one that never sends any', async () => {
  const { port } = await listening({ limits: { ...defaultLimits, headersSeconds: 0.1 } })
  const slow = open(port)
  slow.socket.write('POST /echo HTTP/1.1\r\nHost: a\r\n')
  const silent = open(port)
  await eventually(() => expect([slow.told.closed, silent.told.closed]).toEqual([true, true]))
})

it('answers a request that expects something unknown like any other', async () => {
  const { port } = await listening()
  const { socket, told } = open(port)
  socket.write(`${head('/echo', 2, 'application/json', 'Expect: more\r\n')}{}`)
  await eventually(() => expect(told.text).toMatch(/^HTTP/))
  expect(told.text).toContain('200 OK')
})

describe('a body that is refused before it has come', () => {
  const text = JSON.stringify(randomBytes(3 * MIB).toString('base64'))

  it.each([
    ['too large', 413, text, ''],
    ['too large once it is decoded', 413, gzipSync(text), 'Content-Encoding: gzip\r\n'],
    ['not encoded as it says', 400, text.slice(0, MIB - 1), 'Content-Encoding: gzip\r\n'],
  ])('is read to its end when it is %s, so that its answer arrives', async (_, status, body, more) => {
    const { port } = await listening()
    const { socket, told } = open(port)
    socket.write(head('/echo', body.length, 'application/json', more))
    socket.write(body)
    socket.write(`${head('/echo', 2)}{}`)
    await eventually(() => expect(told.text).toContain('200 OK'))
    expect(told.text).toContain(`HTTP/1.1 ${status} `)
  })
})

describe('a body that is streamed', () => {
  const text = randomBytes(3 * MIB).toString('base64')
  const encoded = 'Content-Encoding: gzip\r\n'

  it.each([
    ['read in part', '/start', text, ''],
    ['read in part and encoded', '/start', gzipSync(text), encoded],
    ['not read', '/nothing', text, ''],
    ['not read and encoded', '/nothing', gzipSync(text), encoded],
  ])('leaves the connection to the next request when it is %s', async (_, path, body, more) => {
    const { port } = await listening()
    const { socket, told } = open(port)
    socket.write(head(path, body.length, 'application/xml', more))
    socket.write(body)
    socket.write(`${head('/echo', 2)}{}`)
    await eventually(() => expect(told.text).toContain('{"read":{}}'))
    expect(told.text).not.toMatch(/HTTP\/1.1 [45]/)
  })

  it('is refused when it is not encoded as it says, or ends early', async () => {
    const { port } = await listening()
    for (const body of [Buffer.from('<a/>'), gzipSync(text).subarray(0, 200_000)]) {
      const { socket, told } = open(port)
      socket.write(head('/upload', body.length, 'application/xml', encoded))
      socket.write(body)
      await eventually(() => expect(told.text).toContain('"code":"INVALID"'))
      expect(told.text).toContain('"errors":[{"path":"/","message":"is incomplete, or')
    }
  })
})

describe('bodies that are held together', () => {
  const limits = { ...defaultLimits, bodiesMib: 4 }

  async function flood(port: number, count: number, more = '') {
    const open1 = Array.from({ length: count }, () => open(port))
    for (const { socket } of open1)
      socket.write(`${head('/bytes', 2 * MIB, 'application/json', more)}"${'a'.repeat(MIB)}`)
    await eventually(() => expect(open1.some(({ told }) => told.text.includes('503 '))).toBe(true))
    return open1
  }

  it('are given up, the longest first, and an honest one comes through at once', async () => {
    const { port } = await listening({ limits })
    const stalled = await flood(port, 8)
    const json = JSON.stringify('b'.repeat(MIB))
    const answer = await fetch(`http://127.0.0.1:${port}/bytes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: json,
    })
    expect([answer.status, await answer.json()]).toEqual([200, { bytes: json.length }])
    await eventually(() => expect(stalled.filter(({ told }) => told.text.includes('503 ')).length).toBeGreaterThan(3))
    const refused = stalled.find(({ told }) => told.text.includes('503 '))!
    expect(refused.told.text).toMatch(/retry-after: 2/i)
    expect(refused.told.text).toContain('UNAVAILABLE')
  })

  it('are not those of callers who proved who they are, while strangers hold any', async () => {
    const { port } = await listening({ limits })
    const caller = open(port)
    caller.socket.write(
      `${head('/bytes', MIB + 2, 'application/json', 'Authorization: Bearer a\r\n')}"${'a'.repeat(MIB)}`,
    )
    await flood(port, 8)
    caller.socket.write('"')
    await eventually(() => expect(caller.told.text).toContain('200 OK'))
  })

  it.each([
    ['strangers', ''],
    ['another account', 'Authorization: Bearer b\r\n'],
  ])('are given up by the account that holds the most, so that those of %s come through', async (_, more) => {
    const { port } = await listening({ limits })
    const stalled = await flood(port, 8, 'Authorization: Bearer a\r\n')
    const { socket, told } = open(port)
    socket.write(`${head('/bytes', MIB / 2 + 2, 'application/json', more)}"${'b'.repeat(MIB / 2)}"`)
    await eventually(() => expect(told.text).toMatch(/HTTP\/1.1 [25]/))
    expect(told.text).toContain('200 OK')
    await eventually(() => expect(stalled.filter(({ told }) => told.text.includes('503 ')).length).toBeGreaterThan(3))
  })

  it('leave their room when they end and when they break off', async () => {
    const { port } = await listening({ limits })
    for (let i = 0; i < 3; i++) {
      const { socket, told } = open(port)
      await new Promise((sent) => socket.write(`${head('/bytes', 4 * MIB)}"${'a'.repeat(3 * MIB)}`, sent))
      socket.destroy()
      await eventually(() => expect(told.closed).toBe(true))
      const json = JSON.stringify('b'.repeat(3 * MIB))
      const answer = await fetch(`http://127.0.0.1:${port}/bytes`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: json,
      })
      expect(answer.status).toBe(200)
    }
  })

  it('leave their room when the caller is gone before they are decoded', async () => {
    const { port, taken } = await listening({ limits })
    const zipped = gzipSync(JSON.stringify('a'.repeat(3 * MIB)))
    for (let i = 1; i <= 3; i++) {
      const { socket } = open(port)
      socket.write(head('/bytes', zipped.length, 'application/json', 'Content-Encoding: gzip\r\n'))
      socket.end(zipped)
      await eventually(() => expect(taken).toHaveLength(i))
    }
  })
})

describe('an encoded body', () => {
  const post = (port: number, body: Buffer, encoding: string, path = '/echo') =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': encoding },
      body: new Uint8Array(body),
    })
  const json = Buffer.from('{"a":"ą"}')

  it.each([
    ['gzip', gzipSync(json)],
    ['GZIP', gzipSync(json)],
    ['x-gzip', gzipSync(json)],
    ['deflate', deflateSync(json)],
    ['br', brotliCompressSync(json)],
    ['identity', json],
  ])('is read as %s', async (encoding, body) => {
    const { port } = await listening()
    const answer = await post(port, body, encoding)
    expect([answer.status, await answer.json()]).toEqual([200, { read: { a: 'ą' } }])
  })

  it.each(['zstd', 'gzip, gzip', 'constructor'])('is refused as %s', async (encoding) => {
    const { port } = await listening()
    const answer = await post(port, json, encoding)
    expect([answer.status, answer.headers.get('accept-encoding')]).toEqual([415, 'gzip, deflate, br'])
  })

  it('is refused when it is not encoded so', async () => {
    const { port } = await listening()
    for (const body of [json, gzipSync(json).subarray(0, 20)]) {
      const answer = await post(port, body, 'gzip')
      expect(answer.status).toBe(400)
      expect(await answer.json()).toMatchObject({
        errors: [{ path: '/', message: expect.stringContaining('incomplete') }],
      })
    }
  })

  it('ends no process when it is broken and nobody reads it', async () => {
    const uncaught: Error[] = []
    const note = (error: Error) => void uncaught.push(error)
    process.on('uncaughtException', note)
    const { port } = await listening()
    const encoded = 'Content-Encoding: gzip\r\n'
    const unread = [
      `GET /echo HTTP/1.1\r\nHost: a\r\n${encoded}\r\n`,
      `${head('/echo', 2, 'text/csv', encoded)}{}`,
      `${head('/nowhere', 2, 'text/csv', encoded)}{}`,
    ]
    for (const request of unread) {
      const { socket, told } = open(port)
      socket.write(request)
      await eventually(() => expect(told.text).toMatch(/^HTTP\/1.1 4/))
    }
    const { socket, told } = open(port)
    socket.write(`${head('/echo', 100, 'text/csv', encoded)}{}`)
    await eventually(() => expect(told.text).toContain('415 '))
    socket.destroy()
    // Decoded after the others.
    expect((await post(port, gzipSync(json), 'gzip')).status).toBe(200)
    process.off('uncaughtException', note)
    expect(uncaught).toEqual([])
  })

  it('is not inflated beyond what the route takes', async () => {
    const { port } = await listening()
    const bomb = gzipSync(Buffer.alloc(64 * MIB, 0x20))
    const answer = await post(port, bomb, 'gzip')
    expect(answer.status).toBe(413)
    expect((await post(port, gzipSync(Buffer.from(`"${'a'.repeat(MIB - 2)}"`)), 'gzip')).status).toBe(200)
  })
})

describe('a body of JSON', () => {
  const post = (server: HttpServer, payload: string | Buffer, type = 'application/json') =>
    server.inject({ method: 'POST', url: '/echo', headers: { 'content-type': type }, payload })

  it.each([
    ['brackets', '['.repeat(500_000)],
    ['properties', '{"a":'.repeat(100_000)],
    ['33 lists', `${'['.repeat(33)}${']'.repeat(33)}`],
    ['too many values', `[${'0,'.repeat(50_000)}0]`],
    ['too many properties', `{${Array.from({ length: 25_001 }, (_, i) => `"${i}":0`).join()}}`],
  ])('is not parsed when it is %s', async (_, json) => {
    const { server } = await listening()
    const answer = await post(server, json)
    expect([answer.statusCode, answer.json().code]).toEqual([413, 'TOO_LARGE'])
  })

  it.each([
    ['32 lists', `${'['.repeat(32)}${']'.repeat(32)}`],
    ['brackets in a text', JSON.stringify('[{,:'.repeat(30_000))],
    ['quotes and backslashes', JSON.stringify('\\"['.repeat(30_000))],
    ['a text that ends with a backslash', JSON.stringify(['\\', '['.repeat(40), '\\\\'])],
    ['many values', `[${'0,'.repeat(49_000)}0]`],
  ])('is parsed when it is %s', async (_, json) => {
    const { server } = await listening()
    const answer = await post(server, json)
    expect([answer.statusCode, answer.json().read]).toEqual([200, JSON.parse(json)])
  })

  it.each(['', '{', '"', '"\\', '{"a":1}}', 'nul', '{"__proto__":{}}', '{"constructor":{"prototype":1}}'])(
    'is refused as %j',
    async (json) => {
      const { server } = await listening()
      const answer = await post(server, json)
      expect([answer.statusCode, answer.json().code]).toEqual([400, 'MALFORMED_JSON'])
    },
  )

  it('is the only kind where a route says nothing else', async () => {
    const { server } = await listening()
    for (const type of ['text/plain', 'text/plain;charset=UTF-8', 'application/xml', 'nonsense']) {
      expect((await post(server, '{}', type)).statusCode, type).toBe(415)
    }
  })

  it('may be missing where a route takes none, whatever its type', async () => {
    const { server } = await listening()
    const answer = await server.inject({
      method: 'DELETE',
      url: '/thing',
      headers: { 'content-type': 'application/json' },
    })
    expect([answer.statusCode, answer.body]).toEqual([200, 'gone'])
  })
})
