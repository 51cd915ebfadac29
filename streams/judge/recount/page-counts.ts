import type { CounterGroup, CounterKey, SeenKey, ShardChange } from '../../../infra/counters/port.ts'
import { Owners } from '../counted/owners.ts'
import { Windows } from '../counted/windows.ts'
import { People } from './people.ts'

interface Cell {
  key: CounterKey
  amount: number
}

/** What a page changes in one shard. */
interface Shard {
  /** By the name of the group, then by id. */
  groups: Map<string, Map<string, Cell>>
  last: { group: CounterGroup; cells: Map<string, Cell> } | null
  seen: SeenKey[]
  released: { key: string; holder: string }[]
}

/**
 * What a page of judged events adds to the counters: sums over the events. Of a single event only its seen key is kept. An event
 * changes only shards that have not counted its offset yet, and no counters that are forgotten by now.
 */
export class PageCounts {
  /** The last offset of the source that each shard has counted. */
  readonly positions: readonly number[]
  readonly people: People
  readonly owners: Owners
  readonly windows: Windows
  readonly now: number
  readonly #shards: Shard[]

  /** @param now UTC epoch milliseconds. */
  constructor({ positions, now }: { positions: readonly number[]; now: number }) {
    this.positions = positions
    this.now = now
    this.people = new People({ shards: positions.length, now })
    this.owners = new Owners(positions.length)
    this.windows = new Windows(this.owners, () => now)
    this.#shards = positions.map(() => ({ groups: new Map(), last: null, seen: [], released: [] }))
  }

  isNew(offset: number, shard: number): boolean {
    return offset > this.positions[shard]!
  }

  add(key: CounterKey, amount: number): void {
    if (amount === 0 || this.#isForgotten(key.group)) return
    const cells = this.#cells(this.#shards[key.shard]!, key.group)
    const cell = cells.get(key.id)
    if (cell) cell.amount += amount
    else cells.set(key.id, { key, amount })
  }

  /** The same key may come several times. */
  see(shard: number, key: SeenKey): void {
    if (!this.#isForgotten(key.group)) this.#shards[shard]!.seen.push(key)
  }

  release(shard: number, reservation: { key: string; holder: string }): void {
    this.#shards[shard]!.released.push(reservation)
  }

  /** The changes that move the source on to `upTo`, in all shards whose position is before it. */
  changes(source: string, upTo: number): ShardChange[] {
    const lowered = Map.groupBy(this.people.lowered(), ({ key }) => key.shard)
    const changes = this.positions.map((after, shard): ShardChange => {
      const { seen, released } = this.#shards[shard]!
      const tally = this.windows.changes(shard).filter(({ key }) => !this.#isForgotten(key.group))
      const sums = { add: this.#sumsOf(shard), tally, lower: lowered.get(shard) ?? [] }
      return { shard, source, after, upTo, note: null, ...sums, seen, released }
    })
    return changes.filter(({ after }) => after < upTo)
  }

  #sumsOf(shard: number): Cell[] {
    const sums: Cell[] = []
    for (const cells of this.#shards[shard]!.groups.values()) {
      for (const cell of cells.values()) if (cell.amount !== 0) sums.push(cell)
    }
    return sums
  }

  #cells(shard: Shard, group: CounterGroup): Map<string, Cell> {
    if (shard.last?.group === group) return shard.last.cells
    let cells = shard.groups.get(group.name)
    if (!cells) {
      cells = new Map()
      shard.groups.set(group.name, cells)
    }
    shard.last = { group, cells }
    return cells
  }

  #isForgotten({ keptUntil }: Pick<CounterGroup, 'keptUntil'>): boolean {
    return keptUntil !== null && keptUntil <= this.now
  }
}
