/**
 * "Others also bought", from baskets. A product's list is picked greedily: each pick is the product found in most of its
 * baskets, where a basket that already holds an earlier pick counts less. The list as a whole thus predicts what a shopper
 * takes next, rather than each entry by itself (greedy maximum coverage: Nemhauser, Wolsey, Fisher 1978).
 */

/** Products in one list. */
export const LIST_LENGTH_MAX = 50
/** Only this many lines of a basket count: an order of hundreds of products says little about each pair. */
export const BASKET_LINES_MAX = 100
/** Only this many of a product's latest baskets count, which bounds the work for a bestseller. */
const BASKETS_PER_PRODUCT_MAX = 5_000
/** Products considered for one list, by how often they were bought together. */
const CANDIDATES_MAX = 200
/** This many bestsellers fill up the lists of products with little evidence. */
const POPULAR_MAX = 100
/** Age at which a basket counts half. Long, because what is bought together changes slowly. */
const HALF_LIFE_MS = 365 * 86_400_000
/** A basket of n products weighs (n - 1)^-0.5: between counting each pair and counting each basket once. */
const SIZE_EXPONENT = -0.5
/** The share of its weight that a basket keeps after a pick that it holds. */
const COVERED_KEEPS = 0.7
/** Weight of "bought by anyone", against one basket of two products bought now. */
const POPULARITY_WEIGHT = 2

export interface OrderBasket {
  /** UTC epoch milliseconds. */
  occurredAt: number
  /** Feed ids. */
  items: readonly string[]
}

export interface AlsoBoughtList {
  id: string
  alsoBought: { id: string; score: number }[]
}

/**
 * Yields the list of every product found in a basket, so that the caller can let others work in between. The time grows with
 * the sum of the squared lengths of the baskets; the limits above bound it.
 * @param now UTC epoch milliseconds that ages are counted from.
 */
export function* alsoBought(baskets: readonly OrderBasket[], now: number): Generator<AlsoBoughtList> {
  const history = index(baskets, now)
  const work = { scores: new Float64Array(history.ids.length), slots: new Int32Array(history.ids.length).fill(-1) }
  for (let product = 0; product < history.ids.length; product++) {
    const picks = pick(product, history, work)
    const best = picks[0]?.value ?? 1
    yield {
      id: history.ids[product]!,
      alsoBought: picks.map(({ product, value }) => ({ id: history.ids[product]!, score: value / best })),
    }
  }
}

interface History {
  ids: string[]
  /** The distinct products of each basket, and the basket's weight. */
  lines: Int32Array[]
  weights: Float64Array
  /** Baskets of each product, latest first. */
  basketsOf: number[][]
  popular: { product: number; weight: number }[]
}

function index(baskets: readonly OrderBasket[], now: number): History {
  const numbers = new Map<string, number>()
  const basketsOf: number[][] = []
  const lines: Int32Array[] = []
  const latestFirst = [...baskets].sort((a, b) => b.occurredAt - a.occurredAt)
  const weights = new Float64Array(latestFirst.length)
  const bought: number[] = []
  latestFirst.forEach((basket, b) => {
    const items = [...new Set(basket.items)].slice(0, BASKET_LINES_MAX).map((id) => {
      let product = numbers.get(id)
      if (product === undefined) {
        product = numbers.size
        numbers.set(id, product)
        basketsOf.push([])
        bought.push(0)
      }
      return product
    })
    lines.push(Int32Array.from(items))
    const recency = 2 ** (-Math.max(0, now - basket.occurredAt) / HALF_LIFE_MS)
    weights[b] = items.length > 1 ? recency * (items.length - 1) ** SIZE_EXPONENT : 0
    for (const product of items) {
      bought[product]! += recency
      const own = basketsOf[product]!
      if (items.length > 1 && own.length < BASKETS_PER_PRODUCT_MAX) own.push(b)
    }
  })
  const total = bought.reduce((sum, weight) => sum + weight, 0)
  const popular = bought
    .map((weight, product) => ({ product, weight: (POPULARITY_WEIGHT * weight) / total }))
    .sort((a, b) => b.weight - a.weight || a.product - b.product)
    .slice(0, POPULAR_MAX)
  return { ids: [...numbers.keys()], lines, weights, basketsOf, popular }
}

/** `scores` is all 0 and `slots` all -1 between calls. */
interface Work {
  scores: Float64Array
  slots: Int32Array
}

function pick(product: number, history: History, work: Work): { product: number; value: number }[] {
  const baskets = history.basketsOf[product]!
  const candidates = rankCandidates(product, history, work)
  candidates.forEach(({ product }, slot) => {
    work.slots[product] = slot
  })
  const values = Float64Array.from(candidates, (c) => c.value)
  const containing: number[][] = candidates.map(() => [])
  const weights = baskets.map((b) => history.weights[b]!)
  baskets.forEach((b, at) => {
    for (const other of history.lines[b]!) if (work.slots[other]! >= 0) containing[work.slots[other]!]!.push(at)
  })

  const picks: { product: number; value: number }[] = []
  while (picks.length < Math.min(LIST_LENGTH_MAX, candidates.length)) {
    let best = 0
    for (let slot = 1; slot < values.length; slot++) if (values[slot]! > values[best]!) best = slot
    picks.push({ product: candidates[best]!.product, value: Math.max(values[best]!, Number.MIN_VALUE) })
    for (const at of containing[best]!) {
      const covered = weights[at]! * (1 - COVERED_KEEPS)
      weights[at]! -= covered
      for (const other of history.lines[baskets[at]!]!) {
        const slot = work.slots[other]!
        if (slot >= 0) values[slot]! -= covered
      }
    }
    values[best] = Number.NEGATIVE_INFINITY
  }
  for (const { product } of candidates) work.slots[product] = -1
  return picks
}

/** The products bought most together with one, filled up with the most popular; best first. */
function rankCandidates(product: number, history: History, { scores }: Work): { product: number; value: number }[] {
  const touched: number[] = []
  const add = (other: number, weight: number) => {
    if (scores[other] === 0) touched.push(other)
    scores[other]! += weight
  }
  for (const b of history.basketsOf[product]!) {
    for (const other of history.lines[b]!) if (other !== product) add(other, history.weights[b]!)
  }
  for (const { product: other, weight } of history.popular) if (other !== product) add(other, weight)
  const ranked = touched.map((other) => ({ product: other, value: scores[other]! }))
  for (const other of touched) scores[other] = 0
  return ranked.sort((a, b) => b.value - a.value || a.product - b.product).slice(0, CANDIDATES_MAX)
}
