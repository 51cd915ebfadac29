import type { IdFingerprint } from '../fingerprint.ts'

const FIRST_BYTES = 4_096
const NUMBER_BYTES = 2

/**
 * Arguments of a script in one string, because a separate argument costs Redis and the client more than its content. The string
 * holds numbers of 16 bits, low byte first, words after their length in bytes, and bytes of a known length.
 */
export class PackedArguments {
  #buffer = Buffer.allocUnsafe(FIRST_BYTES)
  #length = 0

  /** @param value from 0 to 65,535. */
  number(value: number): void {
    this.#length = this.#room(NUMBER_BYTES).writeUInt16LE(value, this.#length)
  }

  word(text: string): void {
    const bytes = Buffer.byteLength(text)
    this.number(bytes)
    this.#length += this.#room(bytes).write(text, this.#length)
  }

  /** The 48 bits of a fingerprint that a field holds. */
  field({ low, high }: IdFingerprint): void {
    this.#length = this.#room(6).writeInt32LE(low, this.#length)
    this.number(high & 0xffff)
  }

  /** The entry of a tally block: 40 bits of a fingerprint, the number of the counter, and the amount that raises it. */
  tally({ low, high }: IdFingerprint, count: number, amount: number): void {
    this.#length = this.#room(4).writeInt32LE(low, this.#length)
    this.#length = this.#room(1).writeUInt8(high & 0xff, this.#length)
    this.#length = this.#room(1).writeUInt8(count, this.#length)
    this.number(amount)
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  /** The buffer, with room for this many more bytes. */
  #room(bytes: number): Buffer {
    const needed = this.#length + bytes
    if (needed > this.#buffer.length) {
      const wider = Buffer.allocUnsafe(2 * needed)
      this.#buffer.copy(wider, 0, 0, this.#length)
      this.#buffer = wider
    }
    return this.#buffer
  }
}
