import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Counters } from '../../../infra/counters/port.ts'
import type { Appender } from '../../../infra/event-log/port.ts'
import type { Metrics } from '../../../infra/metrics.ts'
import type { ProductIndex } from '../../../infra/product-index/port.ts'
import type { RequestLimits } from '../../callers/request-limits.ts'
import type { ShowIds } from '../../domain/show-id/show-id.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { HttpServer } from '../../http/server.ts'
import { rateLimitedLog } from '../../process/rate-limited-log.ts'
import type { Traffic } from '../../replicas/traffic-follower.ts'
import { createBudgets } from '../budget/budgets.ts'
import { createSpendView } from '../budget/spend.ts'
import { createCandidateSource } from '../candidates/candidates.ts'
import { displayAds } from '../display/display-ads.ts'
import { createDisplayCampaigns } from '../display/display-campaigns.ts'
import { createCampaigns } from '../eligibility/campaigns.ts'
import { createKnownViews } from '../eligibility/frequency-caps.ts'
import { createEmissionQueue } from '../emission/emission-queue.ts'
import { formattedApp } from '../script/app.ts'
import { BUILT_FOLDER } from '../script/built.ts'
import type { SelectDeps } from '../select.ts'
import { sponsoredAds } from '../sponsored/sponsored-ads.ts'
import { displayRoutes, sponsoredRoutes } from './routes.ts'

export interface SelectionDeps {
  snapshot: Snapshot
  index: ProductIndex
  counters: Counters
  log: Appender
  showIds: ShowIds
  /** UTC epoch milliseconds. */
  now: () => number
  /** A clock for durations, in microseconds. */
  elapsedMicros: () => number
  uuid: () => string
  /** A request waits no longer for its ads. */
  deadlineMs: number
  traffic: Traffic
  limits: RequestLimits
  /** The address that browsers know the server by. */
  publicUrl: string
  metrics: Pick<Metrics, 'adsSelected' | 'emissionsLost'>
}

const EMISSIONS_CLOSE_MS = 5_000
const WARN_EVERY_MS = 1_000

/** Selection of sponsored and display ads, and emission info. The server's close waits until emissions are written. */
export function selectionApp(deps: SelectionDeps): SelectionApp {
  let queued = () => 0
  const plugin: FastifyPluginAsyncTypebox = async (server) => {
    // Every request meets an engine that is down.
    const onError = rateLimitedLog({ everyMs: WARN_EVERY_MS, now: deps.now }, (err, suppressed) =>
      server.log.warn({ err, suppressed }, 'selection goes on without an engine'),
    )
    const spend = createSpendView(deps)
    const budgets = createBudgets({ ...deps, spend, processId: deps.uuid() })
    const campaigns = createCampaigns({ ...deps, spend })
    const emissions = createEmissionQueue({ log: deps.log, onLost: deps.metrics.emissionsLost, onError })
    queued = () => emissions.size
    const source = createCandidateSource({ ...deps, campaigns })
    const displayCampaigns = createDisplayCampaigns({ ...deps, campaigns })
    const selectDeps: SelectDeps = {
      ...deps,
      budgets,
      spend,
      emissions,
      onError,
      counters: createKnownViews({ ...deps, slowMs: deps.deadlineMs, onError }),
      onSelected: ({ kind, elapsedMicros, shortfalls }) =>
        deps.metrics.adsSelected({ kind, durationMs: elapsedMicros / 1000, shortfalls }),
    }
    deps.limits.guard(server as unknown as HttpServer, 'ADS')
    await budgets.open().catch(onError)
    budgets.start(onError)
    source.start(onError)
    server.addHook('onClose', async () => {
      budgets.close()
      source.close()
      await emissions.close(EMISSIONS_CLOSE_MS)
    })

    server.register(formattedApp({ snapshot: deps.snapshot, folder: BUILT_FOLDER }))
    sponsoredRoutes(server, sponsoredAds({ source, campaigns }), { ...deps, ...selectDeps })
    displayRoutes(server, displayAds({ ...deps, displayCampaigns, campaigns }), { ...deps, ...selectDeps })
  }
  return { plugin, emissionsQueued: () => queued() }
}

export interface SelectionApp {
  plugin: FastifyPluginAsyncTypebox
  /** Emissions that wait to be written to the log. */
  emissionsQueued: () => number
}
