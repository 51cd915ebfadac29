import { sequence } from '../../../services/demo/sequence.ts'
import {
  liftsOf,
  PHRASE_CLICKS_MIN,
  placeRates,
  type Responses,
  strengthsOf,
} from '../../../streams/phrase-lifts/lift-model.ts'

/** A shop whose shoppers prefer certain products after certain words, by a factor that only the simulation knows. */
export interface SimulatedShop {
  seed: number
  requestsPerDay: number
  days: number
  /** The standard deviation of the logarithm of the preferences. With 0, words say nothing beyond the product. */
  preference: number
}

/** Where lifts come from: nowhere, the model, or the preferences themselves. */
export type Learning = 'NONE' | 'MODEL' | 'ORACLE'

const PRODUCTS = 600
const PHRASES = 200
const PRODUCTS_PER_PHRASE = 20
const PLACES = 4
/** The probability that an ad of average appeal is clicked in the first place, and the share of it in later places. */
const CLICK_CHANCE = 0.03
const EXAMINED = [1, 0.8, 0.65, 0.5]
const APPEAL_DEVIATION = 0.5
/** As in the auction: the prior click rate, and its weight in clicks. */
const PRIOR_RATE = 0.02
const PRIOR_CLICKS = 2

interface Matching {
  id: string
  product: number
  relevance: number
  bid: number
  preference: number
}
interface Seen {
  views: number[]
  clicks: number[]
}

/** @returns the clicks per request over the second half of the days. */
export function clicksPerRequest(
  { seed, requestsPerDay, days, preference }: SimulatedShop,
  learning: Learning,
): number {
  const random = sequence(seed)
  const normal = () => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
  const appeal = Array.from({ length: PRODUCTS }, () => Math.exp(APPEAL_DEVIATION * normal()))
  const phrases = Array.from({ length: PHRASES }, (): Matching[] => {
    const products = new Set<number>()
    while (products.size < PRODUCTS_PER_PHRASE) products.add(random.index(PRODUCTS))
    return [...products].map((product) => ({
      ...{ id: `p${product}`, product, relevance: 0.5 + 0.5 * random.next(), bid: 0.5 + random.next() },
      preference: Math.exp(preference * normal()),
    }))
  })
  const seen = phrases.map(() => new Map<string, Seen>())
  const own = new Map<string, { views: number; clicks: number }>()
  let lifts: ReadonlyMap<string, number>[] = phrases.map(() => new Map())

  function request(): number {
    const phrase = zipf(random.next())
    const liftOf = ({ id, preference }: Matching) =>
      learning === 'ORACLE' ? preference : (lifts[phrase]!.get(id) ?? 1)
    const rateOf = ({ id }: Matching) => {
      const { views, clicks } = own.get(id) ?? { views: 0, clicks: 0 }
      return (clicks + PRIOR_CLICKS) / (views + PRIOR_CLICKS / PRIOR_RATE)
    }
    const ranked = phrases[phrase]!.map((each) => ({
      each,
      score: each.relevance * each.bid * rateOf(each) * liftOf(each),
    })).sort((a, b) => b.score - a.score)
    let clicks = 0
    for (const [place, { each }] of ranked.slice(0, PLACES).entries()) {
      const clicked = random.chance(CLICK_CHANCE * EXAMINED[place]! * appeal[each.product]! * each.preference)
      note(phrase, each.id, place, clicked)
      if (clicked) clicks++
    }
    return clicks
  }

  function note(phrase: number, id: string, place: number, clicked: boolean): void {
    const total = own.get(id) ?? { views: 0, clicks: 0 }
    own.set(id, total)
    const here = seen[phrase]!.get(id) ?? { views: Array(PLACES).fill(0), clicks: Array(PLACES).fill(0) }
    seen[phrase]!.set(id, here)
    total.views++
    here.views[place]!++
    if (clicked) {
      total.clicks++
      here.clicks[place]!++
    }
  }

  function learn(): void {
    const all = seen.flatMap((products) => [...products.values()])
    const rates = placeRates(
      Array.from({ length: PLACES }, (_, place) => ({
        position: place + 1,
        views: sum(all.map(({ views }) => views[place]!)),
        responses: sum(all.map(({ clicks }) => clicks[place]!)),
      })),
    )
    const byPhrase = seen.map((products) =>
      [...products].map(([id, { views, clicks }]): Responses => {
        return { id, responses: sum(clicks), expected: sum(views.map((count, place) => count * rates[place]!)) }
      }),
    )
    const byProduct = [...Map.groupBy(byPhrase.flat(), ({ id }) => id)].map(([id, parts]) => ({
      id,
      responses: sum(parts.map(({ responses }) => responses)),
      expected: sum(parts.map(({ expected }) => expected)),
    }))
    const strengths = strengthsOf(byProduct)
    lifts = byPhrase.map((products) =>
      sum(products.map(({ responses }) => responses)) < PHRASE_CLICKS_MIN
        ? new Map()
        : new Map(liftsOf(products, strengths).map(({ id, lift }) => [id, lift])),
    )
  }

  let clicks = 0
  for (let day = 0; day < days; day++) {
    const ofDay = sum(Array.from({ length: requestsPerDay }, request))
    if (day >= days / 2) clicks += ofDay
    if (learning === 'MODEL') learn()
  }
  return clicks / (requestsPerDay * Math.floor(days / 2))
}

const shares = Array.from({ length: PHRASES }, (_, rank) => 1 / (rank + 1))
const cumulated = shares.map((_, rank) => sum(shares.slice(0, rank + 1)) / sum(shares))
const zipf = (at: number): number => cumulated.findIndex((upTo) => at < upTo)

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
