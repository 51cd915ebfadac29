/** The process of a bare Fastify server, which answers each ad request with the same bytes and each event with nothing. */
import Fastify from 'fastify'

const EVENTS = ['/v1/dsa/view-event', '/v1/dsa/click-event', '/v1/ev/transaction']

process.once('message', async (answer: string) => {
  const server = Fastify({ logger: false })
  server.post('/v1/dsa/raw/batch', async (_, reply) => reply.type('application/json; charset=utf-8').send(answer))
  for (const path of EVENTS) server.post(path, async (_, reply) => reply.code(204).send())
  process.send!(await server.listen({ host: '127.0.0.1', port: 0 }))
})
process.once('disconnect', () => process.exit())
