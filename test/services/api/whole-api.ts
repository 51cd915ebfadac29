import { randomBytes, randomUUID } from 'node:crypto'
import { createRequestMetrics } from '../../../infra/metrics/requests.ts'
import { registerApi } from '../../../services/api/api.ts'
import { UNKNOWN_CLIENT } from '../../../services/domain/identity/client-hashes.ts'
import { createShowIds } from '../../../services/domain/show-id/show-id.ts'
import { Snapshot } from '../../../services/domain/snapshot.ts'
import { createHttpServer, type HttpServer } from '../../../services/http/server.ts'
import { intakeApp } from '../../../services/intake/app.ts'
import { noLifts } from '../../../services/replicas/lifts-follower.ts'
import { unknownTraffic } from '../../../services/replicas/traffic-follower.ts'
import { registryRoutes } from '../../../services/roles/registry-routes.ts'
import { selectionApp } from '../../../services/selection/http/app.ts'
import { requestLimits } from '../../request-limits.ts'

/** Stands in for everything that no request of these tests reaches. */
const unused = new Proxy(() => {}, { get: (_, name) => (name === 'then' ? undefined : unused) }) as never

/** Every route of the program over engines that do not exist, for tests of what routes do before they reach an engine. */
export async function createWholeApi(
  options: { corsOrigins?: readonly string[]; publicUrl?: string } = {},
): Promise<HttpServer> {
  const server = createHttpServer({ logger: false })
  const snapshot = new Snapshot()
  const metrics = createRequestMetrics(null)
  const engines = { log: unused, analytics: unused, index: unused, counters: unused }
  const common = { ...engines, snapshot, metrics, now: () => 0, uuid: randomUUID, randomBytes }
  const showIds = createShowIds({ keys: [{ id: 1, secret: randomBytes(32) }] })
  const deadLetters = { list: unused, replay: unused }
  const registry = {
    registry: { snapshot } as never,
    runs: unused,
    productWriter: unused,
    productReader: unused,
    images: unused,
    audit: { audit: unused, check: unused },
    erasures: unused,
    deadLetters,
    deadLettersWaiting: unused,
    processingDelayMs: unused,
    sessionKeys: [randomBytes(32)],
    passwords: unused,
    securityLog: unused,
    strength: unused,
    secondFactorRequiredOf: new Set<never>(),
    feedIntervalMs: 0,
    indexedUpTo: async () => 0,
    passwordMail: { isSet: false, send: () => false },
    tokenUse: { note: () => {}, close: async () => {} },
  }
  const routes = [
    ...registryRoutes({ ...common, ...registry, bootstrapToken: null, publicUrl: '' }),
    intakeApp({ ...common, showIds, limits: requestLimits(common), clientHasher: { hash: () => UNKNOWN_CLIENT } }),
    selectionApp({
      ...common,
      limits: requestLimits(common),
      showIds,
      elapsedMicros: () => 0,
      deadlineMs: 100,
      publicUrl: '',
      traffic: unknownTraffic,
      lifts: noLifts,
    }).plugin,
  ]
  const api = {
    metrics,
    checks: {},
    corsOrigins: options.corsOrigins ?? ('*' as const),
    publicUrl: options.publicUrl ?? 'http://localhost',
    version: '0.0.0',
  }
  await registerApi(server, routes, api)
  return server
}
