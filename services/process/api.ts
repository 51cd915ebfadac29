import type { Metrics } from '../../infra/metrics.ts'
import { PUBLIC_PATHS, registerCors } from '../http/cors.ts'
import type { HttpServer } from '../http/server.ts'
import type { Part } from '../roles/part.ts'
import { registerDocs } from './docs.ts'
import { type HealthCheck, healthApp } from './health.ts'
import { measureRequests } from './metrics.ts'

export interface ApiDeps {
  metrics: Metrics
  checks: Readonly<Record<string, HealthCheck>>
  corsOrigins: readonly string[] | '*'
  publicUrl: string
  version: string
}

/** Every route of the process: those of its roles, and what any process has. */
export async function registerApi(server: HttpServer, parts: readonly Part[], deps: ApiDeps): Promise<void> {
  measureRequests(server, deps.metrics)
  keepAnswersPrivate(server)
  if (new URL(deps.publicUrl).protocol === 'https:') demandTls(server)
  await registerDocs(server, deps)
  await registerCors(server, deps.corsOrigins)
  server.register(healthApp(deps))
  for (const routes of parts.flatMap((part) => part.routes)) server.register(routes as never)
}

/**
 * Answers of the management API are for who asked: no cache keeps them. Those of public routes are to POST, which no cache
 * keeps anyway; and Chromium holds an answer open that must not be kept until the page has read it, which few do with events.
 */
function keepAnswersPrivate(server: HttpServer): void {
  server.addHook('onRequest', async (request, reply) => {
    if (request.url.startsWith('/v1/') && !PUBLIC_PATHS.test(request.url)) reply.header('cache-control', 'no-store')
  })
}

const A_YEAR_S = 31_536_000

/** Browsers that were here by TLS come by nothing else from then on (RFC 6797); by plain HTTP they pay no heed to it. */
function demandTls(server: HttpServer): void {
  server.addHook('onRequest', async (_request, reply) => {
    reply.header('strict-transport-security', `max-age=${A_YEAR_S}`)
  })
}
