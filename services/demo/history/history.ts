import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../schemas/durations.ts'
import { createUuid } from '../../domain/identity/uuid.ts'
import type { Product } from '../catalogue/products.ts'
import type { LoadedCampaign } from '../load/display.ts'
import { DISPLAY } from '../load/display-plans.ts'
import { HISTORY_DAYS, SPONSORED } from '../load/sponsored.ts'
import type { Units } from '../load/units.ts'
import { type Sequence, sequence, steady } from '../sequence.ts'
import { createMarket } from './market.ts'
import type { Dated, Visitor } from './records.ts'
import { PastVisit, type VisitedShop } from './visit.ts'

const SEED = 28
const RETURNING_SHARE = 0.35
const SIGNED_IN_SHARE = 0.25
/** Share of visits that end with a purchase that no ad was clicked for. */
const ORGANIC_SHARE = 0.011
/** Visits whose records are handed over together. */
const BATCH_VISITS = 250

/** About 48,000 views and clicks. */
export const VISITS = 4_200

export interface PastShop {
  shopId: string
  shopUrl: string
  units: Units
  products: readonly Product[]
  campaignIds: Readonly<Record<string, string>>
  display: Readonly<Record<string, LoadedCampaign>>
  accountOf: (advertiser: string | null) => string
  now: number
  visits: number
}

/**
 * The history of an invented shop, eight weeks and today so far, as the program would have written it to the log: emissions,
 * views, clicks and purchases. It yields batches in order of time, so that the streams process the first while the next are
 * invented. The history is deterministic for the same shop and `now`.
 */
export function* demoHistory(shop: PastShop): Generator<Dated[]> {
  const random = sequence(SEED)
  const { products, now } = shop
  const appeals = new Map(products.map(({ groupId }) => [groupId, 0.35 + 1.3 * random.next() ** 2]))
  const appeal = (groupId: string) => appeals.get(groupId)!
  const market = createMarket({ products, plans: SPONSORED, appeal, random, now })
  const banners = DISPLAY.filter(({ moderation }) => moderation === 'ACCEPTED').map((plan) => ({
    plan,
    campaign: shop.display[plan.key]!,
  }))
  const decide = { click: steady(random), clickBanner: steady(random), buy: steady(random) }
  const buysUnprompted = steady(random)
  const visited: VisitedShop = { ...shop, market, banners, appeal, decide }
  const visitors: Visitor[] = []
  let records: Dated[] = []
  const times = visitTimes({ total: shop.visits, days: HISTORY_DAYS, now: now - 30 * MINUTE_MS, random })
  for (const [index, at] of times.entries()) {
    const uuid = createUuid({ now: () => at, randomBytes: (size) => bytesOf(random, size) })
    const visit = new PastVisit(visited, { visitor: visitorOf(visitors, random), at, random, uuid })
    walk(visit, { products, appeal, random, buysUnprompted })
    records.push(...visit.records)
    if (index % BATCH_VISITS < BATCH_VISITS - 1) continue
    // No later visit has a record from before its start, so the records until then are complete.
    const [past, yet] = [records.filter((record) => record.at < at), records.filter((record) => record.at >= at)]
    yield inOrder(past)
    records = yet
  }
  // Leaves out purchases that would be in the future.
  yield inOrder(records.filter(({ at }) => at < now))
}

const inOrder = (records: Dated[]) => records.sort((a, b) => a.at - b.at)

interface Walk {
  products: readonly Product[]
  appeal: (groupId: string) => number
  random: Sequence
  buysUnprompted: (probability: number) => boolean
}

/** The pages of one visit. */
function walk(visit: PastVisit, { products, appeal, random, buysUnprompted }: Walk) {
  const wanted = favourite(products, appeal, random)
  const { category } = wanted
  const department = category.split(' > ')[0]!
  if (random.chance(0.42)) {
    visit.page('/', { units: [['home', 5]], banner: ['hero', 'native'], category: null })
  }
  const pages = 1 + random.index(3)
  for (let i = 0; i < pages; i++) {
    if (random.chance(0.45)) {
      const path = `/search?q=${encodeURIComponent(wanted.kind)}`
      visit.page(path, { units: [['searchWide', 4]], banner: null, category, phrase: wanted.kind })
    } else {
      const place = random.chance(0.6) ? category : department
      visit.page(`/c/${place.toLowerCase()}`, {
        units: [['listing', 4]],
        banner: ['leaderboard', 'leaderboard'],
        category: place,
      })
    }
  }
  if (random.chance(0.3)) {
    visit.page(`/p/${wanted.id}`, {
      units: [
        ['similar', 4],
        ['alsoBought', 4],
      ],
      banner: null,
      category,
      product: wanted,
    })
  }
  if (buysUnprompted(ORGANIC_SHARE)) {
    const more = products.filter((other) => other.category.startsWith(department) && other.price < 60)
    visit.buy(random.chance(0.3) && more.length > 0 ? [wanted, random.pick(more)] : [wanted])
  }
}

/** Picks a product by appeal and price. */
function favourite(products: readonly Product[], appeal: (groupId: string) => number, random: Sequence): Product {
  for (;;) {
    const product = random.pick(products)
    if (random.chance((appeal(product.groupId) / 1.65) * Math.min(1, (28 / product.price) ** 1.3))) return product
  }
}

function visitorOf(known: Visitor[], random: Sequence): Visitor {
  if (known.length > 50 && random.chance(RETURNING_SHARE)) return known[known.length - 1 - random.index(50)]!
  const number = known.length + 1
  const uid = random.chance(SIGNED_IN_SHARE) ? `customer-${number}` : null
  const visitor = { cid: `past-visitor-${number}`, uid }
  known.push(visitor)
  return visitor
}

const bytesOf = (random: Sequence, size: number) => Buffer.from(Array.from({ length: size }, () => random.index(256)))

/** Relative visits by hour of the day, as online shops see them: quiet nights, a lunch peak, a long evening. */
const HOURS = [9, 5, 3, 2, 2, 4, 10, 20, 32, 42, 48, 52, 56, 54, 50, 48, 50, 56, 66, 80, 90, 84, 58, 27]
/** Relative visits by weekday, Monday first. */
const WEEKDAYS = [1.06, 1, 0.97, 0.96, 0.92, 0.9, 1.19]
/** How much busier the last day is than the first. */
const GROWTH = 0.45

/** The start times of `total` visits over the `days` days that end at `now`, in order. */
function visitTimes(plan: { total: number; days: number; now: number; random: Sequence }): number[] {
  const { total, days, now, random } = plan
  const start = now - days * DAY_MS
  const weightOf = (at: number) => {
    const date = new Date(at)
    const weekday = WEEKDAYS[(date.getUTCDay() + 6) % 7]!
    return HOURS[date.getUTCHours()]! * weekday * (1 + (GROWTH * (at - start)) / (days * DAY_MS))
  }
  const hours = Array.from({ length: days * 24 }, (_, hour) => start + hour * HOUR_MS)
  const sum = hours.reduce((all, hour) => all + weightOf(hour), 0)
  const times: number[] = []
  let due = 0
  for (const hour of hours) {
    due += (total * weightOf(hour)) / sum
    // Fractions carry over to the next hour.
    while (times.length < Math.floor(due)) times.push(Math.floor(hour + random.next() * HOUR_MS))
  }
  return times.sort((a, b) => a - b)
}
