import type { ShardChange, TallyGroup, TallyKey } from '../../../infra/counters/port.ts'
import { memoized } from '../../../services/domain/memoized.ts'
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
  // By cell. `#next` is another one of the same owner.
  readonly #owner: Owner[] = []
  readonly #part: number[] = []
  readonly #next: Cell[] = []
  readonly #isAsked: boolean[] = []
  readonly #isChanged: boolean[] = []
  // By cell and `Counted`.
  readonly #values: number[] = []
  readonly #added: number[] = []
  // By shard.
  readonly #asked = new Map<number, Cell[]>()
  readonly #changed = new Map<number, Cell[]>()

  constructor(owners: Owners) {
    this.#owners = owners
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
    return this.#owners.shards[this.#owner[this.#cells[window * PARTS]!]!]!
  }

  /** What counts the present. */
  key(window: Window): TallyKey {
    return this.#key(this.#cells[window * PARTS]!)
  }

  ask(window: Window): void {
    for (let back = 0; back < PARTS; back++) {
      const cell = this.#cellOf(window, back)
      if (this.#isAsked[cell]) continue
      this.#isAsked[cell] = true
      this.#listed(this.#asked, cell)
    }
  }

  /** What to load of a shard. */
  loads(shard: number): TallyKey[] {
    return (this.#asked.get(shard) ?? []).map((cell) => this.#key(cell))
  }

  /** @param loaded what `loads` has asked for, before anything is added. */
  take(shard: number, loaded: Float64Array): void {
    const cells = this.#asked.get(shard) ?? []
    for (let i = 0; i < cells.length; i++) {
      for (let counted = 0; counted < COUNTS; counted++) {
        this.#values[cells[i]! * COUNTS + counted] = loaded[i * COUNTS + counted]!
      }
    }
  }

  /** Over the whole window. */
  value(window: Window, counted: Counted): number {
    let sum = 0
    for (let back = 0; back < PARTS; back++) sum += this.#values[this.#cellOf(window, back) * COUNTS + counted]!
    return sum
  }

  /** Raises a counter of the current part. */
  add(window: Window, counted: Counted, amount: number): void {
    const cell = this.#cells[window * PARTS]!
    this.#values[cell * COUNTS + counted]! += amount
    this.#added[cell * COUNTS + counted]! += amount
    if (this.#isChanged[cell]) return
    this.#isChanged[cell] = true
    this.#listed(this.#changed, cell)
  }

  changes(shard: number): ShardChange['tally'] {
    return (this.#changed.get(shard) ?? []).map((cell) => {
      return { key: this.#key(cell), amounts: this.#added.slice(cell * COUNTS, (cell + 1) * COUNTS) }
    })
  }

  #key(cell: Cell): TallyKey {
    const owner = this.#owner[cell]!
    return {
      shard: this.#owners.shards[owner]!,
      group: groupOf(this.#part[cell]!),
      fingerprint: this.#owners.fingerprint(owner),
    }
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
    this.#isAsked.push(false)
    this.#isChanged.push(false)
    this.#values.push(0, 0, 0, 0, 0)
    this.#added.push(0, 0, 0, 0, 0)
    this.#lastCell[owner] = cell
    return cell
  }

  /** What a list says of an owner, who may be newer than it. */
  #at(list: number[], owner: Owner): number {
    while (list.length <= owner) list.push(NONE)
    return list[owner]!
  }

  #listed(shards: Map<number, Cell[]>, cell: Cell): void {
    const shard = this.#owners.shards[this.#owner[cell]!]!
    const cells = shards.get(shard)
    if (cells) cells.push(cell)
    else shards.set(shard, [cell])
  }
}

const groupOf = memoized((part: number): TallyGroup => {
  return { name: `window/${part}`, keptUntil: (part + PARTS) * PART_MS, spread: 512, counts: COUNTS }
})

const dayOf = (part: number) => Math.floor((part * PART_MS) / DAY_MS)
