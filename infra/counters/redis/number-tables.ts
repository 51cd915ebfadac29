import { type IdFingerprint, slotHash } from '../fingerprint.ts'

/**
 * Hash tables of numbers: who meets another one at its slot goes on to the next. They take a fraction of the memory of a Set or a
 * Map, and the collector of garbage has nothing to look through.
 */
const FIRST_BITS = 4
const FIRST_SLOTS = 2 ** FIRST_BITS
const TWO_TO_32 = 2 ** 32
const LOAD_MAX = 0.5
/** In a slot of a set. */
const NOTHING = -1
/** In place of the first counter of a slot. */
const EMPTY = Number.NaN

/** Whole numbers from 0 on. */
export class NumberSet {
  #slots = new Float64Array(FIRST_SLOTS).fill(NOTHING)
  #shift = 32 - FIRST_BITS
  #size = 0

  get bytes(): number {
    return this.#slots.byteLength
  }

  has(number: number): boolean {
    return this.#slots[this.#slotOf(number)] === number
  }

  add(number: number): void {
    let slot = this.#slotOf(number)
    if (this.#slots[slot] === number) return
    if (this.#size >= this.#slots.length * LOAD_MAX) {
      this.#grow()
      slot = this.#slotOf(number)
    }
    this.#slots[slot] = number
    this.#size++
  }

  /** Where the number is, or belongs. */
  #slotOf(number: number): number {
    const slots = this.#slots
    const last = slots.length - 1
    for (let slot = slotHash(number, number / TWO_TO_32) >>> this.#shift; ; slot = (slot + 1) & last) {
      if (slots[slot] === NOTHING || slots[slot] === number) return slot
    }
  }

  #grow(): void {
    const numbers = this.#slots
    this.#slots = new Float64Array(2 * numbers.length).fill(NOTHING)
    this.#shift--
    for (const number of numbers) if (number !== NOTHING) this.#slots[this.#slotOf(number)] = number
  }
}

/** As many counters for each fingerprint. */
export class CountTable {
  /** Of a fingerprint. */
  readonly width: number
  /** Those of a fingerprint begin where `find` says. */
  counts: Float64Array
  #low = new Int32Array(FIRST_SLOTS)
  #high = new Int32Array(FIRST_SLOTS)
  #shift = 32 - FIRST_BITS
  #size = 0

  constructor(width: number) {
    this.width = width
    this.counts = new Float64Array(FIRST_SLOTS * width).fill(EMPTY)
  }

  get size(): number {
    return this.#size
  }

  /** Where the counters begin; -1: there are none. */
  find({ low, high }: IdFingerprint): number {
    const at = this.#slotOf(low, high) * this.width
    return Number.isNaN(this.counts[at]) ? -1 : at
  }

  /** Sets the counters to those that begin at `from`. @returns where they begin now. */
  set({ low, high }: IdFingerprint, values: Float64Array, from: number): number {
    let slot = this.#slotOf(low, high)
    if (Number.isNaN(this.counts[slot * this.width])) {
      if (this.#size >= this.#low.length * LOAD_MAX) {
        this.#grow()
        slot = this.#slotOf(low, high)
      }
      this.#size++
      this.#low[slot] = low
      this.#high[slot] = high
    }
    const at = slot * this.width
    for (let i = 0; i < this.width; i++) this.counts[at + i] = values[from + i]!
    return at
  }

  /** Where the fingerprint is, or belongs. */
  #slotOf(low: number, high: number): number {
    const last = this.#low.length - 1
    for (let slot = slotHash(low, high) >>> this.#shift; ; slot = (slot + 1) & last) {
      if (this.#low[slot] === low && this.#high[slot] === high) return slot
      if (Number.isNaN(this.counts[slot * this.width])) return slot
    }
  }

  #grow(): void {
    const [lows, highs, counts] = [this.#low, this.#high, this.counts]
    this.#shift--
    this.#low = new Int32Array(2 * lows.length)
    this.#high = new Int32Array(2 * lows.length)
    this.counts = new Float64Array(2 * counts.length).fill(EMPTY)
    this.#size = 0
    for (let slot = 0; slot < lows.length; slot++) {
      const from = slot * this.width
      if (!Number.isNaN(counts[from])) this.set({ low: lows[slot]!, high: highs[slot]! }, counts, from)
    }
  }
}
