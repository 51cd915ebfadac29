import type { EventLog } from '../../infra/event-log/port.ts'
import { sourceOf } from './batch-counters.ts'
import { restoreCorrections } from './correction-steps.ts'
import { JUDGE_GROUP } from './judge.ts'
import { type RecountDeps, restoreCounters } from './recount.ts'

/**
 * Finds counters that were emptied, replaced or restored from a backup, and counts again what they have lost. The judge notices
 * such a loss only when events arrive.
 * @returns periodic work, which every process of streams may do as often as it likes.
 */
export function createCountersRepair(deps: RecountDeps & { log: Pick<EventLog, 'committed'> }): () => Promise<boolean> {
  const { log, counters } = deps
  const shards = Array.from({ length: counters.shards }, (_, shard) => shard)
  // A shard that loses anything loses it of its own sources too.
  const sources = (['ad-events', 'corrections'] as const).flatMap((topic) =>
    shards.map((shard) => ({ shard, source: sourceOf(topic, shard) })),
  )
  let seen: number[] | null = null

  return async function repair() {
    const [positions, complete] = await Promise.all([counters.positions(sources), counters.complete()])
    const hasLost = seen === null || positions.some((at, i) => at < seen![i]!)
    seen = positions
    if (!hasLost && complete.every(Boolean)) return false
    const committed = (await log.committed(JUDGE_GROUP)).filter(({ topic }) => topic === 'ad-events')
    for (const { partition, offset } of committed) {
      await restoreCounters(deps, partition, offset - 1)
      await restoreCorrections(deps, partition)
    }
    seen = await counters.positions(sources)
    // A loss in the meantime is repaired in the next turn.
    if (committed.some(({ partition, offset }) => seen![partition]! < offset - 1)) seen = null
    else for (const shard of shards) await counters.markComplete(shard)
    return false
  }
}
