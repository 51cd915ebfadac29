import type { FastifyPluginAsync } from 'fastify'
import type { Metrics, MetricsAddress } from '../../infra/metrics/metrics.ts'
import type { RequestMetrics } from '../../infra/metrics/requests.ts'
import { createHttpServer, type HttpServer } from '../http/server.ts'

/** Counts and times every request that `server` answers. Call before routes are registered. */
export function measureRequests(
  server: HttpServer,
  metrics: Pick<RequestMetrics, 'routeAdded' | 'requestServed'>,
): void {
  server.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) metrics.routeAdded({ method: each, route: url })
  })
  server.addHook('onResponse', (request, reply, done) => {
    metrics.requestServed({
      method: request.method,
      // Unmatched paths share one label: paths are input, and would grow without limit.
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
      durationMs: reply.elapsedTime,
    })
    done()
  })
}

/** GET /metrics, for Prometheus. */
export function metricsApp(deps: { metrics: Metrics }): FastifyPluginAsync {
  return async (server) => {
    server.get('/metrics', async (_request, reply) => {
      const { contentType, body } = await deps.metrics.render()
      return reply.type(contentType).header('cache-control', 'no-store').send(body)
    })
  }
}

/** Serves the metrics on a separate address, because they reveal how busy a shop is. */
export async function listenForMetrics(
  metrics: Metrics,
  { host, port, orAnyFree }: MetricsAddress,
): Promise<{ url: string; close(): Promise<unknown> }> {
  const server = createHttpServer({ logger: false })
  server.register(metricsApp({ metrics }))
  try {
    return { url: `${await server.listen({ host, port })}/metrics`, close: () => server.close() }
  } catch (error) {
    await server.close()
    if (!orAnyFree || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    return listenForMetrics(metrics, { host, port: 0, orAnyFree: false })
  }
}
