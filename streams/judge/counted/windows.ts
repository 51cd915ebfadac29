import type { ShardChange, TallyGroup, TallyKey } from '../../../infra/counters/port.ts'
import type { Owner, Owners } from './owners.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** The sliding window is the current half hour and the two before it: always at least an hour. */
const PART_MS = HOUR_MS / 2
const PARTS = 3
/** The earliest time that windows which are still open have counted. */
export const WINDOWS_MS = PARTS * PART_MS

/** What is counted of somebody in a part of the window, side by side. */
export const COUNTED = { clicks: 0, views: 1, people: 2, known: 3, new: 4 } as const
export type Counted = (typeof COUNTED)[keyof typeof COUNTED]
const COUNTS = Object.keys(COUNTED).length

/** The number of somebody's sliding window among those of a batch. */
export type Window = number
/** The number of what is counted of somebody in a part of the window. */
type Cell = number
const NONE = -1

/** The sliding windows of the owners of a batch: what they had counted, and what the batch adds to them. */
export class Windows {
  readonly #owners: Owners
  // By owner.
  readonly #lastWindow: Window[] = []
  readonly #lastCell: Cell[] = []
  // By window. Cells of earlier parts are made once they are asked for: most of those who are counted never are.
  readonly #cells: Cell[] = []
  /** Who the owner was on the day before. */
  readonly #before: Owner[] = []
  // By cell.
  readonly #owner: Owner[] = []
  readonly #part: number[] = []
  /** Another one of the same owner. */
  readonly #next: Cell[] = []
  /** Where its counters begin among those that are loaded of its shard; NONE: they are not. */
  readonly #loadedAt: number[] = []
  /** Where what is added to them begins in `#added`; NONE: nothing is. */
  readonly #addedAt: number[] = []
  readonly #added: number[] = []
  // By shard, of those that an owner may lie in.
  readonly #asked: Cell[][]
  readonly #loaded: Float64Array[] = []
  readonly #changed: Cell[][]
  /** The part in which the batch is counted. */
  readonly #present: number
  readonly #groups = new Map<number, TallyGroup>()

  /** @param now UTC epoch milliseconds. */
  constructor(owners: Owners, now: number) {
    this.#owners = owners
    this.#present = Math.floor(now / PART_MS)
    this.#asked = Array.from({ length: owners.shardCount }, () => [])
    this.#changed = Array.from({ length: owners.shardCount }, () => [])
  }

  /**
   * What the sliding window counts.
   * @param at UTC epoch milliseconds.
   * @param before who the owner was on the day before.
   */
  of(owner: Owner, at: number, before = owner): Window {
    const part = Math.floor(at / PART_MS)
    const last = this.#at(this.#lastWindow, owner)
    if (last !== NONE && this.#before[last] === before && this.#part[this.#cells[last * PARTS]!] === part) return last
    const window = this.#before.push(before) - 1
    this.#cells.push(this.#cell(owner, part), NONE, NONE)
    this.#lastWindow[owner] = window
    return window
  }

  /** The shard that the window lies in at present. */
  shard(window: Window): number {
    return this.#shardOf(this.#cells[window * PARTS]!)
  }

  /** What counts the present. */
  key(window: Window): TallyKey {
    return this.#key(this.#cells[window * PARTS]!)
  }

  ask(window: Window): void {
    for (let back = 0; back < PARTS; back++) {
      const cell = this.#cellOf(window, back)
      if (this.#loadedAt[cell] !== NONE) continue
      this.#loadedAt[cell] = (this.#asked[this.#shardOf(cell)]!.push(cell) - 1) * COUNTS
    }
  }

  /** What to load of a shard. */
  loads(shard: number): TallyKey[] {
    return (this.#asked[shard] ?? []).map((cell) => this.#key(cell))
  }

  /** @param loaded what `loads` has asked for. */
  take(shard: number, loaded: Float64Array): void {
    this.#loaded[shard] = loaded
  }

  /** Over the whole window. */
  value(window: Window, counted: Counted): number {
    let sum = 0
    for (let back = 0; back < PARTS; back++) {
      const cell = this.#cellOf(window, back)
      const [loadedAt, addedAt] = [this.#loadedAt[cell]!, this.#addedAt[cell]!]
      if (loadedAt !== NONE) sum += this.#loaded[this.#shardOf(cell)]![loadedAt + counted]!
      if (addedAt !== NONE) sum += this.#added[addedAt + counted]!
    }
    return sum
  }

  /** Raises a counter of the current part. */
  add(window: Window, counted: Counted, amount: number): void {
    const cell = this.#cells[window * PARTS]!
    if (this.#addedAt[cell] === NONE) {
      this.#addedAt[cell] = this.#added.length
      for (let count = 0; count < COUNTS; count++) this.#added.push(0)
      this.#changed[this.#shardOf(cell)]!.push(cell)
    }
    this.#added[this.#addedAt[cell]! + counted]! += amount
  }

  changes(shard: number): ShardChange['tally'] {
    return (this.#changed[shard] ?? []).map((cell) => {
      const from = this.#addedAt[cell]!
      return { key: this.#key(cell), amounts: this.#added.slice(from, from + COUNTS) }
    })
  }

  #key(cell: Cell): TallyKey {
    const fingerprint = this.#owners.fingerprint(this.#owner[cell]!)
    return { shard: this.#shardOf(cell), group: this.#groupOf(this.#part[cell]!), fingerprint }
  }

  /** What is counted late, because the judge was behind, is kept for as long as what is counted at once: more of its time may follow. */
  #groupOf(part: number): TallyGroup {
    const known = this.#groups.get(part)
    if (known) return known
    const keptUntil = (Math.max(part, this.#present) + PARTS) * PART_MS
    const group = { name: `window/${part}`, keptUntil, spread: 512, counts: COUNTS }
    this.#groups.set(part, group)
    return group
  }

  /** @param back how many parts before the current one. */
  #cellOf(window: Window, back: number): Cell {
    const known = this.#cells[window * PARTS + back]!
    if (known !== NONE) return known
    const current = this.#cells[window * PARTS]!
    const now = this.#part[current]!
    const isYesterday = dayOf(now - back) < dayOf(now)
    const cell = this.#cell(isYesterday ? this.#before[window]! : this.#owner[current]!, now - back)
    this.#cells[window * PARTS + back] = cell
    return cell
  }

  #cell(owner: Owner, part: number): Cell {
    const last = this.#at(this.#lastCell, owner)
    for (let cell = last; cell !== NONE; cell = this.#next[cell]!) if (this.#part[cell] === part) return cell
    const cell = this.#owner.push(owner) - 1
    this.#part.push(part)
    this.#next.push(last)
    this.#loadedAt.push(NONE)
    this.#addedAt.push(NONE)
    this.#lastCell[owner] = cell
    return cell
  }

  /** What a list says of an owner, who may be newer than it. */
  #at(list: number[], owner: Owner): number {
    while (list.length <= owner) list.push(NONE)
    return list[owner]!
  }

  #shardOf(cell: Cell): number {
    return this.#owners.shards[this.#owner[cell]!]!
  }
}

const dayOf = (part: number) => Math.floor((part * PART_MS) / DAY_MS)
