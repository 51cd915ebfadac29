import type { ShardChange, TallyKey } from '../../../infra/counters/port.ts'
import type { Counted, WindowCell, WindowTallies } from './windows.ts'

/** The tallies that a batch loads and changes: cells of one `WindowIndex`, which nothing else has counted by. */
export class BatchTallies {
  /** By shard. */
  readonly #toLoad = new Map<number, WindowCell[]>()
  /** By shard. */
  readonly #changed = new Map<number, WindowCell[]>()

  asked(tallies: WindowTallies): void {
    for (const cell of tallies.all()) {
      if (cell.isLoaded) continue
      cell.isLoaded = true
      addTo(this.#toLoad, cell)
    }
  }

  /** What to load of a shard. */
  loads(shard: number): TallyKey[] {
    return (this.#toLoad.get(shard) ?? []).map(({ key }) => key)
  }

  /** @param loaded what `loads` has asked for. */
  take(shard: number, loaded: readonly number[]): void {
    let next = 0
    for (const cell of this.#toLoad.get(shard) ?? []) {
      const { counts } = cell.key.group
      cell.values = loaded.slice(next, next + counts)
      next += counts
    }
  }

  /** Over the whole window. */
  value(tallies: WindowTallies, counted: Counted): number {
    let sum = 0
    for (const { values } of tallies.all()) sum += values?.[counted] ?? 0
    return sum
  }

  /** Raises a counter of the current part. */
  add({ current: cell }: WindowTallies, counted: Counted, amount: number): void {
    if (cell.added === null) addTo(this.#changed, cell)
    cell.added ??= zerosFor(cell)
    cell.values ??= zerosFor(cell)
    cell.added[counted]! += amount
    cell.values[counted]! += amount
  }

  changes(shard: number): ShardChange['tally'] {
    const changes: ShardChange['tally'][number][] = []
    for (const { key, added } of this.#changed.get(shard) ?? []) {
      for (let count = 0; count < added!.length; count++) {
        if (added![count] !== 0) changes.push({ key, count, amount: added![count]! })
      }
    }
    return changes
  }
}

function addTo(shards: Map<number, WindowCell[]>, cell: WindowCell): void {
  const cells = shards.get(cell.key.shard)
  if (cells) cells.push(cell)
  else shards.set(cell.key.shard, [cell])
}

const zerosFor = ({ key }: WindowCell) => new Array<number>(key.group.counts).fill(0)
