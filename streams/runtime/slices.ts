import { setImmediate as turn } from 'node:timers/promises'

/** Items per slice. With the usual work per record, a slice takes a few milliseconds. */
const SLICE = 250

let last: Promise<unknown> = Promise.resolve()
let lastSpare: Promise<unknown> = Promise.resolve()

/**
 * Maps a list in order. The event loop gets a turn between slices, so that a long list does not block it. Lists are mapped one after the
 * other: if several took turns, all of them would be done late, and then the engines would be asked for all of them at once.
 */
export function inSlices<T, R>(list: readonly T[], work: (each: T) => R): Promise<R[]> {
  const mapped = last.then(() => mapSlices(list, work, turn))
  last = mapped.catch(() => {})
  return mapped
}

/** As `inSlices`, but whenever one of its lists waits, it comes first. */
export function inSpareSlices<T, R>(list: readonly T[], work: (each: T) => R): Promise<R[]> {
  const spareTurn = async () => {
    await turn()
    await last
  }
  const mapped = lastSpare.then(spareTurn).then(() => mapSlices(list, work, spareTurn))
  lastSpare = mapped.catch(() => {})
  return mapped
}

async function mapSlices<T, R>(
  list: readonly T[],
  work: (each: T) => R,
  between: () => Promise<unknown>,
): Promise<R[]> {
  const results: R[] = []
  for (let from = 0; from < list.length; from += SLICE) {
    if (from > 0) await between()
    const to = Math.min(from + SLICE, list.length)
    for (let i = from; i < to; i++) results.push(work(list[i]!))
  }
  return results
}
