import type { ShardChange, TallyKey } from '../../../infra/counters/port.ts'
import type { Counted, WindowCell, WindowTallies } from './windows.ts'

/** The tallies that a batch loads and changes: cells of one `WindowIndex`, which nothing else has counted by. */
export class BatchTallies {
  /** By shard. */
  readonly #toLoad = new Map<number, WindowCell[]>()
  /** By shard, the counters of those, one cell's after the other's. */
  readonly #loaded = new Map<number, Float64Array>()
  /** By shard. */
  readonly #changed = new Map<number, WindowCell[]>()

  asked(tallies: WindowTallies): void {
    for (const cell of tallies.all()) {
      if (cell.loadedAt !== null) continue
      const cells = cellsOf(this.#toLoad, cell)
      cell.loadedAt = cells.length * cell.key.group.counts
      cells.push(cell)
    }
  }

  /** What to load of a shard. */
  loads(shard: number): TallyKey[] {
    return (this.#toLoad.get(shard) ?? []).map(({ key }) => key)
  }

  /** @param loaded what `loads` has asked for. */
  take(shard: number, loaded: Float64Array): void {
    this.#loaded.set(shard, loaded)
  }

  /** Over the whole window. */
  value(tallies: WindowTallies, counted: Counted): number {
    let sum = 0
    for (const { key, loadedAt, added } of tallies.all()) {
      if (loadedAt !== null) sum += this.#loaded.get(key.shard)![loadedAt + counted]!
      if (added !== null) sum += added[counted]!
    }
    return sum
  }

  /** Raises a counter of the current part. */
  add({ current: cell }: WindowTallies, counted: Counted, amount: number): void {
    if (cell.added === null) {
      cell.added = new Array<number>(cell.key.group.counts).fill(0)
      cellsOf(this.#changed, cell).push(cell)
    }
    cell.added[counted]! += amount
  }

  changes(shard: number): ShardChange['tally'] {
    return (this.#changed.get(shard) ?? []).map(({ key, added }) => ({ key, amounts: added! }))
  }
}

function cellsOf(shards: Map<number, WindowCell[]>, { key }: WindowCell): WindowCell[] {
  let cells = shards.get(key.shard)
  if (!cells) {
    cells = []
    shards.set(key.shard, cells)
  }
  return cells
}
