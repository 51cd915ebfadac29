/**
 * How much more often than usual a product is clicked after some words: its responses (clicks, and purchases after them) over its
 * expected responses, both smoothed. What is expected follows from its place on the page, its own click rate and that of the phrase
 * (clicks over expected clicks: Zhang, Jones: Comparing Click Logs and Editorial Labels for Training Query Rewriting, 2007).
 */

/** Below this many clicks of a shop in the window nothing is learnt: the figures are still chance. */
export const SHOP_CLICKS_MIN = 200
/** Below this many clicks of a phrase in the window nothing is learnt about it. */
export const PHRASE_CLICKS_MIN = 10
/** Phrases of a shop, those with the most clicks. */
export const PHRASES_MAX = 5_000
/** Products of a phrase, those with the most views. */
export const PRODUCTS_MAX = 50
/** A purchase tells as much as this many clicks. */
export const PURCHASE_RESPONSES = 3
/** Places further down count as the last one. */
export const POSITIONS_MAX = 20

/**
 * Priors: how many responses are assumed to be as expected at a place, for a product whatever the words, and for a product after some
 * words. The last is small, since the words say more than the product alone. `test/bench/selection/learning.ts` measures what lifts
 * by them bring.
 */
const PLACE_PRIOR = 10
const PRODUCT_PRIOR = 30
const PHRASE_PRIOR = 3
/** Bounds what somebody may gain who clicks on their own products. */
const LIFT_MAX = 3
const LIFT_MIN = 1 / LIFT_MAX
/** Smaller lifts change too little to be kept. */
const NOTICEABLE = 1.1
const LIFTS_MAX = 20

export interface PlaceTotals {
  /** 1 is the first place of a slot. */
  position: number
  views: number
  responses: number
}

/** The responses to a product, after one phrase or after all. */
export interface Responses {
  id: string
  responses: number
  /** The responses to expect at the places where it was seen. */
  expected: number
}

/** The responses per view at each place, from the first place on. */
export function placeRates(totals: readonly PlaceTotals[]): number[] {
  const views = totals.reduce((sum, each) => sum + each.views, 0)
  const responses = totals.reduce((sum, each) => sum + each.responses, 0)
  const mean = views === 0 ? 0 : responses / views
  const byPosition = new Map(totals.map((each) => [each.position, each]))
  return Array.from({ length: POSITIONS_MAX }, (_, at) => {
    const known = byPosition.get(at + 1) ?? { views: 0, responses: 0 }
    return mean === 0 ? 0 : (known.responses + PLACE_PRIOR) / (known.views + PLACE_PRIOR / mean)
  })
}

/** How good each product is whatever the words: its responses over the expected ones. */
export function strengthsOf(products: readonly Responses[]): ReadonlyMap<string, number> {
  return new Map(products.map(({ id, responses, expected }) => [id, ratio(responses, expected, PRODUCT_PRIOR)]))
}

/**
 * The products of one phrase that are noticeably better or worse after it, those furthest from 1 first.
 * @param strengths of all products of the shop.
 */
export function liftsOf(
  products: readonly Responses[],
  strengths: ReadonlyMap<string, number>,
): { id: string; lift: number }[] {
  const usual = ({ id, expected }: Responses) => expected * (strengths.get(id) ?? 1)
  const responses = products.reduce((sum, each) => sum + each.responses, 0)
  const expected = products.reduce((sum, each) => sum + usual(each), 0)
  if (expected === 0) return []
  // A factor that all products of a phrase share would not change their order, so it is left out of the lifts.
  const scale = responses / expected
  return products
    .map((each) => ({ id: each.id, lift: clamped(ratio(each.responses, usual(each) * scale, PHRASE_PRIOR)) }))
    .filter(({ lift }) => Math.max(lift, 1 / lift) >= NOTICEABLE)
    .sort((a, b) => Math.abs(Math.log(b.lift)) - Math.abs(Math.log(a.lift)) || (a.id < b.id ? -1 : 1))
    .slice(0, LIFTS_MAX)
}

const ratio = (responses: number, expected: number, prior: number): number => (responses + prior) / (expected + prior)

const clamped = (lift: number): number => Math.min(LIFT_MAX, Math.max(LIFT_MIN, lift))
