const FIRST_LENGTH = 64

/**
 * A list of integers of 32 bits, to which more are added. A batch has a hundred thousand of them: in a plain list they take twice as
 * much memory, and the garbage collector copies them while the list grows.
 */
export class IntegerList {
  #integers = new Int32Array(FIRST_LENGTH)
  #length = 0

  get length(): number {
    return this.#length
  }

  at(index: number): number {
    return this.#integers[index]!
  }

  set(index: number, integer: number): void {
    this.#integers[index] = integer
  }

  add(index: number, amount: number): void {
    this.#integers[index]! += amount
  }

  /** @returns the index of the integer. */
  push(integer: number): number {
    if (this.#length === this.#integers.length) {
      const longer = new Int32Array(2 * this.#length)
      longer.set(this.#integers)
      this.#integers = longer
    }
    this.#integers[this.#length] = integer
    return this.#length++
  }

  /** The integers from index `from` up to `to`, which is left out, as of an array. */
  slice(from: number, to: number): number[] {
    const slice = new Array<number>(to - from)
    for (let i = from; i < to; i++) slice[i - from] = this.#integers[i]!
    return slice
  }
}
