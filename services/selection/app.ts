import { type FastifyPluginAsyncTypebox, TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox'
import type { Counters } from '../../infra/counters/port.ts'
import type { Appender } from '../../infra/event-log/port.ts'
import type { Metrics } from '../../infra/metrics.ts'
import type { ProductIndex } from '../../infra/product-index/port.ts'
import { ProblemBody } from '../../schemas/http/problem.ts'
import {
  EmissionInfoAnswer,
  EmissionInfoBody,
  PersonHeaders,
  SelectionAnswer,
  SelectionBody,
  SelectionQuery,
} from '../../schemas/http/selection.ts'
import type { ShowIds } from '../domain/show-id.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import { seldom } from '../seldom.ts'
import { createCampaigns } from './campaigns.ts'
import { createCandidateSource } from './candidates.ts'
import { emissionInfo } from './emission-info.ts'
import { createEmissionQueue } from './emission-queue.ts'
import { createKnownViews } from './known-views.ts'
import { readParameters } from './parameters.ts'
import { select } from './select.ts'
import { createSpendView } from './spend.ts'

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
  metrics: Pick<Metrics, 'adsSelected' | 'emissionsLost'>
}

const JSON_TYPE = 'application/json; charset=utf-8'
const EMISSIONS_CLOSE_MS = 5_000
const WARN_EVERY_MS = 1_000
const tags = ['Ads']

/** Sponsored ad selection and emission info. The server's close waits until emissions are written. */
export function selectionApp(deps: SelectionDeps): SelectionApp {
  let queued = () => 0
  const plugin: FastifyPluginAsyncTypebox = async (server) => {
    // Every request meets an engine that is down.
    const onError = seldom({ everyMs: WARN_EVERY_MS, now: deps.now }, (err, passedOver) =>
      server.log.warn({ err, passedOver }, 'selection goes on without an engine'),
    )
    const spend = createSpendView(deps)
    const campaigns = createCampaigns({ ...deps, spend })
    const emissions = createEmissionQueue({ log: deps.log, onLost: deps.metrics.emissionsLost, onError })
    queued = () => emissions.size
    const source = createCandidateSource({ ...deps, campaigns })
    const selectDeps = {
      ...deps,
      campaigns,
      emissions,
      onError,
      source,
      counters: createKnownViews({ ...deps, slowMs: deps.deadlineMs, onError }),
      onSelected: ({ elapsedMicros, shortfalls }: { elapsedMicros: number; shortfalls: string[] }) =>
        deps.metrics.adsSelected({ kind: 'SPONSORED', durationMs: elapsedMicros / 1000, shortfalls }),
    }
    await spend.refresh().catch(onError)
    spend.start(onError)
    source.start(onError)
    server.addHook('onClose', async () => {
      spend.close()
      source.close()
      await emissions.close(EMISSIONS_CLOSE_MS)
    })

    server.post(
      '/v1/dsa/raw/batch',
      {
        validatorCompiler: (part) => (part.httpPart === 'body' ? TypeBoxValidatorCompiler(part) : () => true),
        schema: {
          tags,
          summary: 'Select sponsored product ads',
          headers: PersonHeaders,
          querystring: SelectionQuery,
          body: SelectionBody,
          response: { 200: SelectionAnswer, 400: ProblemBody },
        },
      },
      async (request, reply) => {
        const { person, decorate } = readParameters(request, deps.uuid)
        const answer = await select({ targeting: request.body.targeting, person, decorate }, selectDeps)
        // Written as JSON already; the type is that of the object it stands for.
        return reply.type(JSON_TYPE).send(answer as never)
      },
    )

    server.post(
      '/v1/dsa/emissionInfo',
      {
        schema: {
          tags,
          summary: 'Who sells and who pays for a sponsored ad',
          body: EmissionInfoBody,
          response: { 200: EmissionInfoAnswer, 400: ProblemBody },
        },
      },
      async (request) => emissionInfo(request.body.showId, deps),
    )
  }
  return { plugin, emissionsQueued: () => queued() }
}

export interface SelectionApp {
  plugin: FastifyPluginAsyncTypebox
  /** Emissions that wait to be written to the log. */
  emissionsQueued: () => number
}
