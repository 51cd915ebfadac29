import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { eventually, head, listening, MIB, open } from './echo-server.ts'

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
