import cors from '@fastify/cors'
import type { Metrics } from '../infra/metrics.ts'
import { registerDocs } from './docs.ts'
import { SIGNATURE_HEADER } from './domain/event-signature.ts'
import { type HealthCheck, healthApp } from './health.ts'
import type { HttpServer } from './http.ts'
import { measureRequests, metricsApp } from './metrics.ts'
import type { Part } from './roles/part.ts'

const CORS_MAX_AGE_SECONDS = 86_400

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
  await registerDocs(server, deps)
  // Pages of other origins ask for ads and report events; the management API is not for them.
  await server.register(cors, {
    origin: deps.corsOrigins === '*' ? '*' : [...deps.corsOrigins],
    methods: ['GET', 'POST'],
    allowedHeaders: ['content-type', 'cid', 'uid', SIGNATURE_HEADER],
    maxAge: CORS_MAX_AGE_SECONDS,
  })
  server.register(healthApp(deps))
  server.register(metricsApp(deps))
  for (const routes of parts.flatMap((part) => part.routes)) server.register(routes as never)
}
