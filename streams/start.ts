import type { Analytics } from '../infra/analytics/port.ts'
import type { Counters } from '../infra/counters/port.ts'
import type { EventLog } from '../infra/event-log/port.ts'
import type { ProductIndex } from '../infra/product-index/port.ts'
import type { Snapshot } from '../services/domain/snapshot.ts'
import { attribute } from './attribution.ts'
import { createIndexer } from './indexer.ts'
import { createJudge } from './judge.ts'
import type { TopicLag } from './lag.ts'
import { createPeriodic } from './periodic.ts'
import type { StreamLogger } from './pipeline.ts'
import { createSignals } from './signals.ts'
import { createSink } from './sink.ts'

const ATTRIBUTION_PAUSE_MS = 500

export interface StreamsDeps {
  log: EventLog
  analytics: Analytics
  index: ProductIndex
  counters: Counters
  snapshot: Snapshot
  signalsIntervalMs: number
  /** UTC epoch milliseconds. */
  now: () => number
  logger: StreamLogger
}

export interface StreamStatus {
  name: string
  status: 'STOPPED' | 'RUNNING' | 'RETRYING'
  failures: number
  lastError: { message: string; at: number } | null
}

export interface RunningStreams {
  lags(): Promise<(TopicLag & { stream: string })[]>
  states(): StreamStatus[]
  /** Lets each finish what it has at hand. */
  stop(): Promise<void>
}

/** All the work between the log and its projections. */
export async function startStreams(deps: StreamsDeps): Promise<RunningStreams> {
  const { log, analytics, signalsIntervalMs, now, logger } = deps
  const streams = [createJudge(deps), createSink(deps), await createIndexer(deps)]
  const signals = createSignals(deps)
  const periodic = [
    createPeriodic({
      name: 'attribution',
      turn: async () => (await attribute({ log, analytics })) !== null,
      pauseMs: ATTRIBUTION_PAUSE_MS,
      now,
      logger,
    }),
    createPeriodic({
      name: 'signals',
      turn: () => signals.runOnce().then(() => false),
      pauseMs: signalsIntervalMs,
      now,
      logger,
    }),
  ]
  const all = [...streams, ...periodic]
  for (const each of all) void each.run()

  return {
    async lags() {
      const lags = await Promise.all(
        streams.map(async (stream) => (await stream.lag()).map((lag) => ({ stream: stream.name, ...lag }))),
      )
      return lags.flat()
    },
    states: () =>
      all.map((each) => {
        const { status, failures, lastError } = each.state()
        return { name: each.name, status, failures, lastError }
      }),
    async stop() {
      await Promise.all(all.map((each) => each.stop()))
    },
  }
}
