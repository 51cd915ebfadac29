import { connect } from 'node:net'
import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import { onTestFinished, vi } from 'vitest'
import { Problem } from '../../../../services/domain/errors.ts'
import { createHttpServer } from '../../../../services/http/server.ts'

export const MIB = 1024 * 1024

/** A server that answers with what it has read, until the test ends. */
export async function listening(options: Partial<Parameters<typeof createHttpServer>[0]> = {}) {
  const server = createHttpServer({ logger: false, ...options })
  onTestFinished(() => server.close())
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
export const eventually = (check: () => void) => vi.waitFor(check, { timeout: 60_000 })

/** A connection that records what it receives, until the test ends. */
export function open(port: number) {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
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

export const head = (path: string, length: number, type = 'application/json', more = '') =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n${more}\r\n`
