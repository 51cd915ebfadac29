/** A set of document numbers, as an ascending list. Functions return a new list or one of their arguments. */
export type Docs = Int32Array<ArrayBufferLike>

const NO_DOCS: Docs = new Int32Array(0)

/** From this ratio of lengths on, a binary search for each entry of the shorter list is faster than walking both. */
export const LOOKUP_RATIO = 16

export function intersect(a: Docs, b: Docs): Docs {
  const out = new Int32Array(Math.min(a.length, b.length))
  let length = 0
  if (Math.max(a.length, b.length) > LOOKUP_RATIO * out.length) {
    forEachCommon(a, b, (at) => {
      out[length++] = a[at]!
    })
    return out.subarray(0, length)
  }
  // `forEachCommon` would spend most of the time on calls.
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const difference = a[i]! - b[j]!
    if (difference === 0) out[length++] = a[i]!
    if (difference <= 0) i++
    if (difference >= 0) j++
  }
  return out.subarray(0, length)
}

/** Calls back for each document in both lists, ascending, with its index in either. */
export function forEachCommon(a: Docs, b: Docs, found: (atA: number, atB: number) => void): void {
  if (a.length * LOOKUP_RATIO < b.length) {
    for (let i = 0, j = 0; i < a.length; i++) {
      j = lowerBound(b, a[i]!, j)
      if (b[j] === a[i]) found(i, j)
    }
  } else if (b.length * LOOKUP_RATIO < a.length) {
    for (let i = 0, j = 0; j < b.length; j++) {
      i = lowerBound(a, b[j]!, i)
      if (a[i] === b[j]) found(i, j)
    }
  } else {
    for (let i = 0, j = 0; i < a.length && j < b.length; ) {
      const difference = a[i]! - b[j]!
      if (difference === 0) found(i++, j++)
      else if (difference < 0) i++
      else j++
    }
  }
}

/** The documents in at least `least` of the lists. */
export function inAtLeast(least: number, lists: readonly Docs[]): Docs {
  if (lists.length < least) return NO_DOCS
  if (least === lists.length && least > 0) return intersectAll(lists)
  if (lists.length === 1) return lists[0]!
  const total = lists.reduce((sum, list) => sum + list.length, 0)
  const size = lists.reduce((max, list) => Math.max(max, (list.at(-1) ?? -1) + 1), 0)
  return total * COUNTING_RATIO < size ? sorted(least, lists, total) : counted(least, lists, size)
}

/** Below this share of all documents, sorting the entries is faster than counting over all documents. */
const COUNTING_RATIO = 32

function counted(least: number, lists: readonly Docs[], size: number): Docs {
  const counts = new Uint16Array(size)
  for (const list of lists) for (let at = 0; at < list.length; at++) counts[list[at]!]!++
  const out = new Int32Array(size)
  let length = 0
  for (let doc = 0; doc < size; doc++) if (counts[doc]! >= least) out[length++] = doc
  return out.subarray(0, length)
}

function sorted(least: number, lists: readonly Docs[], total: number): Docs {
  const all = new Int32Array(total)
  let filled = 0
  for (const list of lists) {
    all.set(list, filled)
    filled += list.length
  }
  all.sort()
  let length = 0
  for (let at = 0; at < total; ) {
    let next = at + 1
    while (next < total && all[next] === all[at]) next++
    if (next - at >= least) all[length++] = all[at]!
    at = next
  }
  return all.subarray(0, length)
}

export const includes = (docs: Docs, doc: number): boolean => docs[lowerBound(docs, doc, 0)] === doc

export const union = (lists: readonly Docs[]): Docs => inAtLeast(1, lists)

/** @param lists at least one. */
export function intersectAll(lists: readonly Docs[]): Docs {
  const [fewest, ...others] = [...lists].sort((a, b) => a.length - b.length)
  return others.reduce((found, list) => intersect(found, list), fewest!)
}

/** First index at or after `from` whose value is not below `doc`, by galloping and then binary search. */
export function lowerBound(docs: Docs, doc: number, from: number): number {
  let step = 1
  let low = from
  while (low + step < docs.length && docs[low + step]! < doc) {
    low += step
    step *= 2
  }
  let high = Math.min(low + step, docs.length)
  while (low < high) {
    const middle = (low + high) >>> 1
    if (docs[middle]! < doc) low = middle + 1
    else high = middle
  }
  return low
}
