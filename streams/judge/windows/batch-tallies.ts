import type { ShardChange, TallyKey } from '../../../infra/counters/port.ts'
import type { Counted, WindowTallies } from './windows.ts'

/** The counters of somebody in a part of the window. */
interface TallyCell {
  key: TallyKey
  isLoaded: boolean
  /** What was loaded, with the changes of the batch. */
  values: number[]
  /** Null: the batch changes nothing. */
  added: number[] | null
}

interface ShardTallies {
  toLoad: TallyCell[]
  changed: TallyCell[]
}

/** The tallies that a batch loads and changes. The keys of one id and part must be one object, as `WindowIndex` has them. */
export class BatchTallies {
  readonly #cells = new Map<TallyKey, TallyCell>()
  readonly #windows = new Map<WindowTallies, readonly TallyCell[]>()
  readonly #shards = new Map<number, ShardTallies>()

  asked(tallies: WindowTallies): void {
    for (const cell of this.#cellsOf(tallies)) {
      if (cell.isLoaded) continue
      cell.isLoaded = true
      this.#shard(cell.key.shard).toLoad.push(cell)
    }
  }

  /** What to load of a shard. */
  loads(shard: number): TallyKey[] {
    return this.#shard(shard).toLoad.map(({ key }) => key)
  }

  /** @param loaded what `loads` has asked for. */
  take(shard: number, loaded: readonly number[]): void {
    let next = 0
    for (const { values } of this.#shard(shard).toLoad) {
      for (let count = 0; count < values.length; count++) values[count] = loaded[next++]!
    }
  }

  /** Over the whole window. */
  value(tallies: WindowTallies, counted: Counted): number {
    let sum = 0
    for (const { values } of this.#cellsOf(tallies)) sum += values[counted]!
    return sum
  }

  /** Raises a counter of the current part. */
  add(tallies: WindowTallies, counted: Counted, amount: number): void {
    const cell = this.#cellsOf(tallies)[0]!
    if (cell.added === null) {
      cell.added = cell.values.map(() => 0)
      this.#shard(cell.key.shard).changed.push(cell)
    }
    cell.added[counted]! += amount
    cell.values[counted]! += amount
  }

  changes(shard: number): ShardChange['tally'] {
    const changes: ShardChange['tally'][number][] = []
    for (const { key, added } of this.#shard(shard).changed) {
      for (let count = 0; count < added!.length; count++) {
        if (added![count] !== 0) changes.push({ key, count, amount: added![count]! })
      }
    }
    return changes
  }

  #shard(shard: number): ShardTallies {
    const known = this.#shards.get(shard)
    if (known) return known
    const fresh: ShardTallies = { toLoad: [], changed: [] }
    this.#shards.set(shard, fresh)
    return fresh
  }

  #cellsOf(tallies: WindowTallies): readonly TallyCell[] {
    const known = this.#windows.get(tallies)
    if (known) return known
    const cells = tallies.parts.map((key) => this.#cell(key))
    this.#windows.set(tallies, cells)
    return cells
  }

  #cell(key: TallyKey): TallyCell {
    const known = this.#cells.get(key)
    if (known) return known
    const values = new Array<number>(key.group.counts).fill(0)
    const cell: TallyCell = { key, isLoaded: false, values, added: null }
    this.#cells.set(key, cell)
    return cell
  }
}
