import type { ShardChange, TallyGroup, TallyKey } from '../../../infra/counters/port.ts'
import { DAY_MS, HOUR_MS } from '../../../schemas/durations.ts'
import { IntegerList } from './integer-list.ts'
import type { Owner, Owners } from './owners.ts'

/** The sliding window is the current half hour and the two before it: always at least an hour. */
const PART_MS = HOUR_MS / 2
const PARTS = 3
/** How far back a window that is still open may reach. */
export const WINDOWS_MS = PARTS * PART_MS

/** What is counted of an owner in a part of the window, next to each other. */
export const COUNTED = { clicks: 0, views: 1, people: 2, known: 3, new: 4 } as const
export type Counted = (typeof COUNTED)[keyof typeof COUNTED]
const COUNTS = Object.keys(COUNTED).length

/** The number of an owner's sliding window within a batch. */
export type Window = number
/** The number of a cell: the counts of one owner in one part of the window. */
type Cell = number
const NONE = -1

/** The sliding windows of the owners of a batch: what they had counted, and what the batch adds to them. */
export class Windows {
  readonly #owners: Owners
  // By owner.
  readonly #lastWindow = new IntegerList()
  readonly #lastCell = new IntegerList()
  // By window. Cells of earlier parts are made once they are asked for: of most owners they never are.
  readonly #cells = new IntegerList()
  /** Who the owner was on the previous day, since hashes of addresses change daily. */
  readonly #before = new IntegerList()
  // By cell.
  readonly #owner = new IntegerList()
  readonly #part = new IntegerList()
  /** The next cell of the same owner; NONE for the last. */
  readonly #next = new IntegerList()
  /** Where the cell's counts begin among those loaded of its shard; NONE when they are not loaded. */
  readonly #loadedAt = new IntegerList()
  /** Where the amounts added to the cell begin in `#added`; NONE when nothing is added. */
  readonly #addedAt = new IntegerList()
  readonly #added = new IntegerList()
  // By shard, for all that an owner may be in.
  readonly #asked: Cell[][]
  readonly #loaded: Float64Array[] = []
  readonly #changed: Cell[][]
  /** When the batch is counted, UTC epoch milliseconds: it may be made some time before. */
  readonly #now: () => number
  readonly #groups = new Map<number, TallyGroup>()

  /** @param now gives UTC epoch milliseconds. */
  constructor(owners: Owners, now: () => number) {
    this.#owners = owners
    this.#now = now
    this.#asked = Array.from({ length: owners.shardCount }, () => [])
    this.#changed = Array.from({ length: owners.shardCount }, () => [])
  }

  /**
   * The sliding window of an owner, as of `at`.
   * @param at UTC epoch milliseconds.
   * @param before who the owner was on the previous day.
   */
  of(owner: Owner, at: number, before = owner): Window {
    const part = Math.floor(at / PART_MS)
    const last = this.#at(this.#lastWindow, owner)
    if (last !== NONE && this.#before.at(last) === before && this.#part.at(this.#cells.at(last * PARTS)) === part)
      return last
    const window = this.#before.push(before)
    this.#cells.push(this.#cell(owner, part))
    for (let back = 1; back < PARTS; back++) this.#cells.push(NONE)
    this.#lastWindow.set(owner, window)
    return window
  }

  /** The shard of the window's current part. */
  shard(window: Window): number {
    return this.#shardOf(this.#cells.at(window * PARTS))
  }

  /** The key of the window's current part. */
  key(window: Window): TallyKey {
    return this.#key(this.#cells.at(window * PARTS))
  }

  ask(window: Window): void {
    for (let back = 0; back < PARTS; back++) {
      const cell = this.#cellOf(window, back)
      if (this.#loadedAt.at(cell) !== NONE) continue
      this.#loadedAt.set(cell, (this.#asked[this.#shardOf(cell)]!.push(cell) - 1) * COUNTS)
    }
  }

  /** The keys to load from a shard. */
  loads(shard: number): TallyKey[] {
    return (this.#asked[shard] ?? []).map((cell) => this.#key(cell))
  }

  /** @param loaded what `loads` has asked for. */
  take(shard: number, loaded: Float64Array): void {
    this.#loaded[shard] = loaded
  }

  /** The sum over the whole window. */
  value(window: Window, counted: Counted): number {
    let sum = 0
    for (let back = 0; back < PARTS; back++) {
      const cell = this.#cellOf(window, back)
      const loadedAt = this.#loadedAt.at(cell)
      const addedAt = this.#addedAt.at(cell)
      if (loadedAt !== NONE) sum += this.#loaded[this.#shardOf(cell)]![loadedAt + counted]!
      if (addedAt !== NONE) sum += this.#added.at(addedAt + counted)
    }
    return sum
  }

  /** Raises a counter of the current part. */
  add(window: Window, counted: Counted, amount: number): void {
    const cell = this.#cells.at(window * PARTS)
    if (this.#addedAt.at(cell) === NONE) {
      this.#addedAt.set(cell, this.#added.length)
      for (let count = 0; count < COUNTS; count++) this.#added.push(0)
      this.#changed[this.#shardOf(cell)]!.push(cell)
    }
    this.#added.add(this.#addedAt.at(cell) + counted, amount)
  }

  changes(shard: number): ShardChange['tally'] {
    return (this.#changed[shard] ?? []).map((cell) => {
      const from = this.#addedAt.at(cell)
      return { key: this.#key(cell), amounts: this.#added.slice(from, from + COUNTS) }
    })
  }

  #key(cell: Cell): TallyKey {
    const fingerprint = this.#owners.fingerprint(this.#owner.at(cell))
    return { shard: this.#shardOf(cell), group: this.#groupOf(this.#part.at(cell)), fingerprint }
  }

  /** When the judge is behind, late counts are kept as long as those made in time: more events of the same part may follow. */
  #groupOf(part: number): TallyGroup {
    const known = this.#groups.get(part)
    if (known) return known
    const keptUntil = (Math.max(part, Math.floor(this.#now() / PART_MS)) + PARTS) * PART_MS
    const group = { name: `window/${part}`, keptUntil, spread: 512, counts: COUNTS }
    this.#groups.set(part, group)
    return group
  }

  /** @param back how many parts before the current one. */
  #cellOf(window: Window, back: number): Cell {
    const known = this.#cells.at(window * PARTS + back)
    if (known !== NONE) return known
    const current = this.#cells.at(window * PARTS)
    const now = this.#part.at(current)
    const isYesterday = dayOf(now - back) < dayOf(now)
    const cell = this.#cell(isYesterday ? this.#before.at(window) : this.#owner.at(current), now - back)
    this.#cells.set(window * PARTS + back, cell)
    return cell
  }

  #cell(owner: Owner, part: number): Cell {
    const last = this.#at(this.#lastCell, owner)
    for (let cell = last; cell !== NONE; cell = this.#next.at(cell)) if (this.#part.at(cell) === part) return cell
    const cell = this.#owner.push(owner)
    this.#part.push(part)
    this.#next.push(last)
    this.#loadedAt.push(NONE)
    this.#addedAt.push(NONE)
    this.#lastCell.set(owner, cell)
    return cell
  }

  /** The entry of an owner in a list, which is first extended if the owner is newer than the list. */
  #at(list: IntegerList, owner: Owner): number {
    while (list.length <= owner) list.push(NONE)
    return list.at(owner)
  }

  #shardOf(cell: Cell): number {
    return this.#owners.shards[this.#owner.at(cell)]!
  }
}

const dayOf = (part: number) => Math.floor((part * PART_MS) / DAY_MS)
