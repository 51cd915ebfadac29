import { countEarlier } from '../infra/analytics/audit/earlier-ranges.ts'
import type { Analytics } from '../infra/analytics/port.ts'
import type { RetentionDays } from '../infra/analytics/retention/retention-days.ts'
import type { Counters } from '../infra/counters/port.ts'
import type { EventLog } from '../infra/event-log/port.ts'
import type { StreamLag } from '../infra/metrics/metrics.ts'
import type { ProductIndex } from '../infra/product-index/port.ts'
import { sharedCall } from '../infra/together.ts'
import { HOUR_MS } from '../schemas/durations.ts'
import type { Snapshot } from '../services/domain/snapshot.ts'
import { createAttribution, createAttributionLag } from './attribution/attribution.ts'
import { createLookupLosses } from './attribution/lookup-losses.ts'
import { createErasure } from './erasure/erasure.ts'
import { createIdentifierRetention } from './identifiers/identifier-retention.ts'
import { createIndexer } from './indexer/indexer.ts'
import { createCorrections } from './judge/corrections.ts'
import { COUNTERS_LOOK_MS, createCountersRepair } from './judge/counters-repair.ts'
import { createJudge } from './judge/judge.ts'
import { createJudgeWatermark } from './judge/watermark.ts'
import { createPhraseLifts } from './phrase-lifts/phrase-lifts.ts'
import { createEmissionRetention } from './report-counts/emission-retention.ts'
import { createReportCounts } from './report-counts/report-counts.ts'
import { createLastKnownLag, type TopicLag } from './runtime/lag.ts'
import { runForLeader } from './runtime/leader-election.ts'
import { createPeriodic, type NextTurn, type Periodic } from './runtime/periodic.ts'
import type { Stream, StreamLogger, StreamState } from './runtime/stream.ts'
import type { ShopSignals } from './signals/shop-signals.ts'
import { createSignals } from './signals/signals.ts'
import { createTraffic } from './signals/traffic.ts'
import { createReaders } from './sink/readers.ts'
import { createSink } from './sink/sink.ts'
import { createTimeZones } from './sink/time-zones.ts'
import { createSpendCheckpoints } from './spend-checkpoints/spend-checkpoints.ts'

/** How soon attribution notices what the sinks of other processes have stored. The sink of its own process wakes it. */
const ATTRIBUTION_PAUSE_MS = 1_000
/** Credit that is computed meanwhile lacks the rows, and is computed again. */
const LOOKUP_LOSSES_PAUSE_MS = 60_000
const INDEX_BUILD_PAUSE_MS = 1_000
const ERASURE_PAUSE_MS = 1_000
const IDENTIFIERS_PAUSE_MS = 60_000
/** How often a process that is alone looks for changes that only other processes can make. */
const ALONE_LOOK_MS = 60_000
const WATERMARK_PAUSE_MS = 1_000
/** How soon signals are computed for an order history that was imported. Without new rows, a look asks only the log. */
const SIGNALS_LOOK_MAX_MS = 10_000
/** How often signals look for new rows while an import is under way. */
const ARRIVING_LOOK_MS = 2_000
/** Far shorter than the retention of any topic. */
const SPEND_CHECKPOINTS_PAUSE_MS = 600_000
/** There is something to count only after an upgrade, or when offsets of the group were set by hand. */
const EARLIER_COUNTS_PAUSE_MS = 60_000
const TIME_ZONES_PAUSE_MS = HOUR_MS
/** Without new clicks, a turn asks only the log. */
const PHRASE_LIFTS_PAUSE_MS = 60_000
/** Reports are correct without report counts, only slower. */
const REPORT_COUNTS_PAUSE_MS = 60_000
/** Names the election for the streams that only one process may run. The leader runs all of them. */
const SINGLE_STREAMS = 'single-streams'

/** Opens the computation of signals, perhaps in another thread. A process has it open while it is the leader. */
export type OpenShopSignals = () => ShopSignals & { close(): void }

export interface StreamsDeps {
  log: EventLog
  /** The log as it is stored: `log` shows no identifier of an erased person. */
  storedLog: EventLog
  analytics: Analytics
  /** The identity of the store behind `analytics`. */
  store: string
  index: ProductIndex
  counters: Counters
  snapshot: Snapshot
  openShopSignals: OpenShopSignals
  signalsIntervalMs: number
  /** True when no other process works with these engines, because they are embedded. */
  isAlone: boolean
  /** For how many days tables keep their rows. */
  retentionDays: RetentionDays
  /** For how many days tables keep the identifiers of people; null: as long as their rows. */
  identifierDays: number | null
  /** UTC epoch milliseconds. */
  now: () => number
  /** Makes a name that no other run of attribution has. */
  runId: () => string
  logger: StreamLogger
}

export type StreamStatus = { name: string } & Pick<StreamState, 'status' | 'failures' | 'paused' | 'lastError'>

export interface RunningStreams {
  /** The lag of what this process works: the partitions that it is assigned and, if it is the leader, the leader's work. */
  lags(): Promise<StreamLag[]>
  states(): StreamStatus[]
  /** Call it before Analytics is read. Resolves once it has what the log had, except for the last second. */
  beforeRead(): Promise<void>
  /** Lets each finish its current batch or turn. */
  stop(): Promise<void>
}

/** Starts all the work between the log and its projections, or this process's share of it. */
export async function startStreams(deps: StreamsDeps): Promise<RunningStreams> {
  let single = NONE
  const shared = createShared(deps, {
    onStored: () => single.onStored(),
    attribute: () => single.attribute(),
  })
  run(shared)

  const yields = () => allOf(single).some((each) => each.state().outdated)
  const election = runForLeader({ ...deps, name: SINGLE_STREAMS, yields }, async (change) => {
    const before = single
    single = change === 'LOST' ? NONE : createSingle(deps)
    await stopAll(before)
    run(single)
  })

  return {
    lags: sharedCall(async () => {
      const lags = [...shared.lags, ...single.lags].map((lag) => lag())
      return (await Promise.all(lags)).flat()
    }),
    states: () =>
      [...allOf(shared), ...allOf(single)].map((each) => {
        const { status, failures, paused, lastError } = each.state()
        return { name: each.name, status, failures, paused, lastError }
      }),
    beforeRead: shared.beforeRead,
    async stop() {
      await Promise.all([election.stop(), stopAll(shared)])
    },
  }
}

interface Work {
  streams: readonly Stream[]
  periodic: readonly Periodic[]
  lags: readonly (() => Promise<StreamLag[]>)[]
  /** Call it once all of the work has stopped. */
  close(): void
}
/** Work of every process. */
interface SharedWork extends Work {
  beforeRead(): Promise<void>
}
/** What work of the leader does for the sink of its process. */
interface AfterSink {
  /** Is told when the sink has stored something. */
  onStored(): void
  /** Resolves once everything that is stored has been attributed. */
  attribute(): Promise<void>
}
type SingleWork = Work & AfterSink
const NONE: SingleWork = { streams: [], periodic: [], lags: [], onStored() {}, async attribute() {}, close() {} }

const allOf = ({ streams, periodic }: Work) => [...streams, ...periodic]

function run(work: Work): void {
  for (const each of allOf(work)) void each.run()
}

async function stopAll(work: Work): Promise<void> {
  await Promise.all(allOf(work).map((each) => each.stop()))
  work.close()
}

/** The work that every process does. */
function createShared(deps: StreamsDeps, { onStored, attribute }: AfterSink): SharedWork {
  const catchUp = () => sink.storeNow().then(attribute)
  const readers = createReaders({ catchUp, now: deps.now })
  // Readers of other processes are unknown here.
  const sink = createSink({ ...deps, onStored, ...(deps.isAlone && { batchAgeMs: readers.batchAgeMs }) })
  const streams = [createJudge(deps), createCorrections(deps), sink]
  return {
    streams,
    beforeRead: readers.arrive,
    periodic: [periodic('judged-until', WATERMARK_PAUSE_MS, createJudgeWatermark(deps), deps)],
    lags: streams.map((stream) => ownLag(stream, deps.now)),
    close() {},
  }
}

/** The work that only one process at a time may do. */
function createSingle(deps: StreamsDeps): SingleWork {
  const { signalsIntervalMs, isAlone } = deps
  const shopSignals = deps.openShopSignals()
  const signals = createSignals({ ...deps, shopSignals, intervalMs: signalsIntervalMs })
  const lookMs = Math.min(signalsIntervalMs, SIGNALS_LOOK_MAX_MS)
  const signalsTurn = async () => {
    await signals.runOnce()
    return signals.areArriving() && { pauseMs: Math.min(lookMs, ARRIVING_LOOK_MS) }
  }
  const traffic = createTraffic(deps)
  const indexer = createIndexer(deps)
  const exclusively = createExclusive()
  const attribute = createAttribution(deps)
  const lookupLosses = createLookupLosses({ ...deps, exclusively })
  const attributionTurn = async () => {
    const hasMore = await exclusively(attribute).catch((error) => {
      lookupLosses.attributed(false)
      throw error
    })
    lookupLosses.attributed(true)
    return hasMore || (isAlone ? { pauseMs: ALONE_LOOK_MS } : false)
  }
  const attribution = periodic('attribution', ATTRIBUTION_PAUSE_MS, attributionTurn, deps)
  const countersRepair = createCountersRepair(deps, isAlone ? ALONE_LOOK_MS : COUNTERS_LOOK_MS)
  const attributionLag = createAttributionLag(deps)
  const learnLifts = createPhraseLifts(deps)
  const countReports = createReportCounts(deps)
  const emissionRetention = createEmissionRetention({ ...deps, days: deps.retentionDays.emissions })
  const identifierRetention = createIdentifierRetention({ ...deps, exclusively, days: deps.identifierDays })
  const timed = [
    periodic('signals', lookMs, signalsTurn, deps),
    periodic('traffic', signalsIntervalMs, () => traffic().then(() => false), deps),
    periodic('phrase-lifts', PHRASE_LIFTS_PAUSE_MS, () => learnLifts().then(() => false), deps),
  ]
  return {
    streams: [indexer],
    periodic: [
      attribution,
      periodic('lookup-losses', LOOKUP_LOSSES_PAUSE_MS, lookupLosses.turn, deps),
      periodic('index-build', INDEX_BUILD_PAUSE_MS, indexer.buildTurn, deps),
      periodic('erasure', ERASURE_PAUSE_MS, createErasure({ ...deps, exclusively }), deps),
      periodic('identifiers', IDENTIFIERS_PAUSE_MS, identifierRetention.turn, deps),
      periodic('counters', COUNTERS_LOOK_MS, countersRepair, deps),
      periodic('earlier-counts', EARLIER_COUNTS_PAUSE_MS, () => countEarlier(deps), deps),
      periodic('time-zones', TIME_ZONES_PAUSE_MS, createTimeZones(deps), deps),
      periodic(
        'report-counts',
        REPORT_COUNTS_PAUSE_MS,
        async () => (await countReports()) || emissionRetention.turn(),
        deps,
      ),
      periodic('spend-checkpoints', SPEND_CHECKPOINTS_PAUSE_MS, createSpendCheckpoints(deps), deps),
      ...timed,
    ],
    lags: [
      ownLag(indexer, deps.now),
      lagOf(attribution.name, attributionLag, deps.now),
      ...timed.map(timedLag),
      async () => [
        lagWithoutTopic('emission-retention', emissionRetention.overdueMs()),
        lagWithoutTopic('identifiers', identifierRetention.overdueMs()),
      ],
    ],
    onStored: attribution.wake,
    attribute: attribution.caughtUp,
    close: () => shopSignals.close(),
  }
}

/** Runs one piece of work at a time. */
function createExclusive() {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>): Promise<T> => {
    const run = last.then(work)
    last = run.catch(() => {})
    return run
  }
}

/** The lag of the partitions that this process works, so that the sum over processes counts each once. */
const ownLag = (stream: Stream, now: () => number) => lagOf(stream.name, stream.ownLag, now)

function lagOf(stream: string, read: () => Promise<TopicLag[]>, now: () => number): () => Promise<StreamLag[]> {
  const lags = createLastKnownLag(read, now)
  return async () => (await lags()).map((lag) => ({ stream, ...lag }))
}

const lagWithoutTopic = (stream: string, ageMs: number): StreamLag => {
  return { stream, topic: null, records: 0, ageMs, staleMs: 0 }
}

/** Each turn computes from everything stored, so the lag is the time since the last successful turn began. */
function timedLag({ name, lagMs }: Periodic): () => Promise<StreamLag[]> {
  return async () => [lagWithoutTopic(name, lagMs())]
}

function periodic(name: string, pauseMs: number, turn: () => Promise<NextTurn>, deps: StreamsDeps): Periodic {
  const { now, logger } = deps
  return createPeriodic({ name, turn, pauseMs, now, logger })
}
