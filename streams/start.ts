import type { Analytics } from '../infra/analytics/port.ts'
import type { Counters } from '../infra/counters/port.ts'
import type { EventLog } from '../infra/event-log/port.ts'
import type { StreamLag } from '../infra/metrics.ts'
import type { ProductIndex } from '../infra/product-index/port.ts'
import type { Snapshot } from '../services/domain/snapshot.ts'
import { createAttribution, createAttributionLag } from './attribution/attribution.ts'
import { createIndexer } from './indexer/indexer.ts'
import { createCorrections } from './judge/corrections.ts'
import { createCountersRepair } from './judge/counters-repair.ts'
import { createJudge } from './judge/judge.ts'
import { createJudgeWatermark } from './judge/watermark.ts'
import { sharedCall } from './runtime/lag.ts'
import { runForLeader } from './runtime/leader-election.ts'
import { createPeriodic, type Periodic } from './runtime/periodic.ts'
import type { Stream, StreamLogger, StreamState } from './runtime/stream.ts'
import { createSignals } from './signals/signals.ts'
import { createTraffic } from './signals/traffic.ts'
import { createSink } from './sink/sink.ts'
import { createTimeZones } from './sink/time-zones.ts'
import { createSpendCheckpoints } from './spend-checkpoints/spend-checkpoints.ts'

const ATTRIBUTION_PAUSE_MS = 500
const COUNTERS_LOOK_PAUSE_MS = 1_000
const WATERMARK_PAUSE_MS = 1_000
/** How soon signals are computed of an order history that was imported; without new rows it asks the log alone. */
const SIGNALS_LOOK_MAX_MS = 10_000
/** Far shorter than the log keeps anything. */
const SPEND_CHECKPOINTS_PAUSE_MS = 600_000
const TIME_ZONES_PAUSE_MS = 3_600_000
/** Streams of which one process runs each; it runs them all. */
const SINGLE_STREAMS = 'single-streams'

export interface StreamsDeps {
  log: EventLog
  analytics: Analytics
  index: ProductIndex
  counters: Counters
  snapshot: Snapshot
  signalsIntervalMs: number
  /** UTC epoch milliseconds. */
  now: () => number
  /** A name that no other run of attribution has. */
  runId: () => string
  logger: StreamLogger
}

export type StreamStatus = { name: string } & Pick<StreamState, 'status' | 'failures' | 'paused' | 'lastError'>

export interface RunningStreams {
  /** Of what this process works: the partitions that it is assigned, and what it leads. */
  lags(): Promise<StreamLag[]>
  states(): StreamStatus[]
  /** Lets each finish what it has at hand. */
  stop(): Promise<void>
}

/** All the work between the log and its projections, or this process's share of it. */
export async function startStreams(deps: StreamsDeps): Promise<RunningStreams> {
  const shared = createShared(deps)
  let single = NONE
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
    async stop() {
      await Promise.all([election.stop(), stopAll(shared)])
    },
  }
}

interface Work {
  streams: readonly Stream[]
  periodic: readonly Periodic[]
  lags: readonly (() => Promise<StreamLag[]>)[]
}
const NONE: Work = { streams: [], periodic: [], lags: [] }

const allOf = ({ streams, periodic }: Work) => [...streams, ...periodic]

function run(work: Work): void {
  for (const each of allOf(work)) void each.run()
}

async function stopAll(work: Work): Promise<void> {
  await Promise.all(allOf(work).map((each) => each.stop()))
}

/** What every process runs. */
function createShared(deps: StreamsDeps): Work {
  const streams = [createJudge(deps), createCorrections(deps), createSink(deps)]
  return {
    streams,
    periodic: [periodic('judged-until', WATERMARK_PAUSE_MS, createJudgeWatermark(deps), deps)],
    lags: streams.map(ownLag),
  }
}

/** What one process at a time may run. */
function createSingle(deps: StreamsDeps): Work {
  const { signalsIntervalMs } = deps
  const signals = createSignals({ ...deps, intervalMs: signalsIntervalMs })
  const lookMs = Math.min(signalsIntervalMs, SIGNALS_LOOK_MAX_MS)
  const traffic = createTraffic(deps)
  const indexer = createIndexer(deps)
  const attribution = periodic('attribution', ATTRIBUTION_PAUSE_MS, createAttribution(deps), deps)
  const attributionLag = createAttributionLag(deps)
  const timed = [
    periodic('signals', lookMs, () => signals.runOnce().then(() => false), deps),
    periodic('traffic', signalsIntervalMs, () => traffic().then(() => false), deps),
  ]
  return {
    streams: [indexer],
    periodic: [
      attribution,
      periodic('counters', COUNTERS_LOOK_PAUSE_MS, createCountersRepair(deps), deps),
      periodic('time-zones', TIME_ZONES_PAUSE_MS, createTimeZones(deps), deps),
      periodic('spend-checkpoints', SPEND_CHECKPOINTS_PAUSE_MS, createSpendCheckpoints(deps), deps),
      ...timed,
    ],
    lags: [
      ownLag(indexer),
      async () => (await attributionLag()).map((lag) => ({ stream: attribution.name, ...lag })),
      ...timed.map((each) => timedLag(each, deps.now)),
    ],
  }
}

/** The lag of the partitions that this process works, so that the sum over processes counts each once. */
function ownLag(stream: Stream): () => Promise<StreamLag[]> {
  return async () => (await stream.ownLag()).map((lag) => ({ stream: stream.name, ...lag }))
}

/** Each turn computes from all that is stored: it is behind by what came since the last one began. */
function timedLag({ name, doneUntil }: Periodic, now: () => number): () => Promise<StreamLag[]> {
  return async () => [{ stream: name, topic: null, records: 0, ageMs: now() - doneUntil() }]
}

function periodic(name: string, pauseMs: number, turn: () => Promise<boolean>, deps: StreamsDeps): Periodic {
  const { now, logger } = deps
  return createPeriodic({ name, turn, pauseMs, now, logger })
}
