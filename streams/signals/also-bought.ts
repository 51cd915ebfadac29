import { DAY_MS } from '../../schemas/durations.ts'

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
const HALF_LIFE_MS = 365 * DAY_MS
/** A basket of n products weighs (n - 1)^-0.5: between counting each pair and counting each basket once. */
const SIZE_EXPONENT = -0.5
/** The share of its weight that a basket keeps after a pick that it holds. */
const COVERED_KEEPS = 0.7
/** Weight of "bought by anyone", against one basket of two products bought now. */
const POPULARITY_WEIGHT = 2

export interface OrderBasket {
  /** UTC epoch milliseconds. */
  occurredAt: number
  /** Ids of offers, as their feed gives them. */
  items: readonly string[]
}

export interface AlsoBoughtList {
  id: string
  alsoBought: { id: string; score: number }[]
}

/**
 * The orders of a shop, kept so that new orders can be added to those read before. Products are numbered from 0 on, in the order in
 * which they came.
 */
export interface OrderHistory {
  /** Order lines that it holds. */
  readonly lines: number
  readonly ids: readonly string[]
  /** Adds orders, which are newer than those before; a few may be older. @returns their products, whose lists must be made again. */
  add(orders: readonly OrderBasket[]): ReadonlySet<number>
  /** The list of a product. The time that it takes grows with the sum of the squared lengths of its orders; the limits above bound it. */
  listOf(product: number): Pick[]
}

export interface Pick {
  product: number
  /** In (0, 1]. */
  score: number
}

interface History {
  ids: string[]
  /** The distinct products of all baskets, one basket after the other; where each basket begins among them; and its weight. */
  items: number[]
  starts: number[]
  weights: number[]
  /** For each product, its baskets that hold other products too, oldest first. */
  basketsOf: number[][]
  /** How often each product was bought, weighted by recency. */
  bought: number[]
  popular: { product: number; weight: number }[]
}

/**
 * The lists of every product of some baskets.
 * @param now UTC epoch milliseconds that ages are counted from.
 */
export function* alsoBought(baskets: readonly OrderBasket[], now: number): Generator<AlsoBoughtList> {
  const history = createOrderHistory(baskets, now)
  const { ids } = history
  for (const product of ids.keys()) {
    const list = history.listOf(product).map(({ product, score }) => ({ id: ids[product]!, score }))
    yield { id: ids[product]!, alsoBought: list }
  }
}

/** @param now UTC epoch milliseconds that ages are counted from at first. Once later orders are added, ages count from the latest. */
export function createOrderHistory(baskets: readonly OrderBasket[], now: number): OrderHistory {
  const history: History = { ids: [], items: [], starts: [0], weights: [], basketsOf: [], bought: [], popular: [] }
  const { ids, items, starts, weights, basketsOf, bought } = history
  const numbers = new Map<string, number>()
  const work: Work = { scores: [], slots: [] }
  let latest = now

  function numberOf(id: string): number {
    const known = numbers.get(id)
    if (known !== undefined) return known
    const product = ids.push(id) - 1
    numbers.set(id, product)
    basketsOf.push([])
    bought.push(0)
    work.scores.push(0)
    work.slots.push(-1)
    return product
  }

  function addOne({ occurredAt, items: bag }: OrderBasket): number[] {
    const products = distinct(bag).map(numberOf)
    // Relative to an order at `now`: a later order weighs more than 1.
    const recency = 2 ** (Math.min(occurredAt - now, latest - now) / HALF_LIFE_MS)
    const basket = weights.push(products.length > 1 ? recency * (products.length - 1) ** SIZE_EXPONENT : 0) - 1
    items.push(...products)
    starts.push(items.length)
    for (const product of products) {
      bought[product]! += recency
      if (products.length > 1) noteBasket(basketsOf[product]!, basket)
    }
    return products
  }

  function noteBasket(own: number[], basket: number): void {
    own.push(basket)
    if (own.length > 2 * BASKETS_PER_PRODUCT_MAX) own.splice(0, BASKETS_PER_PRODUCT_MAX)
  }

  function add(orders: readonly OrderBasket[]): Set<number> {
    const touched = new Set<number>()
    for (const order of orders.toSorted((a, b) => a.occurredAt - b.occurredAt)) {
      for (const product of addOne(order)) touched.add(product)
    }
    history.popular = mostPopular(bought, 2 ** ((latest - now) / HALF_LIFE_MS))
    return touched
  }

  // Between equals the lower number wins, so the products that were bought last are numbered first.
  for (const { items: bag } of baskets.toSorted((a, b) => b.occurredAt - a.occurredAt)) distinct(bag).forEach(numberOf)
  add(baskets)
  return {
    get lines() {
      return items.length
    },
    ids,
    add(orders) {
      for (const { occurredAt } of orders) latest = Math.max(latest, occurredAt)
      return add(orders)
    },
    listOf(product) {
      const picks = pick(product, history, work)
      const best = picks[0]?.value ?? 1
      return picks.map((each) => ({ product: each.product, score: each.value / best }))
    },
  }
}

const distinct = (items: readonly string[]) => [...new Set(items)].slice(0, BASKET_LINES_MAX)

/** The most popular products, weighted against one basket of two products bought now, whose recency is `nowWeight`. */
function mostPopular(bought: readonly number[], nowWeight: number): History['popular'] {
  const total = bought.reduce((sum, weight) => sum + weight, 0)
  return bought
    .map((weight, product) => ({ product, weight: (nowWeight * POPULARITY_WEIGHT * weight) / total }))
    .sort((a, b) => b.weight - a.weight || a.product - b.product)
    .slice(0, POPULAR_MAX)
}

/** `scores` is all 0 and `slots` all -1 between calls. */
interface Work {
  scores: number[]
  slots: number[]
}

/** The latest baskets with a product, the latest first. */
function basketsWith(product: number, { basketsOf }: History): number[] {
  return basketsOf[product]!.slice(-BASKETS_PER_PRODUCT_MAX).reverse()
}

function pick(product: number, history: History, work: Work): { product: number; value: number }[] {
  const { items, starts } = history
  const baskets = basketsWith(product, history)
  const candidates = rankCandidates(product, baskets, history, work)
  candidates.forEach(({ product }, slot) => {
    work.slots[product] = slot
  })
  const values = Float64Array.from(candidates, (c) => c.value)
  const containing: number[][] = candidates.map(() => [])
  const weights = baskets.map((b) => history.weights[b]!)
  baskets.forEach((b, at) => {
    for (let i = starts[b]!; i < starts[b + 1]!; i++) {
      const slot = work.slots[items[i]!]!
      if (slot >= 0) containing[slot]!.push(at)
    }
  })

  const picks: { product: number; value: number }[] = []
  while (picks.length < Math.min(LIST_LENGTH_MAX, candidates.length)) {
    let best = 0
    for (let slot = 1; slot < values.length; slot++) if (values[slot]! > values[best]!) best = slot
    picks.push({ product: candidates[best]!.product, value: Math.max(values[best]!, Number.MIN_VALUE) })
    for (const at of containing[best]!) {
      const covered = weights[at]! * (1 - COVERED_KEEPS)
      weights[at]! -= covered
      const b = baskets[at]!
      for (let i = starts[b]!; i < starts[b + 1]!; i++) {
        const slot = work.slots[items[i]!]!
        if (slot >= 0) values[slot]! -= covered
      }
    }
    values[best] = Number.NEGATIVE_INFINITY
  }
  for (const { product } of candidates) work.slots[product] = -1
  return picks
}

/** The products bought together with one most often, filled up with the most popular; best first. */
function rankCandidates(product: number, baskets: readonly number[], history: History, { scores }: Work) {
  const { items, starts, weights } = history
  const touched: number[] = []
  const add = (other: number, weight: number) => {
    if (scores[other] === 0) touched.push(other)
    scores[other]! += weight
  }
  for (const b of baskets) {
    for (let i = starts[b]!; i < starts[b + 1]!; i++) if (items[i] !== product) add(items[i]!, weights[b]!)
  }
  for (const { product: other, weight } of history.popular) if (other !== product) add(other, weight)
  const ranked = touched.map((other) => ({ product: other, value: scores[other]! }))
  for (const other of touched) scores[other] = 0
  return ranked.sort((a, b) => b.value - a.value || a.product - b.product).slice(0, CANDIDATES_MAX)
}
