import { once } from 'node:events'
import { createServer, request as httpRequest, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { forwardTo } from '../../../../services/http/forwarding/forward.ts'
import { type Gate, openGate } from '../../../../services/http/forwarding/gate.ts'
import { createHttpServer } from '../../../../services/http/server.ts'

/** The server that answers, behind a front server that only forwards. */
let main: ReturnType<typeof createHttpServer>
let gate: Gate
let front: Server
let url: string
const seen = { aborted: 0 }

beforeAll(async () => {
  main = createHttpServer({ logger: false, trustedProxies: ['10.0.0.0/8'] })
  main.addContentTypeParser('text/plain', (_request, body, done) => done(null, body))
  main.get('/who', async (request) => ({
    ip: request.ip,
    headers: request.headers,
    peer: request.socket.remoteAddress,
  }))
  main.post('/echo', async (request, reply) => {
    const body = request.body as Readable
    body.once('close', () => {
      if (!body.readableEnded) seen.aborted++
    })
    return reply.type('text/plain').header('x-more', ['a', 'b']).send(body)
  })
  main.get('/endless', async (request, reply) => {
    request.raw.once('close', () => seen.aborted++)
    reply.hijack()
    reply.raw.writeHead(200).write('x')
  })
  await main.ready()
  gate = await openGate(main.server)
  front = createServer(forwardTo(gate.path)).listen(0, '127.0.0.1')
  await once(front, 'listening')
  url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`
})
afterAll(async () => {
  front.closeAllConnections()
  front.close()
  await gate.close()
  await main.close()
})

it('tells the address of the peer, and passes on what it says of others', async () => {
  const headers = { 'x-forwarded-for': '8.8.8.8', 'x-own': 'kept' }
  const answer = (await (await fetch(`${url}/who`, { headers })).json()) as { headers: object }
  // The peer is not a trusted proxy, so its x-forwarded-for header does not count.
  expect(answer).toMatchObject({ ip: '127.0.0.1', peer: '127.0.0.1', headers })
})

it('passes a body on as it comes, both ways, at any size', async () => {
  const chunk = 'a'.repeat(64 * 1024)
  const sent = Readable.from(Array.from({ length: 160 }, () => chunk))
  const answer = await fetch(`${url}/echo`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: sent as never,
    duplex: 'half',
  } as RequestInit)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('x-more')).toBe('a, b')
  expect((await answer.text()).length).toBe(160 * chunk.length)
})

it('keeps the length that a body says it has', async () => {
  const answer = await fetch(`${url}/echo`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: 'short',
  })
  expect(await answer.text()).toBe('short')
})

it('tells of a caller that goes away, before and after the answer has begun', async () => {
  const ended = seen.aborted
  const sending = httpRequest(`${url}/echo`, { method: 'POST', headers: { 'content-type': 'text/plain' } })
  sending.on('error', () => {})
  sending.write('begun')
  const [echoed] = await once(sending, 'response')
  await once(echoed, 'data')
  sending.destroy()
  await expect.poll(() => seen.aborted).toBe(ended + 1)

  const reading = httpRequest(`${url}/endless`).end()
  const [response] = await once(reading, 'response')
  await once(response, 'data')
  response.destroy()
  await expect.poll(() => seen.aborted).toBe(ended + 2)
})

it('answers 503 while there is nobody to ask', async () => {
  const alone = createServer(forwardTo('/nowhere/gate')).listen(0, '127.0.0.1')
  await once(alone, 'listening')
  const answer = await fetch(`http://127.0.0.1:${(alone.address() as AddressInfo).port}/who`)
  expect(answer.status).toBe(503)
  expect(await answer.json()).toMatchObject({ code: 'UNAVAILABLE' })
  alone.close()
})

it.each([
  ['announces trailers', 'GET /who HTTP/1.1', '', ''],
  ['sends trailers', 'POST /echo HTTP/1.1', 'transfer-encoding: chunked\r\n', '1\r\na\r\n0\r\nx-more: b\r\n\r\n'],
])('answers a request that %s', async (_, line, encoding, body) => {
  const socket = connect((front.address() as AddressInfo).port, '127.0.0.1')
  const type = 'content-type: text/plain\r\n'
  socket.write(`${line}\r\nhost: a\r\nconnection: close\r\n${type}${encoding}trailer: x-more\r\n\r\n${body}`)
  expect(await text(socket)).toMatch(/^HTTP\/1.1 200 /)
})

it('ends a connection that does not say whose it is', async () => {
  const stranger = connect(gate.path)
  stranger.on('error', () => {})
  stranger.write('x'.repeat(100))
  await once(stranger, 'close')
})

it('reads whose a connection is in pieces, too', async () => {
  const socket = connect(gate.path)
  socket.write('8.8.')
  await new Promise((resolve) => setTimeout(resolve, 20))
  socket.write('4.4\nGET /who HTTP/1.1\r\nhost: a\r\nconnec')
  await new Promise((resolve) => setTimeout(resolve, 20))
  socket.write('tion: close\r\n\r\n')
  expect(await text(socket)).toContain('"ip":"8.8.4.4"')
})
