import { CountersMoved } from '../../infra/counters/port.ts'
import { shardsOf } from '../../infra/counters/shards.ts'
import type { NextTurn } from '../runtime/periodic.ts'
import { sourceOf } from './batch-counters.ts'
import { restoreCorrections } from './correction-steps.ts'
import { judgedUpTo } from './recount/judged-up-to.ts'
import { placesOf, type RecountDeps, restoreCounters } from './recount.ts'
import { createSpendRestore } from './spend/spend-restore.ts'

/** The pause between looks while nothing is lost. */
export const COUNTERS_LOOK_MS = 1_000

/**
 * Finds counters that were emptied, replaced or restored from a backup, and counts again what they have lost. The judge notices
 * such a loss only when events arrive.
 * @returns periodic work, which every process of streams may do as often as it likes.
 */
export function createCountersRepair(deps: RecountDeps, lookMs = COUNTERS_LOOK_MS): () => Promise<NextTurn> {
  const { counters } = deps
  const shards = shardsOf(counters)
  // A shard that loses anything also loses positions of its own sources, so looking at these is enough.
  const sources = (['ad-events', 'corrections'] as const).flatMap((topic) =>
    shards.map((shard) => ({ shard, source: sourceOf(topic, shard) })),
  )
  let seen: number[] | null = null

  return async function repair() {
    const [positions, complete] = await Promise.all([counters.positions(sources), counters.complete()])
    const hasLost = seen === null || positions.some((at, i) => at < seen![i]!)
    seen = positions
    if (!hasLost && complete.every(Boolean)) return { pauseMs: lookMs }
    const judged = await restoreAll(deps, 0)
    seen = await counters.positions(sources)
    // A loss in the meantime is repaired in the next turn.
    if (judged.entries().some(([partition, upTo]) => seen![partition]! < upTo)) seen = null
    else for (const shard of shards) await counters.markComplete(shard)
    return false
  }
}

/**
 * Makes sure that every shard has counted everything that was judged for its campaigns, whichever partitions they were in.
 * @param first the partition to begin with. Processes that do this at the same time begin with different ones, and share the work.
 * @throws CountersMoved when a shard has lost something again meanwhile.
 */
export async function completeShards(deps: RecountDeps, first: number): Promise<void> {
  const { counters } = deps
  const shards = shardsOf(counters)
  for (const [partition, upTo] of await restoreAll(deps, first)) {
    const { counted } = await placesOf(counters, partition, upTo)
    const lost = counted.findIndex((at) => at < upTo)
    if (lost >= 0) throw new CountersMoved(`Shard ${lost} was lost again while it was counted`)
  }
  for (const shard of shards) await counters.markComplete(shard)
}

/**
 * Counts again what any shard has lost: first events that the judge has committed, then refunds.
 * @returns `judgedUpTo`.
 */
async function restoreAll(deps: RecountDeps, first: number): Promise<Map<number, number>> {
  const { log, counters } = deps
  const partitions = (await log.bounds('ad-events')).length
  if (partitions !== counters.shards) {
    throw new Error(
      `ad-events has ${partitions} partitions, and ${counters.shards} when this process began: start it again`,
    )
  }
  const shards = shardsOf(counters)
  const spend = createSpendRestore(deps)
  const judged = await judgedUpTo(log)
  const { later = [], earlier = [] } = Object.groupBy(judged, ([partition]) =>
    partition >= first ? 'later' : 'earlier',
  )
  for (const [partition, upTo] of [...later, ...earlier]) await restoreCounters(deps, partition, upTo, spend)
  for (const shard of shards) await restoreCorrections(deps, shard, { shards, spend })
  return judged
}
