import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { defaultLimits } from '../../../services/domain/limits.ts'
import { createHttpServer } from '../../../services/http/server.ts'

/** What a server answers to these bytes, until it closes the connection. */
async function answerTo(bytes: string): Promise<string> {
  const server = createHttpServer({ logger: false, limits: { ...defaultLimits, headersSeconds: 0.1 } })
  onTestFinished(() => server.close())
  await server.listen({ port: 0 })
  const socket = connect((server.server.address() as AddressInfo).port)
  socket.write(bytes)
  return text(socket)
}

it.each([
  ['bytes that are no HTTP', 'hello\r\n\r\n', 400, 'INVALID'],
  ['headers that are too long', `GET /?q=${'a'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 413, 'TOO_LARGE'],
  ['a request without a host', 'GET / HTTP/1.1\r\nconnection: close\r\n\r\n', 400, 'INVALID'],
  ['a request with two hosts', 'GET / HTTP/1.1\r\nhost: x\r\nHOST: y\r\nconnection: close\r\n\r\n', 400, 'INVALID'],
  ['headers that do not end', 'GET / HTTP/1.1\r\nhost: x\r\n', 408, 'TOO_SLOW'],
])('%s are answered with a problem document', async (_name, bytes, status, code) => {
  const [head, body] = (await answerTo(bytes)).split('\r\n\r\n') as [string, string]
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(head).toContain('content-type: application/problem+json')
  expect(JSON.parse(body)).toMatchObject({ status, code, detail: expect.any(String) })
})
