import { HOUR_MS } from '../../../schemas/durations.ts'
import type { AdEvent, Emission, EmittedSlot, Transaction } from '../../../schemas/records/events.ts'
import { phraseId } from '../../domain/auction/phrase-id.ts'
import { toMicros } from '../../domain/money/money.ts'
import { productPath } from '../catalogue/feed.ts'
import { type Product, priceOf } from '../catalogue/products.ts'
import type { LoadedCampaign } from '../load/display.ts'
import type { DisplayPlan } from '../load/display-plans.ts'
import { type FormatKey, UNIT_ALGORITHMS, type UnitKey, type Units } from '../load/units.ts'
import type { Sequence } from '../sequence.ts'
import type { AuctionWin, Market } from './market.ts'
import { claimsOf, clientOf, type Dated, dated, type Visitor } from './records.ts'

/** Chance that an ad is seen, by its position; the last applies to all further positions. */
const SEEN = [0.97, 0.94, 0.88, 0.74, 0.6]
/** Chance that a viewed ad of average appeal in the first position is clicked. */
const CLICK_CHANCE = 0.025
const BANNER_CLICK_CHANCE = 0.006
/** Chance that a clicked product of 30 euros is bought; more expensive ones are bought less often. */
const BUY_CHANCE = 0.07
const BOT_SHARE = 0.006
const REPEAT_SHARE = 0.008
const DROPPED_LISTED_MAX = 10

/** The shop of the visits, and what fills its ad units. */
export interface VisitedShop {
  shopId: string
  shopUrl: string
  units: Units
  market: Market
  campaignIds: Readonly<Record<string, string>>
  accountOf: (advertiser: string | null) => string
  banners: readonly { plan: DisplayPlan; campaign: LoadedCampaign }[]
  appeal: (groupId: string) => number
  /** Each decides by a probability. */
  decide: Readonly<Record<'click' | 'clickBanner' | 'buy', (probability: number) => boolean>>
}

/** What the history knows about a page. */
export interface PagePlaces {
  units: readonly [UnitKey, number][]
  banner: [UnitKey, FormatKey] | null
  category: string | null
  product?: Product
  /** What was searched for. */
  phrase?: string
}

/** One visit, and the records that the program would have written. */
export class PastVisit {
  readonly records: Dated[] = []
  /** The products whose pages were opened. */
  readonly looked: Product[] = []
  #at: number
  readonly #shop: VisitedShop
  readonly #visitor: Visitor
  readonly #random: Sequence
  readonly #uuid: () => string

  constructor(shop: VisitedShop, visit: { visitor: Visitor; at: number; random: Sequence; uuid: () => string }) {
    this.#shop = shop
    this.#visitor = visit.visitor
    this.#at = visit.at
    this.#random = visit.random
    this.#uuid = visit.uuid
  }

  /** Opens a page with ad units, and clicks some of the ads. */
  page(path: string, places: PagePlaces) {
    this.#wait(15, 80)
    this.#pageView(path, places.product ?? null)
    if (places.banner) this.#banner(places.banner, places.category)
    if (places.units.length > 0) this.#products(places)
  }

  /** Buys products, after `delayHours`. */
  buy(products: readonly Product[], delayHours = 0) {
    const at = this.#at + delayHours * HOUR_MS
    if (this.#random.chance(0.9)) this.#transaction('CART', products, at)
    this.#transaction('PURCHASE', products, at + 120_000)
  }

  wish(product: Product) {
    this.#transaction('WISHLIST', [product], this.#at)
  }

  /** Adds a product to the cart without buying it. */
  hesitate(product: Product) {
    this.#transaction('CART', [product], this.#at)
  }

  #wait(fromSeconds: number, toSeconds: number) {
    this.#at += Math.round(1000 * (fromSeconds + (toSeconds - fromSeconds) * this.#random.next()))
  }

  #received(at: number) {
    return at + 40 + this.#random.index(260)
  }

  #pageView(path: string, product: Product | null) {
    const value = { gclid: null, utmSource: null, utmMedium: null, utmCampaign: null, ...this.#visitor }
    const { shopId, shopUrl } = this.#shop
    const receivedAt = this.#received(this.#at)
    const seen = { id: this.#uuid(), shopId, referer: shopUrl + path, shopProductId: product?.id ?? null }
    this.records.push(dated.pageView({ ...value, ...seen, occurredAt: this.#at, receivedAt, proof: 'ANONYMOUS' }))
  }

  #products({ units, category, phrase }: PagePlaces) {
    const { market } = this.#shop
    const filled = units.map(([unit, places]) => ({ unit, ...market.choose({ category, places, at: this.#at }) }))
    const shown = new Set<string>()
    for (const slot of filled) {
      // No product twice on one page.
      slot.wins = slot.wins.filter(({ offer }) => !shown.has(offer.dedupeKey) && shown.add(offer.dedupeKey))
    }
    const emission = this.#emission(
      'SPONSORED',
      filled.map((slot) => this.#productSlot(slot)),
      phrase,
    )
    for (const [slot, { wins }] of filled.entries()) {
      for (const [ad, win] of wins.entries()) this.#productAd(emission, { slot, ad }, win)
    }
  }

  #productSlot(slot: { unit: UnitKey } & ReturnType<Market['choose']>): EmittedSlot {
    const { campaignIds } = this.#shop
    return {
      ...this.#place(slot.unit),
      candidates: slot.candidates,
      shortfall: slot.wins.length === 0 ? 'NO_CANDIDATES' : null,
      ads: slot.wins.map(({ offer, priceMicros }, index) => ({
        campaignId: campaignIds[offer.plan.key]!,
        adId: offer.product.id,
        itemGroupId: offer.product.groupId,
        position: index + 1,
        relevance: offer.relevance,
        predictedClickRate: offer.clickRate,
        bidMicros: offer.bidMicros,
        priceMicros,
        autoPromo: offer.plan.advertiser === null,
      })),
      dropped: slot.outranked.slice(0, DROPPED_LISTED_MAX).map((offer) => ({
        campaignId: campaignIds[offer.plan.key]!,
        adId: offer.product.id,
        relevance: offer.relevance,
        bidMicros: offer.bidMicros,
        reason: 'OUTRANKED',
      })),
    }
  }

  #productAd(emission: Emission, place: { slot: number; ad: number }, win: AuctionWin) {
    const { product, plan } = win.offer
    const claims = claimsOf(emission, { ...place, accountId: this.#shop.accountOf(plan.advertiser) })
    if (!this.#random.chance(SEEN[Math.min(place.ad, SEEN.length - 1)]!)) return
    this.#wait(1, 4)
    this.#event('VIEW', claims)
    const likes = this.#shop.appeal(product.groupId) / (1 + 0.25 * place.ad)
    if (!this.#shop.decide.click(CLICK_CHANCE * likes)) return
    this.#wait(2, 9)
    this.#event('CLICK', claims)
    if (plan.advertiser) this.#shop.market.bill(win, this.#at)
    this.#pageView(productPath(product.id), product)
    this.looked.push(product)
    this.#decide(product)
  }

  #decide(product: Product) {
    if (this.#shop.decide.buy(Math.min(0.2, BUY_CHANCE * (30 / priceOf(product)) ** 1.2))) {
      this.buy([product], this.#random.chance(0.3) ? this.#random.index(90) : 0)
    } else if (this.#random.chance(0.12)) this.hesitate(product)
    else if (this.#random.chance(0.06)) this.wish(product)
  }

  #banner([unit, format]: [UnitKey, FormatKey], category: string | null) {
    const fits = this.#shop.banners.filter(
      ({ plan }) =>
        plan.categoryPaths.length === 0 || plan.categoryPaths.some((path) => category?.startsWith(path) ?? false),
    )
    const best = fits.toSorted((a, b) => b.plan.cpm - a.plan.cpm)[0]
    if (!best) return
    const ad = {
      campaignId: best.campaign.id,
      adId: best.campaign.bannerIds[format],
      itemGroupId: null,
      position: 1,
      relevance: 1,
      predictedClickRate: 1,
      bidMicros: toMicros(best.plan.cpm),
      priceMicros: toMicros(best.plan.cpm),
      autoPromo: false,
    }
    const slot: EmittedSlot = { ...this.#place(unit), candidates: fits.length, shortfall: null, ads: [ad], dropped: [] }
    const emission = this.#emission('DISPLAY', [slot])
    const accountId = this.#shop.accountOf(best.plan.advertiser)
    const claims = claimsOf(emission, { slot: 0, ad: 0, accountId })
    if (!this.#random.chance(0.93)) return
    this.#event('VIEW', claims)
    if (this.#shop.decide.clickBanner(BANNER_CLICK_CHANCE)) this.#event('CLICK', claims)
  }

  #place(unit: UnitKey) {
    const id = this.#shop.units[unit]
    return { slotHash: id, adUnitId: id, algorithm: UNIT_ALGORITHMS[unit] }
  }

  #emission(kind: Emission['kind'], slots: EmittedSlot[], phrase?: string): Emission {
    const { shopId } = this.#shop
    const emission: Emission = {
      requestId: this.#uuid(),
      shopId,
      kind,
      ...this.#visitor,
      occurredAt: this.#at,
      country: 'DE',
      elapsedMicros: 700 + this.#random.index(1_900),
      slots,
      phrases: phrase === undefined ? [] : slots.map(() => phraseId(shopId, { text: phrase, lang: 'en' })),
      lifts: [],
    }
    this.records.push(dated.emission(emission))
    return emission
  }

  #event(type: AdEvent['type'], claims: AdEvent['claims']) {
    const occurredAt = this.#at
    const bot = this.#random.chance(BOT_SHARE)
    const event = {
      type,
      ...this.#visitor,
      occurredAt,
      bot,
      claims,
      proof: 'ANONYMOUS' as const,
      ...clientOf(this.#visitor),
    }
    const times = this.#random.chance(REPEAT_SHARE) ? 2 : 1
    for (let i = 0; i < times; i++) {
      const receivedAt = this.#received(occurredAt) + i * 400
      this.records.push(dated.adEvent({ ...event, eventId: this.#uuid(), receivedAt }))
    }
  }

  #transaction(kind: Transaction['kind'], products: readonly Product[], occurredAt: number) {
    const lines = products.map((product) => ({
      shopProductId: product.id,
      priceMicros: toMicros(priceOf(product)),
      quantity: 1,
      productTitle: product.title,
      brand: product.brand,
      sellerId: product.sellerId,
    }))
    const { shopId } = this.#shop
    const receivedAt = this.#received(occurredAt)
    const value = { eventId: this.#uuid(), kind, shopId, ...this.#visitor, currency: 'EUR', locale: 'en_DE' }
    this.records.push(
      dated.transaction({ ...value, occurredAt, receivedAt, imported: false, lines, proof: 'ANONYMOUS' }),
    )
  }
}
