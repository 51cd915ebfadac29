/** The values in lists of `size`, in order; the last may be shorter. */
export function* chunksOf<T>(values: readonly T[], size: number): Generator<T[]> {
  for (let from = 0; from < values.length; from += size) yield values.slice(from, from + size)
}
