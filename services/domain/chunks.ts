/** The values in lists of `size`, in order; the last may be shorter. */
export function* chunksOf<T>(values: readonly T[], size: number): Generator<T[]> {
  for (let from = 0; from < values.length; from += size) yield values.slice(from, from + size)
}

/** The values in order, in lists whose sizes add up to at most `sizeMax`; a value that is larger gets a list of its own. */
export function chunksBySize<T>(values: readonly T[], sizeOf: (value: T) => number, sizeMax: number): T[][] {
  const chunks: T[][] = []
  let size = Number.POSITIVE_INFINITY
  for (const value of values) {
    size += sizeOf(value)
    if (size > sizeMax) {
      chunks.push([])
      size = sizeOf(value)
    }
    chunks.at(-1)!.push(value)
  }
  return chunks
}
