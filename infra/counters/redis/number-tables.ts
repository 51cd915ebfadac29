import type { IdFingerprint } from '../fingerprint.ts'
import { FingerprintIndex } from '../fingerprint-index.ts'

const TWO_TO_32 = 2 ** 32
const FIRST_KEYS = 8

/** Whole numbers from 0 on, in a fraction of the memory of a Set. */
export class NumberSet {
  readonly #index = new FingerprintIndex()

  get bytes(): number {
    return this.#index.bytes
  }

  has(number: number): boolean {
    return this.#index.find(number | 0, Math.floor(number / TWO_TO_32)) >= 0
  }

  add(number: number): void {
    this.#index.add(number | 0, Math.floor(number / TWO_TO_32))
  }
}

/** The same number of counters for each fingerprint, in a fraction of the memory of a Map of lists. */
export class CountTable {
  /** How many counters a fingerprint has. */
  readonly width: number
  /** The counters of a fingerprint begin where `find` says. */
  counts: Float64Array
  readonly #index = new FingerprintIndex()

  constructor(width: number) {
    this.width = width
    this.counts = new Float64Array(FIRST_KEYS * width)
  }

  get size(): number {
    return this.#index.size
  }

  /** Where the counters of a fingerprint begin; below 0 when it has none. */
  find({ low, high }: IdFingerprint): number {
    return this.#index.find(low, high) * this.width
  }

  /** Sets the counters of a fingerprint to the values that begin at `from`. @returns where its counters begin now. */
  set({ low, high }: IdFingerprint, values: Float64Array, from: number): number {
    const at = this.#index.add(low, high) * this.width
    if (at === this.counts.length) {
      const counts = this.counts
      this.counts = new Float64Array(2 * counts.length)
      this.counts.set(counts)
    }
    for (let i = 0; i < this.width; i++) this.counts[at + i] = values[from + i]!
    return at
  }
}
