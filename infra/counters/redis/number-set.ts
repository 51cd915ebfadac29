const FIRST_SLOTS = 64
const LOAD_MAX = 0.5
const EMPTY = -1

/** Whole numbers from 0 on, whose low bits are spread as evenly as those of a hash: 8 to 32 bytes each, where a Set takes more. */
export class NumberSet {
  #slots = new Float64Array(FIRST_SLOTS).fill(EMPTY)
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
    for (let slot = (number >>> 0) & last; ; slot = (slot + 1) & last) {
      if (slots[slot] === EMPTY || slots[slot] === number) return slot
    }
  }

  #grow(): void {
    const numbers = this.#slots
    this.#slots = new Float64Array(2 * numbers.length).fill(EMPTY)
    for (const number of numbers) if (number !== EMPTY) this.#slots[this.#slotOf(number)] = number
  }
}
