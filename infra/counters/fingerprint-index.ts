import { randomInt } from 'node:crypto'
import type { IdFingerprint } from './fingerprint.ts'

const FIRST_BITS = 4
const FIRST_SLOTS = 2 ** FIRST_BITS
/** The share of slots that may be taken. A fingerprint that finds its slot taken by another one goes on to the next. */
const LOAD_MAX = 0.5
const TWO_TO_32 = 2 ** 32

/** Shoppers choose their ids and could, in time, find many whose fingerprints share some bits. They do not know these salts. */
const SALT_OF_LOW = randomInt(TWO_TO_32)
const SALT_OF_HIGH = randomInt(TWO_TO_32)

/**
 * Numbers fingerprints from 0 on, in the order in which they are added. It is a hash table without an object for each key, so that
 * the garbage collector has nothing to trace. Values of the fingerprints lie in separate arrays, by these numbers.
 */
export class FingerprintIndex {
  /** For each slot, the number of its fingerprint plus 1; 0 when the slot is free. */
  #slots = new Int32Array(FIRST_SLOTS)
  /** The low and the high half of each fingerprint, by number. */
  #halves = new Int32Array(2 * FIRST_SLOTS * LOAD_MAX)
  #shift = 32 - FIRST_BITS
  #size = 0

  get size(): number {
    return this.#size
  }

  get bytes(): number {
    return this.#slots.byteLength + this.#halves.byteLength
  }

  /** The number of a fingerprint; -1 when it has none. */
  find(low: number, high: number): number {
    return this.#slots[this.#slotOf(low, high)]! - 1
  }

  /** The number of a fingerprint. One without a number gets the next number. */
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

  /** The fingerprint that has a number. */
  fingerprint(number: number): IdFingerprint {
    return { low: this.#halves[2 * number]!, high: this.#halves[2 * number + 1]! }
  }

  /** The slot of the fingerprint, or the free slot where it belongs. */
  #slotOf(low: number, high: number): number {
    const slots = this.#slots
    const halves = this.#halves
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
