import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { eventually, head, listening, MIB, open } from './echo-server.ts'

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
