import type { Analytics } from '../infra/analytics/port.ts'
import type { Counters } from '../infra/counters/port.ts'
import type { EventLog } from '../infra/event-log/port.ts'
import type { ProductIndex } from '../infra/product-index/port.ts'
import type { Snapshot } from '../services/domain/snapshot.ts'
import { createAttribution } from './attribution.ts'
import { createCountersKeeper } from './counters-keeper.ts'
import { createIndexer } from './indexer.ts'
import { createJudge } from './judge.ts'
import type { TopicLag } from './lag.ts'
import { standForLead } from './lead.ts'
import { createPeriodic, type Periodic } from './periodic.ts'
import type { Stream, StreamLogger } from './pipeline.ts'
import { createSignals } from './signals.ts'
import { createSink } from './sink.ts'
import { createTraffic } from './traffic.ts'

const ATTRIBUTION_PAUSE_MS = 500
const COUNTERS_LOOK_PAUSE_MS = 1_000
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

export interface StreamStatus {
  name: string
  status: 'STOPPED' | 'RUNNING' | 'RETRYING'
  failures: number
  lastError: { message: string; at: number } | null
}

export interface RunningStreams {
  /** Of the streams that run in this process. */
  lags(): Promise<(TopicLag & { stream: string })[]>
  states(): StreamStatus[]
  /** Lets each finish what it has at hand. */
  stop(): Promise<void>
}

/** All the work between the log and its projections, or this process's share of it. */
export async function startStreams(deps: StreamsDeps): Promise<RunningStreams> {
  const shared: Stream[] = [createJudge(deps), createSink(deps)]
  let single: Single = NONE
  for (const each of shared) void each.run()

  const candidacy = standForLead({ ...deps, name: SINGLE_STREAMS }, async (leads) => {
    const before = single
    single = leads ? createSingle(deps) : NONE
    await stopAll(before)
    for (const each of allOf(single)) void each.run()
  })

  return {
    async lags() {
      const streams = [...shared, ...single.streams]
      const lags = await Promise.all(
        streams.map(async (stream) => (await stream.lag()).map((lag) => ({ stream: stream.name, ...lag }))),
      )
      return lags.flat()
    },
    states: () =>
      [...shared, ...allOf(single)].map((each) => {
        const { status, failures, lastError } = each.state()
        return { name: each.name, status, failures, lastError }
      }),
    async stop() {
      await Promise.all([candidacy.stop(), ...shared.map((each) => each.stop())])
    },
  }
}

/** The streams that one process at a time may run. */
interface Single {
  streams: readonly Stream[]
  periodic: readonly Periodic[]
}
const NONE: Single = { streams: [], periodic: [] }

const allOf = ({ streams, periodic }: Single) => [...streams, ...periodic]

async function stopAll(single: Single): Promise<void> {
  await Promise.all(allOf(single).map((each) => each.stop()))
}

function createSingle(deps: StreamsDeps): Single {
  const { signalsIntervalMs, now, logger } = deps
  const signals = createSignals(deps)
  const traffic = createTraffic(deps)
  const periodic = (name: string, pauseMs: number, turn: () => Promise<boolean>) =>
    createPeriodic({ name, turn, pauseMs, now, logger })
  return {
    streams: [createIndexer(deps)],
    periodic: [
      periodic('attribution', ATTRIBUTION_PAUSE_MS, createAttribution(deps)),
      periodic('counters', COUNTERS_LOOK_PAUSE_MS, createCountersKeeper(deps)),
      periodic('signals', signalsIntervalMs, () => signals.runOnce().then(() => false)),
      periodic('traffic', signalsIntervalMs, () => traffic().then(() => false)),
    ],
  }
}
