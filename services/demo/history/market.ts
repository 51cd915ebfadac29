import { DAY_MS } from '../../../schemas/durations.ts'
import { auction, type Bid } from '../../domain/auction/auction.ts'
import { toMicros } from '../../domain/money/money.ts'
import { type Product, priceOf } from '../catalogue/products.ts'
import { SELLERS } from '../catalogue/range.ts'
import type { SponsoredPlan } from '../load/sponsored.ts'
import type { Sequence } from '../sequence.ts'

export const RESERVE_CPC = 0.32

/** A candidate for a slot, as the program's auction takes it. */
export interface Offer extends Bid {
  plan: SponsoredPlan
  product: Product
  relevance: number
  clickRate: number
}

export interface AuctionWin {
  offer: Offer
  priceMicros: number
}

/** Runs the program's auction at a time in the past, with the campaigns of that time. */
export interface Market {
  /** @param category path that products must be in; null for any. */
  choose(wanted: { category: string | null; places: number; at: number }): {
    wins: AuctionWin[]
    candidates: number
    outranked: Offer[]
  }
  /** Charges the price of a click to the campaign's budget. */
  bill(win: AuctionWin, at: number): void
}

export interface MarketDeps {
  products: readonly Product[]
  plans: readonly SponsoredPlan[]
  /** How much shoppers like a product group; 1 is average. */
  appeal: (groupId: string) => number
  random: Sequence
  now: number
}

export function createMarket({ products, plans, appeal, random, now }: MarketDeps): Market {
  const stock = new Map(plans.map((plan) => [plan.key, onePerGroup(products.filter((p) => isPromoted(plan, p)))]))
  const spent = new Map<string, number>()
  const dayOf = (at: number) => Math.floor(at / DAY_MS)

  function mayRun(plan: SponsoredPlan, at: number): boolean {
    const day = (at - now) / DAY_MS
    if (day < plan.startDay || day >= (plan.pausedDay ?? plan.endDay ?? 0)) return false
    if (!plan.advertiser) return true
    const today = spent.get(`${plan.key}/${dayOf(at)}`) ?? 0
    // Budget for one click is left to whoever tries the demo.
    const hasMoney = (spent.get(plan.key) ?? 0) + 2 * plan.cpc <= plan.budget
    return hasMoney && (plan.dailyBudget === undefined || today + plan.cpc <= plan.dailyBudget)
  }

  function offerOf(plan: SponsoredPlan, product: Product, category: string | null): Offer {
    const exact = category !== null && product.category === category
    const relevance = (exact ? 0.82 : 0.62) + 0.18 * random.next()
    const clickRate = 0.004 * appeal(product.groupId)
    return {
      plan,
      product,
      relevance,
      clickRate,
      campaignId: plan.key,
      dedupeKey: product.groupId,
      quality: relevance * clickRate,
      bidMicros: toMicros(plan.cpc),
      tie: random.next(),
    }
  }

  return {
    choose({ category, places, at }) {
      const offers = plans
        .filter((plan) => mayRun(plan, at))
        .flatMap((plan) =>
          stock
            .get(plan.key)!
            .filter((product) => category === null || isIn(product, category))
            .map((product) => offerOf(plan, product, category)),
        )
      const [paid, own] = [offers.filter(({ plan }) => plan.advertiser), offers.filter(({ plan }) => !plan.advertiser)]
      const first = auction(paid, {
        places,
        reserveMicros: toMicros(RESERVE_CPC),
        taken: new Set(),
        pricing: 'SECOND_PRICE',
      })
      const taken = new Set(first.won.map(({ bid }) => bid.dedupeKey))
      const filled = auction(own, {
        places: places - first.won.length,
        reserveMicros: 0,
        taken,
        pricing: 'SECOND_PRICE',
      })
      const wins = [...first.won, ...filled.won].map(({ bid, priceMicros }) => ({ offer: bid, priceMicros }))
      return { wins, candidates: offers.length, outranked: first.lost.map(({ bid }) => bid) }
    },
    bill({ offer, priceMicros }, at) {
      for (const key of [offer.plan.key, `${offer.plan.key}/${dayOf(at)}`]) {
        spent.set(key, (spent.get(key) ?? 0) + priceMicros / 1e6)
      }
    },
  }
}

const isIn = (product: Product, category: string) =>
  product.category === category || product.category.startsWith(`${category} > `)

function isPromoted({ advertiser, rule }: SponsoredPlan, product: Product): boolean {
  const { categoryPaths, brands, sellerIds, priceMax } = rule
  const seller = SELLERS.find(({ id }) => id === product.sellerId)
  return (
    product.available &&
    (advertiser === null || seller?.id === `seller-${advertiser}`) &&
    (categoryPaths?.some((path) => isIn(product, path)) ?? true) &&
    (brands?.includes(product.brand) ?? true) &&
    (sellerIds?.includes(product.sellerId) ?? true) &&
    (priceMax === undefined || priceOf(product) <= priceMax)
  )
}

const onePerGroup = (products: readonly Product[]) => [...new Map(products.map((p) => [p.groupId, p])).values()]
