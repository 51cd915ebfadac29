import type { Matching } from '../matcher.ts'
import type { Docs } from '../sorted-sets.ts'
import type { Fit } from './ranker.ts'
import { type Scored, Top } from './top.ts'
import type { Weights } from './weights.ts'

const NONE: ReadonlySet<number> = new Set()

export interface BestOf {
  matching: Matching
  fit: Fit
  weights: Weights
  /** At least 1. */
  limit: number
  /** Breaks ties. */
  tieOf: (doc: number) => number
  /** Documents to leave out. */
  except?: ReadonlySet<number>
}

/**
 * The best of the matching documents, by weight times relevance, best first.
 *
 * It goes through the rank's lists, shortest first, until no document outside them can be among the best (MaxScore: Turtle, Flood:
 * Query Evaluation, 1995). As soon as the matching documents are fewer than the next list, it goes through those instead.
 */
export function bestOffers({ matching, fit, weights, limit, tieOf, except = NONE }: BestOf): Scored[] {
  const top = new Top(limit)
  /** Considers the documents of a list that are in none of the first `passed` lists. */
  const goThrough = (docs: Docs, passed: number, areMatching: boolean) => {
    const most = fit.most(passed)
    fit.rewind()
    const next = (from: number) => weights.next(docs, from, { most, least: top.least })
    for (let at = next(0); at < docs.length; at = next(at + 1)) {
      const doc = docs[at]!
      if (!areMatching && !matching.isOffered(doc)) continue
      const weight = weights.of(doc)
      if (weight <= 0 || weight * most < top.least) continue
      const relevance = fit.of(doc, top.least / weight, passed)
      const key = weight * relevance
      if (relevance === 0 || key < top.least || except.has(doc)) continue
      if (areMatching || matching.holds(doc)) top.add({ doc, relevance, key, tie: tieOf(doc) })
    }
  }
  const isEnough = (passed: number) => weights.usualMost * fit.most(passed) < top.least
  let passed = 0
  while (!isEnough(passed) && passed < fit.lists.length && fit.lists[passed]!.length < matching.atMost) {
    goThrough(fit.lists[passed]!, passed, false)
    passed++
  }
  if (isEnough(passed)) goThrough(weights.outstanding, passed, false)
  else goThrough(matching.docs(), passed, true)
  return top.sorted()
}
