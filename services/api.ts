import type { Metrics } from '../infra/metrics.ts'
import { registerCors } from './cors.ts'
import { registerDocs } from './docs.ts'
import { type HealthCheck, healthApp } from './health.ts'
import type { HttpServer } from './http.ts'
import { measureRequests, metricsApp } from './metrics.ts'
import type { Part } from './roles/part.ts'

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
  await registerCors(server, deps.corsOrigins)
  server.register(healthApp(deps))
  server.register(metricsApp(deps))
  for (const routes of parts.flatMap((part) => part.routes)) server.register(routes as never)
}
