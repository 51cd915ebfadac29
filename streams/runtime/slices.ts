import { setImmediate as turn } from 'node:timers/promises'

/** Of the usual work on one record, these take some milliseconds. */
const SLICE = 250

/** Maps a list in order; after each slice of it the event loop takes a turn, so that a long list does not hold it. */
export async function inSlices<T, R>(list: readonly T[], work: (each: T) => R): Promise<R[]> {
  const results: R[] = []
  for (let from = 0; from < list.length; from += SLICE) {
    if (from > 0) await turn()
    for (const each of list.slice(from, from + SLICE)) results.push(work(each))
  }
  return results
}
