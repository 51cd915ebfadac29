/** Pseudo-random numbers in [0, 1). The same seed gives the same demo. */
export interface Sequence {
  next(): number
  /** An integer from 0 up to, but not including, `count`. */
  index(count: number): number
  pick<T>(values: readonly T[]): T
  chance(probability: number): boolean
}

/** Mulberry32 (Tommy Ettinger, 2017): passes the usual tests of randomness, in five lines. */
export function sequence(seed: number): Sequence {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const index = (count: number) => Math.floor(next() * count)
  return { next, index, pick: (values) => values[index(values.length)]!, chance: (p) => next() < p }
}

/**
 * Makes decisions that follow the probabilities closely: it adds them up and says yes each time the sum reaches 1. With
 * independent draws, the sales of two months would differ more by chance than by what changed.
 */
export function steady(random: Sequence): (probability: number) => boolean {
  let due = random.next()
  return (probability) => {
    due += probability
    if (due < 1) return false
    due -= 1
    return true
  }
}
