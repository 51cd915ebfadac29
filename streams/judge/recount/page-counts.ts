import type { CounterGroup, CounterKey, SeenKey, ShardChange, TallyKey } from '../../../infra/counters/port.ts'
import { type Counted, type SharedBy, WindowIndex } from '../windows/windows.ts'
import { People } from './people.ts'

interface Cell {
  key: CounterKey
  amount: number
}

/** One shard as a page changes it. */
interface Shard {
  /** By the name of the group, then by id. */
  groups: Map<string, Map<string, Cell>>
  last: { group: CounterGroup; cells: Map<string, Cell> } | null
  seen: SeenKey[]
  released: { key: string; holder: string }[]
}

/**
 * What a page of judged events adds to the counters: sums, of which no event keeps anything but that it was seen. An event changes
 * only shards that do not hold its offset yet, and nothing that is forgotten by now.
 */
export class PageCounts {
  /** The last offset of the source that each shard holds. */
  readonly positions: readonly number[]
  readonly people: People
  readonly windows: WindowCounts
  readonly now: number
  readonly #shards: Shard[]

  /** @param now UTC epoch milliseconds. */
  constructor({ positions, now }: { positions: readonly number[]; now: number }) {
    this.positions = positions
    this.now = now
    const place = { shards: positions.length, now }
    this.people = new People(place)
    this.windows = new WindowCounts(place)
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

  /** A key may come several times. */
  see(shard: number, key: SeenKey): void {
    if (!this.#isForgotten(key.group)) this.#shards[shard]!.seen.push(key)
  }

  release(shard: number, reservation: { key: string; holder: string }): void {
    this.#shards[shard]!.released.push(reservation)
  }

  /** The changes that move the source on to `upTo`, of all shards that stand before it. */
  changes(source: string, upTo: number): ShardChange[] {
    const tallies = Map.groupBy(this.windows.added(), ({ key }) => key.shard)
    const lowered = Map.groupBy(this.people.lowered(), ({ key }) => key.shard)
    const changes = this.positions.map((after, shard): ShardChange => {
      const { seen, released } = this.#shards[shard]!
      const sums = { add: this.#sumsOf(shard), tally: tallies.get(shard) ?? [], lower: lowered.get(shard) ?? [] }
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

/** What a page of judged events adds to the windows of 90 minutes. */
class WindowCounts {
  readonly index: WindowIndex
  /** What is forgotten by then is not counted, UTC epoch milliseconds. */
  readonly #now: number
  /** By `Counted`. */
  readonly #added = new Map<TallyKey, number[]>()

  constructor({ shards, now }: { shards: number; now: number }) {
    this.index = new WindowIndex(shards)
    this.#now = now
  }

  /** Whom an event is counted by, in the part of the window that it was received in. */
  owner(by: SharedBy, shopId: string, name: string, receivedAt: number): TallyKey {
    return this.index.owner(by, shopId, name).tallies(receivedAt).current.key
  }

  add(key: TallyKey, counted: Counted): void {
    let counts = this.#added.get(key)
    if (!counts) {
      counts = new Array<number>(key.group.counts).fill(0)
      this.#added.set(key, counts)
    }
    counts[counted]!++
  }

  *added(): Generator<ShardChange['tally'][number]> {
    for (const [key, amounts] of this.#added) {
      const { keptUntil } = key.group
      if (keptUntil !== null && keptUntil <= this.#now) continue
      yield { key, amounts }
    }
  }
}
