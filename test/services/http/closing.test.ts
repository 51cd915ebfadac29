import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { createHttpServer } from '../../../services/http/server.ts'

it('a request on a connection that is still busy while the server closes is told to come again, like every error', async () => {
  const server = createHttpServer({ logger: false })
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  server.get('/slow', async () => {
    ask()
    await answered
    return 'slow'
  })
  const { port } = new URL(await server.listen({ port: 0 }))
  const socket = connect(Number(port), '127.0.0.1')
  let told = ''
  socket.on('data', (bytes) => {
    told += bytes
  })
  socket.write('GET /slow HTTP/1.1\r\nhost: x\r\n\r\n')
  await asked
  const closed = server.close()
  const arrived = once(server.server, 'request')
  socket.write('GET /slow HTTP/1.1\r\nhost: x\r\n\r\n')
  await arrived
  answer()
  await Promise.all([closed, once(socket, 'close')])
  const [first, second] = told.split(/(?=HTTP\/1\.1 503)/)
  expect(first).toContain('200 OK')
  expect(second).toMatch(/connection: close/i)
  expect(second).toMatch(/content-type: application\/problem\+json/i)
  expect(second).toMatch(/retry-after: 2/i)
  expect(second).toContain('"code":"UNAVAILABLE"')
})
