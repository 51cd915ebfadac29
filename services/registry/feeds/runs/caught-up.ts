import { setTimeout as sleep } from 'node:timers/promises'
import type { EventLog } from '../../../../infra/event-log/port.ts'
import type { ProductIndex } from '../../../../infra/product-index/port.ts'
import { FeedFailure } from '../failure.ts'

const TIME_LIMIT_MS = 300_000
const POLL_MS = 100

/**
 * Makes the `caughtUp` of a run: waits until the group that fills the index has committed all that the topic
 * `products` held at the call. @throws FeedFailure when that takes over five minutes.
 */
export function indexCaughtUp(deps: {
  log: EventLog
  index: ProductIndex
  /** Consumer group of the indexer. */
  group: string
  now: () => number
  timeLimitMs?: number
}): () => Promise<void> {
  const { log, index, group, now, timeLimitMs = TIME_LIMIT_MS } = deps
  return async () => {
    const ends = await log.bounds('products')
    const giveUpAt = now() + timeLimitMs
    while (!(await hasReached(log, group, ends))) {
      if (now() > giveUpAt) throw new FeedFailure('The product index is behind: the run is tried again later')
      await sleep(POLL_MS)
    }
    await index.refresh()
  }
}

async function hasReached(
  log: EventLog,
  group: string,
  ends: readonly { partition: number; start: number; end: number }[],
): Promise<boolean> {
  const commits = await log.committed(group)
  for (const { partition, start, end } of ends) {
    const commit = commits.find((c) => c.topic === 'products' && c.partition === partition)
    const at = Math.max(commit?.offset ?? start, start)
    // Offsets have gaps: there may be nothing left to read below the end.
    if (at < end && (await log.count('products', partition, at, end)) > 0) return false
  }
  return true
}
