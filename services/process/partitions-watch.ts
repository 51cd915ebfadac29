import { setTimeout as delay } from 'node:timers/promises'
import type { EventLog } from '../../infra/event-log/port.ts'

/** Tells when this process has to start again, because partitions were added. */
export interface PartitionsWatch {
  /** Resolves once the log has another number of partitions than this process knows. */
  readonly changed: Promise<Error>
  /** Stops watching. */
  stop(): void
}

export interface PartitionsWatchOptions {
  log: Pick<EventLog, 'bounds'>
  /** The number of partitions of `ad-events` with which the process began. */
  partitions: number
  /** The time between two looks. The log itself may learn of new partitions a minute late. */
  everyMs: number
}

/**
 * A process uses the number of partitions of `ad-events` that it found at its start, because the shard of a campaign's counters
 * follows from it. After partitions were added, the process must start again. While the log is away, nothing is reported.
 */
export function watchPartitions({ log, partitions, everyMs }: PartitionsWatchOptions): PartitionsWatch {
  const ending = new AbortController()
  const { promise, resolve } = Promise.withResolvers<Error>()

  async function watch(): Promise<void> {
    while (!ending.signal.aborted) {
      await delay(everyMs, undefined, { signal: ending.signal, ref: false }).catch(() => {})
      const found = await log.bounds('ad-events').catch(() => null)
      if (ending.signal.aborted) return
      if (found === null || found.length === partitions) continue
      resolve(new Error(`ad-events has ${found.length} partitions now; it had ${partitions} when this process started`))
      return
    }
  }
  void watch()
  return { changed: promise, stop: () => ending.abort() }
}
