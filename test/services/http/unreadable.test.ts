import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createHttpServer } from '../../../services/http/server.ts'

const CHUNK = Buffer.alloc(64 * 1024, 'a')

/** A client of a server that cannot read its headers, and what it has been answered and told. */
async function beginTooLong() {
  const server = createHttpServer({ logger: false })
  await server.listen({ port: 0 })
  onTestFinished(() => server.close())
  const { port } = server.server.address() as AddressInfo
  const socket = connect({ port, allowHalfOpen: true })
  const heard = { answer: '', error: null as Error | null }
  socket.on('data', (bytes) => {
    heard.answer += bytes
  })
  socket.on('error', (error) => {
    heard.error = error
  })
  socket.write('GET / HTTP/1.1\r\nhost: x\r\nlong: ')
  const connections = () =>
    new Promise((resolve, reject) =>
      server.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    )
  return { socket, heard, connections }
}

/** Resolves when the next bytes may be sent, or never will be. */
async function send(socket: Socket): Promise<void> {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  socket.once('close', resolve)
  await Promise.race([new Promise<void>((sent) => socket.write(CHUNK, () => sent())), closed])
  socket.off('close', resolve)
}

it('a client that is still sending gets the answer, and its connection is not reset', async () => {
  const { socket, heard, connections } = await beginTooLong()
  // It reads only once it has sent all.
  socket.pause()
  for (let sent = 0; sent < 64; sent++) await send(socket)
  socket.resume()
  socket.end()
  await once(socket, 'close')
  expect(heard).toEqual({ answer: expect.stringMatching(/^HTTP\/1.1 413 /), error: null })
  await expect.poll(connections).toBe(0)
})

it('a client that goes on sending is cut off, once it has its answer', async () => {
  const { socket, heard, connections } = await beginTooLong()
  while (!socket.destroyed) await send(socket)
  expect(heard.answer).toMatch(/^HTTP\/1.1 413 /)
  await expect.poll(connections).toBe(0)
})

it('a client that neither sends nor closes is cut off, too', async () => {
  const { socket, heard, connections } = await beginTooLong()
  await send(socket)
  await once(socket, 'end')
  expect(heard.answer).toMatch(/^HTTP\/1.1 413 /)
  await expect.poll(connections).toBe(0)
  socket.destroy()
})
