import { type IdFingerprint, slotHash } from './fingerprint.ts'

const FIRST_BITS = 4
const FIRST_SLOTS = 2 ** FIRST_BITS
/** Whoever meets another fingerprint goes on to the next slot. */
const LOAD_MAX = 0.5

/**
 * Values by fingerprint, of which none is undefined. A Map would need a number or a text for each key, and hash that once more.
 */
export class FingerprintMap<Value> {
  #low = new Int32Array(FIRST_SLOTS)
  #high = new Int32Array(FIRST_SLOTS)
  #values: (Value | undefined)[] = new Array(FIRST_SLOTS).fill(undefined)
  #shift = 32 - FIRST_BITS
  #size = 0

  get size(): number {
    return this.#size
  }

  get({ low, high }: IdFingerprint): Value | undefined {
    return this.#values[this.#slotOf(low, high)]
  }

  set({ low, high }: IdFingerprint, value: Value): void {
    let slot = this.#slotOf(low, high)
    if (this.#values[slot] === undefined) {
      if (this.#size >= this.#values.length * LOAD_MAX) {
        this.#grow()
        slot = this.#slotOf(low, high)
      }
      this.#size++
      this.#low[slot] = low
      this.#high[slot] = high
    }
    this.#values[slot] = value
  }

  /** Where the fingerprint is, or belongs. */
  #slotOf(low: number, high: number): number {
    const values = this.#values
    const last = values.length - 1
    for (let slot = slotHash(low, high) >>> this.#shift; ; slot = (slot + 1) & last) {
      if (values[slot] === undefined || (this.#low[slot] === low && this.#high[slot] === high)) return slot
    }
  }

  #grow(): void {
    const [lows, highs, values] = [this.#low, this.#high, this.#values]
    const slots = 2 * values.length
    this.#shift--
    this.#low = new Int32Array(slots)
    this.#high = new Int32Array(slots)
    this.#values = new Array(slots).fill(undefined)
    for (let i = 0; i < values.length; i++) {
      if (values[i] === undefined) continue
      const slot = this.#slotOf(lows[i]!, highs[i]!)
      this.#low[slot] = lows[i]!
      this.#high[slot] = highs[i]!
      this.#values[slot] = values[i]
    }
  }
}
