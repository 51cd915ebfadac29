import { setTimeout as delay } from 'node:timers/promises'
import type { EventLog } from '../../infra/event-log/port.ts'

/** Tells when this process has to start again, because partitions were added. */
export interface PartitionsWatch {
  /** Resolves once the log has another number of partitions than this process knows. */
  readonly changed: Promise<Error>
  /** Looks no more. */
  stop(): void
}

export interface PartitionsWatchOptions {
  log: Pick<EventLog, 'bounds'>
  /** Of `ad-events`, that the process began with. */
  partitions: number
  /** Between one look and the next. The log itself may know of new partitions a minute late. */
  everyMs: number
}

/**
 * A process computes with the number of partitions of `ad-events` that it found at its start: the counters of a campaign lie by
 * it. After partitions were added it must start again. An absent log says nothing.
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
      resolve(new Error(`ad-events has ${found.length} partitions, and had ${partitions} when this process began`))
      return
    }
  }
  void watch()
  return { changed: promise, stop: () => ending.abort() }
}
