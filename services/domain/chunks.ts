/** The values in lists of `size`, in order; the last may be shorter. */
export function* chunksOf<T>(values: readonly T[], size: number): Generator<T[]> {
  for (let from = 0; from < values.length; from += size) yield values.slice(from, from + size)
}

/** The values in lists whose sizes add up to no more than `sizeMax`, in order; a value that is larger is a list of its own. */
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
