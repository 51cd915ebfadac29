import type { FastifyPluginAsync } from 'fastify'
import type { Metrics } from '../infra/metrics.ts'
import type { HttpServer } from './http.ts'

/** Counts and times every request that `server` answers. Call before routes are registered. */
export function measureRequests(server: HttpServer, metrics: Metrics): void {
  server.addHook('onResponse', async (request, reply) => {
    metrics.requestServed({
      method: request.method,
      // What matches no route shares one label: addresses are input, and would grow without limit.
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
      durationMs: reply.elapsedTime,
    })
  })
}

/** GET /metrics, for Prometheus. */
export function metricsApp(deps: { metrics: Metrics }): FastifyPluginAsync {
  return async (server) => {
    server.get('/metrics', async (_request, reply) => {
      const { contentType, body } = await deps.metrics.render()
      return reply.type(contentType).send(body)
    })
  }
}
