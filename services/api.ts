import cors from '@fastify/cors'
import type { Audit } from '../infra/analytics/audit.ts'
import type { Engines } from '../infra/engines.ts'
import type { Metrics } from '../infra/metrics.ts'
import { registerDocs } from './docs.ts'
import { spendKey } from './domain/counter-keys.ts'
import type { ShowIds } from './domain/show-id.ts'
import { type HealthCheck, healthApp } from './health.ts'
import type { HttpServer } from './http.ts'
import { intakeApp } from './intake/app.ts'
import { measureRequests, metricsApp } from './metrics.ts'
import { createAccess } from './registry/access.ts'
import { registryApp } from './registry/app.ts'
import { auditApp } from './registry/audit.ts'
import { createAuthorize } from './registry/auth.ts'
import { type DeadLettersDeps, deadLettersApp } from './registry/dead-letters.ts'
import { explainApp } from './registry/explain/app.ts'
import { feedsApp } from './registry/feeds/app.ts'
import type { FeedRuns } from './registry/feeds/feed-runs.ts'
import { importApp } from './registry/import/app.ts'
import type { ProductReader } from './registry/product-reader.ts'
import { productsApp } from './registry/products.ts'
import { reportsApp } from './registry/reports/app.ts'
import type { Registry } from './registry/store.ts'
import type { SelectionApp } from './selection/app.ts'

const CORS_MAX_AGE_SECONDS = 86_400

export interface ApiDeps extends Engines {
  registry: Registry
  runs: FeedRuns
  productReader: ProductReader
  selection: SelectionApp
  showIds: ShowIds
  metrics: Metrics
  audit: () => Promise<Audit>
  deadLetters: Omit<DeadLettersDeps, 'authorize'>
  checks: Readonly<Record<string, HealthCheck>>
  bootstrapToken: string | null
  corsOrigins: readonly string[] | '*'
  publicUrl: string
  version: string
  now: () => number
  uuid: () => string
  randomBytes: (size: number) => Buffer
}

/** Every route of the program. */
export async function registerApi(server: HttpServer, deps: ApiDeps): Promise<void> {
  const { registry, counters, metrics, now } = deps
  const { snapshot } = registry
  measureRequests(server, metrics)
  await registerDocs(server, deps)
  // Pages of other origins ask for ads and report events; the management API is not for them.
  await server.register(cors, {
    origin: deps.corsOrigins === '*' ? '*' : [...deps.corsOrigins],
    methods: ['GET', 'POST'],
    allowedHeaders: ['content-type', 'cid', 'uid'],
    maxAge: CORS_MAX_AGE_SECONDS,
  })
  server.register(healthApp(deps))
  server.register(metricsApp(deps))
  server.register(deps.selection.plugin)
  server.register(intakeApp({ ...deps, snapshot }))

  const panel = {
    ...deps,
    snapshot,
    access: createAccess(snapshot),
    authorize: createAuthorize({ snapshot, bootstrapToken: deps.bootstrapToken, now }),
    spendOf: (campaignIds: readonly string[]) => counters.read(campaignIds.map(spendKey)),
  }
  server.register(registryApp(panel))
  server.register(reportsApp(panel))
  server.register(explainApp(panel))
  server.register(auditApp(panel))
  server.register(deadLettersApp({ ...panel, ...deps.deadLetters }))
  server.register(importApp(panel))
  server.register(async (scope: HttpServer) => {
    feedsApp(scope, panel)
    productsApp(scope, panel)
  })
}
