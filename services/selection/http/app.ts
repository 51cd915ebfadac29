import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Counters } from '../../../infra/counters/port.ts'
import type { Appender } from '../../../infra/event-log/port.ts'
import type { RequestMetrics } from '../../../infra/metrics/requests.ts'
import type { ProductIndex } from '../../../infra/product-index/port.ts'
import type { RequestLimits } from '../../callers/request-limits.ts'
import type { ShowIds } from '../../domain/show-id/show-id.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { HttpServer } from '../../http/server.ts'
import { rateLimitedLog } from '../../process/rate-limited-log.ts'
import type { PhraseLiftsView } from '../../replicas/lifts-follower.ts'
import type { Traffic } from '../../replicas/traffic-follower.ts'
import { createAllocator } from '../allocate.ts'
import { createBudgets } from '../budget/budgets.ts'
import { createSpendView } from '../budget/spend.ts'
import { createCandidateSource } from '../candidates/candidates.ts'
import { displayAds } from '../display/display-ads.ts'
import { createDisplayCampaigns } from '../display/display-campaigns.ts'
import { createCampaigns } from '../eligibility/campaigns.ts'
import { createFrequencyCapStore } from '../eligibility/frequency-cap-store.ts'
import { createFrequencyCaps } from '../eligibility/frequency-caps.ts'
import { createEmissionQueue } from '../emission/emission-queue.ts'
import { createEmptySearches } from '../emission/empty-searches.ts'
import { formattedApp } from '../script/app.ts'
import { BUILT_FOLDER } from '../script/built.ts'
import type { SelectDeps } from '../select.ts'
import { sponsoredAds } from '../sponsored/sponsored-ads.ts'
import { type EmissionInfoDeps, emissionInfoRoute } from './emission-info.ts'
import { displayRoute, sponsoredRoute } from './routes.ts'

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
  /** The longest that a request waits for its ads. */
  deadlineMs: number
  traffic: Traffic
  lifts: PhraseLiftsView
  limits: RequestLimits
  /** The server's address for browsers. */
  publicUrl: string
  metrics: Pick<RequestMetrics, 'adsSelected' | 'emissionsLost'>
}

const EMISSIONS_CLOSE_MS = 5_000
const WARN_EVERY_MS = 1_000

export interface SelectionApp {
  plugin: FastifyPluginAsyncTypebox
  /** Number of emissions that wait to be written to the log. */
  emissionsQueued: () => number
}

/** Selection of sponsored and display ads, and emission info. The server's close waits until emissions are written. */
export function selectionApp(deps: SelectionDeps): SelectionApp {
  const { snapshot, index, counters, log, showIds, now, uuid, deadlineMs, traffic, limits, publicUrl, metrics } = deps
  const elapsedMs = () => deps.elapsedMicros() / 1000
  let queued = () => 0
  const plugin: FastifyPluginAsyncTypebox = async (server) => {
    // Without a limit, every request would log an engine that is down.
    const onError = rateLimitedLog({ everyMs: WARN_EVERY_MS, now }, (err, passedOver) =>
      server.log.warn({ err, passedOver }, 'an engine failed: selection continues without it'),
    )
    const spend = createSpendView({ counters, snapshot, now })
    const budgets = createBudgets({ counters, snapshot, spend, traffic, processId: uuid(), now })
    const campaigns = createCampaigns({ snapshot, spend, now })
    const store = createFrequencyCapStore({ counters, now, slowMs: deadlineMs, onError })
    const emissions = createEmissionQueue({ log, onLost: metrics.emissionsLost, onError })
    queued = () => emissions.size
    const source = createCandidateSource({ index, campaigns, traffic, now, elapsedMs, deadlineMs })
    const displayCampaigns = createDisplayCampaigns({ snapshot, campaigns, now })
    const selectDeps: SelectDeps = {
      snapshot,
      allocator: createAllocator({ budgets, caps: createFrequencyCaps({ store, spend }) }),
      emissions,
      emptySearches: createEmptySearches({ append: emissions.append, elapsedMs }),
      showIds,
      now,
      elapsedMicros: deps.elapsedMicros,
      uuid,
      deadlineMs,
      onSelected: ({ kind, elapsedMicros, shortfalls }) =>
        metrics.adsSelected({ kind, durationMs: elapsedMicros / 1000, shortfalls }),
      onError,
    }
    limits.guard(server as unknown as HttpServer, 'ADS')
    await budgets.open().catch(onError)
    budgets.start(onError)
    source.start(onError)
    server.addHook('onClose', async () => {
      budgets.close()
      source.close()
      await emissions.close(EMISSIONS_CLOSE_MS)
    })

    server.register(formattedApp({ snapshot, folder: BUILT_FOLDER }))
    const info: EmissionInfoDeps = { showIds, index, snapshot, limits }
    sponsoredRoute(server, sponsoredAds({ source, campaigns, lifts: deps.lifts }), limits, selectDeps)
    emissionInfoRoute(server, 'SPONSORED', info)
    displayRoute(server, displayAds({ snapshot, displayCampaigns, campaigns, publicUrl }), limits, selectDeps)
    emissionInfoRoute(server, 'DISPLAY', info)
  }
  return { plugin, emissionsQueued: () => queued() }
}
