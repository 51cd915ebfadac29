/**
 * How much more often than usual a product is clicked after some words: its responses (clicks, and purchases after them) over those
 * that its place on the page, its own click rate and the phrase's lead to expect (clicks over expected clicks: Zhang, Jones:
 * Comparing Click Logs and Editorial Labels for Training Query Rewriting, 2007), both smoothed.
 */

/** Below this many clicks of a shop in the window nothing is learnt: the figures are still chance. */
export const SHOP_CLICKS_MIN = 200
/** Of a phrase. */
export const PHRASE_CLICKS_MIN = 10
/** The phrases of a shop that are clicked most. */
export const PHRASES_MAX = 5_000
/** Of a phrase, by views. */
export const PRODUCTS_MAX = 50
/** A purchase tells as much as this many clicks. */
export const PURCHASE_RESPONSES = 3
/** Places further down count as the last one. */
export const POSITIONS_MAX = 20

/**
 * Responses that are assumed to be as expected: at a place, of a product whatever the words, and of a product after some words. Few
 * of the last, since the words then say more than the product alone. `test/streams/phrase-lifts/simulation.ts` compares others.
 */
const PLACE_PRIOR = 10
const PRODUCT_PRIOR = 30
const PHRASE_PRIOR = 3
/** What somebody may gain who clicks for their own products stays bounded. */
const LIFT_MAX = 3
const LIFT_MIN = 1 / LIFT_MAX
/** Smaller ones change too little. */
const NOTICEABLE = 1.1
const LIFTS_MAX = 20

export interface PlaceTotals {
  /** 1 is the first place of a slot. */
  position: number
  views: number
  responses: number
}

/** A product, after one phrase or all. */
export interface Responses {
  id: string
  responses: number
  /** By the places that it was seen at. */
  expected: number
}

/** Responses to one view at each place, from the first on. */
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
  // What holds for all products of a phrase does not change their order.
  const scale = responses / expected
  return products
    .map((each) => ({ id: each.id, lift: clamped(ratio(each.responses, usual(each) * scale, PHRASE_PRIOR)) }))
    .filter(({ lift }) => Math.max(lift, 1 / lift) >= NOTICEABLE)
    .sort((a, b) => Math.abs(Math.log(b.lift)) - Math.abs(Math.log(a.lift)) || (a.id < b.id ? -1 : 1))
    .slice(0, LIFTS_MAX)
}

const ratio = (responses: number, expected: number, prior: number): number => (responses + prior) / (expected + prior)

const clamped = (lift: number): number => Math.min(LIFT_MAX, Math.max(LIFT_MIN, lift))
