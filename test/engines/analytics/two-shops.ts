import {
  campaign,
  correction,
  emission,
  HOUR,
  pageView,
  purchase,
  returned,
  shop,
  T0,
  touch,
} from '../../streams/attribution/events.ts'
import type { Happening } from '../../streams/attribution/happenings.ts'

/** By `CRC32`, the first shop is on the first shard, and the second on the second. */
export const SHOPS = ['shop', 'a'] as const

/** The same people in two shops. Each has two cids that a uid joins, and buys in another browser; with returns and repeats. */
export function history(): Happening[] {
  const people = Array.from({ length: 12 }, (_, n) => n)
  const ofShop = (shopId: string, at: number): Happening[] => [
    { topic: 'registry', value: shop({ id: shopId, version: 1, clickWindowHours: 100, viewWindowHours: 30 }) },
    { topic: 'registry', value: campaign({ id: `k-${shopId}`, shopId, version: 1, at: T0, list: ['p1', 'p2'] }) },
    ...people.flatMap((n): Happening[] => {
      const who = { cid: `c${n}`, uid: n % 2 === 0 ? `u${n % 4}` : null }
      const ad = { adId: `p${n % 3}`, campaignId: `k-${shopId}`, shopId }
      return [
        { topic: 'judged-events', value: touch({ ...who, ...ad, eventId: `e${n}`, at: at + n * HOUR }) },
        { topic: 'judged-events', value: touch({ ...who, ...ad, eventId: `f${n}`, type: 'CLICK', at: at + 9 * HOUR }) },
        { topic: 'page-views', value: pageView({ ...who, id: `v${n}`, shopId, at }) },
        { topic: 'emissions', value: emission({ ...who, id: `s${n}`, shopId, at: at + n * HOUR }) },
        {
          topic: 'transactions',
          value: purchase({
            ...{ eventId: `o${n % 10}`, shopId, cid: `d${n}`, uid: `u${n % 4}`, at: at + (20 + n) * HOUR },
            products: ['p0', 'p1', `q${n}`],
          }),
        },
        {
          topic: 'transaction-returns',
          value: returned({ returnId: `r${n}`, shopId, eventId: `o${n}`, at: at + 60 * HOUR, lines: [['p1', 1]] }),
        },
      ]
    }),
  ]
  return SHOPS.flatMap((id, i) => ofShop(id, T0 + i * HOUR))
}

/** Corrections that void one click in each shop. */
export const voided: Happening[] = SHOPS.map((shopId) => ({
  topic: 'corrections',
  value: correction({ eventId: 'f3', shopId, cid: 'c3', adId: 'p0', at: T0 + (SHOPS.indexOf(shopId) + 9) * HOUR }),
}))
