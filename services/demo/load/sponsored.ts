import { DAY_MS } from '../../../schemas/durations.ts'
import type { Api, Created } from '../api.ts'
import { OWN_SELLER } from '../catalogue/range.ts'
import type { Accounts, AdvertiserKey } from './accounts.ts'

interface Rule {
  categoryPaths?: readonly string[]
  brands?: readonly string[]
  sellerIds?: readonly string[]
  priceMax?: number
}

/** A sponsored campaign of the demo. Money in euros. */
export interface SponsoredPlan {
  key: string
  /** Null for the shop's own, free promotion. */
  advertiser: AdvertiserKey | null
  name: string
  cpc: number
  budget: number
  rule: Rule
  dailyBudget?: number
  pacing?: 'EVEN'
  capping?: number
  /** Days from now, negative in the past. A campaign with a `pausedDay` is paused now. */
  startDay: number
  endDay?: number
  pausedDay?: number
}

/** How many days the campaigns have run. */
export const HISTORY_DAYS = 56
const LONG_AGO = -HISTORY_DAYS - 1

/** Ordinary campaigns, and one of each special kind: evenly paced, capped, nearly spent, paused, ended and scheduled. */
export const SPONSORED: readonly SponsoredPlan[] = [
  {
    key: 'coffee',
    advertiser: 'lumbra',
    name: 'Coffee season',
    cpc: 0.85,
    budget: 120,
    rule: { categoryPaths: ['Kitchen'] },
    startDay: LONG_AGO,
  },
  {
    key: 'lights',
    advertiser: 'lumbra',
    name: 'Lights for long evenings (even pace)',
    cpc: 0.68,
    budget: 200,
    dailyBudget: 9,
    pacing: 'EVEN',
    rule: { categoryPaths: ['Living', 'Office'] },
    startDay: LONG_AGO,
    endDay: 24,
  },
  {
    key: 'trail',
    advertiser: 'peak',
    name: 'Trail and track (capped)',
    cpc: 0.78,
    budget: 260,
    capping: 4,
    rule: { categoryPaths: ['Outdoor', 'Sports'] },
    startDay: LONG_AGO,
  },
  {
    key: 'clearance',
    advertiser: 'peak',
    name: 'Winter clearance',
    cpc: 0.38,
    budget: 80,
    rule: { priceMax: 60 },
    startDay: -44,
    pausedDay: -12,
  },
  {
    key: 'season',
    advertiser: 'peak',
    name: 'Start of the season',
    cpc: 0.82,
    budget: 60,
    rule: { categoryPaths: ['Sports'] },
    startDay: LONG_AGO,
    endDay: -24,
  },
  {
    key: 'sound',
    advertiser: 'ondea',
    name: 'Sound that stays',
    cpc: 0.98,
    budget: 380,
    capping: 20,
    rule: { categoryPaths: ['Electronics > Audio'] },
    startDay: LONG_AGO,
  },
  {
    key: 'launch',
    advertiser: 'ondea',
    name: 'Camera launch (nearly spent)',
    cpc: 1.1,
    budget: 23,
    rule: { categoryPaths: ['Electronics > Photo', 'Electronics > Wearables'] },
    startDay: -36,
  },
  {
    key: 'desk',
    advertiser: 'ondea',
    name: 'A better desk',
    cpc: 0.72,
    budget: 60,
    rule: { categoryPaths: ['Office'] },
    startDay: -21,
  },
  {
    key: 'garden',
    advertiser: 'fernhill',
    name: 'Balcony and garden',
    cpc: 0.6,
    budget: 150,
    rule: { categoryPaths: ['Garden', 'Kids'] },
    startDay: LONG_AGO,
  },
  {
    key: 'verde',
    advertiser: 'fernhill',
    name: 'Gusto Verde everywhere',
    cpc: 0.58,
    budget: 140,
    rule: { brands: ['Gusto Verde'] },
    startDay: LONG_AGO,
  },
  {
    key: 'advent',
    advertiser: 'fernhill',
    name: 'Little Oak before the holidays',
    cpc: 0.45,
    budget: 250,
    rule: { brands: ['Little Oak'] },
    startDay: 6,
    endDay: 36,
  },
  {
    key: 'house',
    advertiser: null,
    name: 'House brands',
    cpc: 0,
    budget: 0,
    rule: { sellerIds: [OWN_SELLER.id] },
    startDay: LONG_AGO,
  },
]

/** Creates the campaigns. @returns their ids by key. */
export async function createSponsored(
  api: Api,
  shop: { shopId: string; accounts: Accounts; now: number },
): Promise<Readonly<Record<string, string>>> {
  const at = (day: number) => new Date(shop.now + day * DAY_MS).toISOString()
  const made = await Promise.all(
    SPONSORED.map(async (plan) => {
      const { key, advertiser, rule, startDay, endDay, pausedDay, pacing = 'ASAP', ...terms } = plan
      const { id } = await api.post<Created>('/v1/panel/campaigns', {
        ...terms,
        kind: 'SPONSORED',
        shopId: shop.shopId,
        accountId: advertiser ? shop.accounts.advertiserIds[advertiser] : shop.accounts.publisherId,
        products: { rule },
        startAt: at(startDay),
        ...(endDay === undefined ? {} : { endAt: at(endDay) }),
        pacing,
        status: pausedDay === undefined ? 'ACTIVE' : 'PAUSED',
        ...(advertiser ? {} : { autoPromo: true }),
      })
      return [key, id] as const
    }),
  )
  return Object.fromEntries(made)
}
