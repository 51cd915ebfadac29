import { CountersMoved } from '../../../infra/counters/port.ts'
import type { PartitionBounds } from '../../../infra/event-log/port.ts'
import { sourceOf } from '../batch-counters.ts'
import { type CountedSpend, type RestoreSpendDeps, readCheckpoints, restoreSpend } from './restore.ts'

/** Restores the spend of shards from their checkpoints, which are read once, for a caller that counts partition after partition. */
export interface SpendRestore {
  /**
   * Restores each shard whose spend is not restored yet, was lost again, or could be restored better from what the log holds now.
   * @returns for each shard, the offset of `ad-events` that its counters must then have reached.
   * @throws CountersMoved when a shard has been lost again meanwhile.
   */
  restore(shards: readonly number[]): Promise<number[]>
  /** The checkpoints that the spend of each shard was restored from, if it was. */
  counted(shards: readonly number[]): Promise<CountedSpend[]>
}

/** What a shard's spend is restored from, and what the counters hold of it. */
interface Place {
  /** The end of the shard's partition of `spend-checkpoints`. */
  checkpointsEnd: number
  /** The start of the shard's partition of `judged-events`. */
  judgedStart: number
  /** The positions of `spend-checkpoints` and of `ad-events` in the shard. */
  positions: readonly [number, number]
}

interface Restored extends Place {
  upTo: number
}

export function createSpendRestore(deps: RestoreSpendDeps): SpendRestore {
  const { log, counters } = deps
  const restored = new Map<number, Restored>()
  const read = new Map<number, { applied: number; checkpoints: CountedSpend }>()

  async function placesOf(shards: readonly number[]): Promise<Place[]> {
    const [checkpoints, judged, positions] = await Promise.all([
      log.bounds('spend-checkpoints'),
      log.bounds('judged-events'),
      positionsOf(shards),
    ])
    return shards.map((shard, i) => ({
      checkpointsEnd: boundsIn(checkpoints, shard).end,
      judgedStart: boundsIn(judged, shard).start,
      positions: positions[i]!,
    }))
  }

  async function positionsOf(shards: readonly number[]): Promise<[number, number][]> {
    const sources = shards.flatMap((shard) => {
      return [
        { shard, source: sourceOf('spend-checkpoints', shard) },
        { shard, source: sourceOf('ad-events', shard) },
      ]
    })
    const positions = await counters.positions(sources)
    return shards.map((_, i) => [positions[2 * i]!, positions[2 * i + 1]!])
  }

  async function readCounted(shard: number, applied: number): Promise<CountedSpend> {
    if (applied < 0) return NOTHING
    const known = read.get(shard)
    if (known?.applied === applied) return known.checkpoints
    const { checkpoints } = await readCheckpoints(log, shard, counters.shards, applied + 1)
    read.set(shard, { applied, checkpoints })
    return checkpoints
  }

  return {
    async restore(shards) {
      const places = await placesOf(shards)
      for (const [i, shard] of shards.entries()) {
        const known = restored.get(shard)
        if (known && holds(known, places[i]!)) continue
        restored.delete(shard)
        const { upTo, last } = await restoreSpend(deps, shard)
        const [positions] = (await positionsOf([shard])) as [[number, number]]
        const [applied, judged] = positions
        // Counters that have got checkpoints are not empty, unless they were lost again.
        if (judged < upTo || (last >= 0 && Math.max(applied, judged) < 0)) {
          throw new CountersMoved(`Shard ${shard} was lost again while its spend was being restored`)
        }
        restored.set(shard, { ...places[i]!, positions, upTo })
      }
      return shards.map((shard) => restored.get(shard)!.upTo)
    },
    async counted(shards) {
      const sources = shards.map((shard) => ({ shard, source: sourceOf('spend-checkpoints', shard) }))
      const applied = await counters.positions(sources)
      return Promise.all(shards.map((shard, i) => readCounted(shard, applied[i]!)))
    },
  }
}

/** Whether restoring again would change nothing. */
function holds(known: Place, now: Place): boolean {
  return (
    now.checkpointsEnd === known.checkpointsEnd &&
    now.judgedStart === known.judgedStart &&
    now.positions.every((at, source) => at >= known.positions[source]!)
  )
}

const boundsIn = (bounds: readonly PartitionBounds[], partition: number) =>
  bounds.find((each) => each.partition === partition) ?? { start: 0, end: 0 }

const NOTHING: CountedSpend = new Map()
