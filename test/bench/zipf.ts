/**
 * Draws numbers from 0 up to, but not including, `count`: each number n with a probability in proportion to 1 / (n + 1) (Zipf's law).
 * @param random returns a number in [0, 1).
 */
export function byZipf(count: number, random: () => number): () => number {
  let total = 0
  const totals = Float64Array.from({ length: count }, (_, n) => (total += 1 / (n + 1)))
  return () => {
    const drawn = random() * total
    let [from, to] = [0, count - 1]
    while (from < to) {
      const middle = (from + to) >> 1
      if (totals[middle]! > drawn) to = middle
      else from = middle + 1
    }
    return from
  }
}
