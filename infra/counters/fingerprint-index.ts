import { randomInt } from 'node:crypto'
import type { IdFingerprint } from './fingerprint.ts'

const FIRST_BITS = 4
const FIRST_SLOTS = 2 ** FIRST_BITS
/** Whoever meets another fingerprint at its slot goes on to the next. */
const LOAD_MAX = 0.5
const TWO_TO_32 = 2 ** 32

/** Shoppers choose their ids, and with enough patience find many whose fingerprints share some bits; they do not know these. */
const SALT_OF_LOW = randomInt(TWO_TO_32)
const SALT_OF_HIGH = randomInt(TWO_TO_32)

/**
 * Numbers fingerprints from 0 on, in the order in which they come: a hash table without an object for each key, which the collector
 * of garbage has nothing to look through in. What belongs to them lies in lists beside it.
 */
export class FingerprintIndex {
  /** The number of who is there, and 1; 0: nobody. */
  #slots = new Int32Array(FIRST_SLOTS)
  /** Low and high of each, by number. */
  #halves = new Int32Array(2 * FIRST_SLOTS * LOAD_MAX)
  #shift = 32 - FIRST_BITS
  #size = 0

  get size(): number {
    return this.#size
  }

  get bytes(): number {
    return this.#slots.byteLength + this.#halves.byteLength
  }

  /** The number of a fingerprint; -1: it has none. */
  find(low: number, high: number): number {
    return this.#slots[this.#slotOf(low, high)]! - 1
  }

  /** The number of a fingerprint, which gets the next if it has none. */
  add(low: number, high: number): number {
    let slot = this.#slotOf(low, high)
    if (this.#slots[slot] !== 0) return this.#slots[slot]! - 1
    if (this.#size === this.#slots.length * LOAD_MAX) {
      this.#grow()
      slot = this.#slotOf(low, high)
    }
    const number = this.#size++
    this.#halves[2 * number] = low
    this.#halves[2 * number + 1] = high
    this.#slots[slot] = number + 1
    return number
  }

  /** The fingerprint of a number. */
  fingerprint(number: number): IdFingerprint {
    return { low: this.#halves[2 * number]!, high: this.#halves[2 * number + 1]! }
  }

  /** Where the fingerprint is, or belongs. */
  #slotOf(low: number, high: number): number {
    const [slots, halves] = [this.#slots, this.#halves]
    const hash = Math.imul(low ^ SALT_OF_LOW, 0x9e3779b1) ^ Math.imul(high ^ SALT_OF_HIGH, 0x85ebca6b)
    for (let slot = hash >>> this.#shift; ; slot = (slot + 1) & (slots.length - 1)) {
      const at = 2 * (slots[slot]! - 1)
      if (at < 0 || (halves[at] === low && halves[at + 1] === high)) return slot
    }
  }

  #grow(): void {
    const halves = this.#halves
    this.#shift--
    this.#slots = new Int32Array(2 * this.#slots.length)
    this.#halves = new Int32Array(2 * halves.length)
    this.#halves.set(halves)
    for (let number = 0; number < this.#size; number++) {
      this.#slots[this.#slotOf(halves[2 * number]!, halves[2 * number + 1]!)] = number + 1
    }
  }
}
