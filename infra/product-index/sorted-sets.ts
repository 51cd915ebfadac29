/** Sets of document numbers as ascending lists without repeats. Results are new lists or one of those given. */
export type Docs = Int32Array<ArrayBufferLike>

export const NO_DOCS: Docs = new Int32Array(0)

/** From this ratio of lengths on, looking each of the few up in the many is cheaper than walking both. */
const LOOKUP_RATIO = 16

export function intersect(a: Docs, b: Docs): Docs {
  const [few, many] = a.length <= b.length ? [a, b] : [b, a]
  const out = new Int32Array(few.length)
  let length = 0
  if (few.length * LOOKUP_RATIO < many.length) {
    let from = 0
    for (const doc of few) {
      from = lowerBound(many, doc, from)
      if (many[from] === doc) out[length++] = doc
    }
  } else {
    for (let i = 0, j = 0; i < few.length && j < many.length; ) {
      const [x, y] = [few[i]!, many[j]!]
      if (x === y) out[length++] = x
      if (x <= y) i++
      if (y <= x) j++
    }
  }
  return out.subarray(0, length)
}

/** Documents that stand in at least `least` of the lists. */
export function inAtLeast(least: number, lists: readonly Docs[]): Docs {
  if (lists.length < least) return NO_DOCS
  if (least === lists.length && least > 0) return intersectAll(lists)
  if (lists.length === 1) return lists[0]!
  const total = lists.reduce((sum, list) => sum + list.length, 0)
  const all = new Int32Array(total)
  let at = 0
  for (const list of lists) {
    all.set(list, at)
    at += list.length
  }
  all.sort()
  let length = 0
  for (let i = 0; i < total; ) {
    let next = i + 1
    while (next < total && all[next] === all[i]) next++
    if (next - i >= least) all[length++] = all[i]!
    i = next
  }
  return all.subarray(0, length)
}

export const union = (lists: readonly Docs[]): Docs => inAtLeast(1, lists)

/** At least one list. */
export function intersectAll(lists: readonly Docs[]): Docs {
  const [fewest, ...others] = [...lists].sort((a, b) => a.length - b.length)
  return others.reduce((found, list) => intersect(found, list), fewest!)
}

/** First index at or after `from` whose value is not below `doc`: gallops, then halves. */
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
