import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { decode } from '../../../schemas/wire/codec.ts'
import { demoCatalogue } from '../../../services/demo/catalogue/products.ts'
import { demoHistory, VISITS } from '../../../services/demo/history/history.ts'
import { DISPLAY } from '../../../services/demo/load/display-plans.ts'
import { HISTORY_DAYS, SPONSORED } from '../../../services/demo/load/sponsored.ts'
import { UNIT_ALGORITHMS, type Units } from '../../../services/demo/load/units.ts'
import { tries } from '../../effort.ts'

const DAY_MS = 86_400_000
/** Moments at which a demo begins. The first is that of all other tests. */
const moments = ['2026-11-22T23:30:00Z', '2027-01-01T00:10:00Z', '2027-06-30T15:00:00Z', '2026-11-21T10:00:00Z']
const now = Date.parse(moments[0]!)
const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

const shop = {
  shopId: uuid(1),
  shopUrl: 'http://shop.example',
  units: Object.fromEntries(Object.keys(UNIT_ALGORITHMS).map((key, i) => [key, uuid(10 + i)])) as Units,
  products: demoCatalogue(),
  campaignIds: Object.fromEntries(SPONSORED.map(({ key }, i) => [key, uuid(100 + i)])),
  display: Object.fromEntries(
    DISPLAY.map(({ key }, i) => [
      key,
      { id: uuid(200 + i), bannerIds: { native: uuid(300 + i), leaderboard: uuid(400 + i), rectangle: uuid(500 + i) } },
    ]),
  ),
  accountOf: (advertiser: string | null) => uuid(600 + (advertiser?.length ?? 0)),
  now,
}
const batches = [...demoHistory({ ...shop, visits: VISITS })]
const history = batches.flat()
const of = (topic: string) => history.filter(({ record }) => record.topic === topic).map(({ record }) => record.value!)

describe('the history of the demo', () => {
  it('is the same for the same moment', () => {
    const hash = () => {
      const sum = createHash('sha256')
      for (const { record } of [...demoHistory({ ...shop, visits: 600 })].flat()) sum.update(record.value!)
      return sum.digest('hex')
    }
    expect(hash()).toBe(hash())
  })

  it('is in the order of time, within its weeks', () => {
    const times = history.map(({ at }) => at)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(times[0]).toBeGreaterThan(now - (HISTORY_DAYS + 1) * DAY_MS)
    expect(times.at(-1)).toBeLessThan(now)
    expect(batches.length).toBeGreaterThan(10)
  })

  it('tells of no event before its ad was shown, nor of an ad that was not', () => {
    const emissions = new Map(
      of('emissions').map((value) => {
        const { requestId, slots } = decode('Emission', value)
        return [requestId, new Set(slots.flatMap(({ ads }) => ads.map(({ adId }) => adId)))]
      }),
    )
    const wrong = of('ad-events')
      .map((value) => decode('AdEvent', value))
      .filter(({ claims, occurredAt, cid }) => {
        const shown = emissions.get(claims.requestId)?.has(claims.adId)
        return !shown || occurredAt < claims.emittedAt || cid !== claims.cid
      })
    expect(wrong).toEqual([])
  })

  it('never bills a campaign over its budget, and leaves one nearly spent', () => {
    const spent = new Map<string, number>()
    for (const value of of('ad-events')) {
      const { type, bot, claims } = decode('AdEvent', value)
      if (type !== 'CLICK' || bot || claims.kind !== 'SPONSORED') continue
      spent.set(claims.campaignId, (spent.get(claims.campaignId) ?? 0) + claims.priceMicros / 1e6)
    }
    for (const { key, budget, advertiser } of SPONSORED) {
      if (advertiser) expect(spent.get(shop.campaignIds[key]!) ?? 0).toBeLessThanOrEqual(budget * 1.1)
    }
    const launch = SPONSORED.find(({ key }) => key === 'launch')!
    expect(spent.get(shop.campaignIds.launch!)).toBeGreaterThan(launch.budget * 0.9)
    expect(spent.get(shop.campaignIds.launch!)).toBeLessThan(launch.budget - launch.cpc)
  })

  it('shows no campaign before it started, nor after it ended or was paused', () => {
    const plans = new Map(SPONSORED.map((plan) => [shop.campaignIds[plan.key]!, plan]))
    const shown = new Set<string>()
    for (const value of of('emissions')) {
      const { occurredAt, slots } = decode('Emission', value)
      for (const { campaignId } of slots.flatMap(({ ads }) => ads)) {
        const plan = plans.get(campaignId)
        if (!plan) continue
        shown.add(plan.key)
        const day = (occurredAt - now) / DAY_MS
        expect(day).toBeGreaterThanOrEqual(plan.startDay)
        expect(day).toBeLessThan(plan.pausedDay ?? plan.endDay ?? 0)
      }
    }
    expect(shown).toEqual(new Set(SPONSORED.filter(({ startDay }) => startDay < 0).map(({ key }) => key)))
  })
})

/** Figures of the days [from, until) before `now`. */
function figuresOf(records: typeof history, at: number, from: number, until: number) {
  const totals = { views: 0, clicks: 0, spend: 0, purchases: 0, revenue: 0 }
  for (const { at: when, record } of records) {
    if (when < at - from * DAY_MS || when >= at - until * DAY_MS) continue
    if (record.topic === 'ad-events') {
      const { type, bot, claims } = decode('AdEvent', record.value!)
      if (bot) continue
      totals[type === 'VIEW' ? 'views' : 'clicks']++
      if (type === 'CLICK' && claims.kind === 'SPONSORED') totals.spend += claims.priceMicros / 1e6
    }
    if (record.topic === 'transactions') {
      const { kind, lines } = decode('Transaction', record.value!)
      if (kind !== 'PURCHASE') continue
      totals.purchases++
      for (const { priceMicros } of lines) totals.revenue += priceMicros / 1e6
    }
  }
  return totals
}

describe('four weeks compared with the four before', () => {
  it.each(moments.slice(0, tries(2, 4)))('differ by a gentle growth at %s', (text) => {
    const at = Date.parse(text)
    const records = at === now ? history : [...demoHistory({ ...shop, now: at, visits: VISITS })].flat()
    const [latest, before] = [figuresOf(records, at, 28, 0), figuresOf(records, at, 56, 28)]
    for (const key of Object.keys(latest) as (keyof typeof latest)[]) {
      const change = latest[key] / before[key] - 1
      expect(change, `${key} ${before[key]} to ${latest[key]}`).toBeGreaterThan(-0.3)
      expect(change, `${key} ${before[key]} to ${latest[key]}`).toBeLessThan(0.6)
    }
  })

  it('are busier on Sundays than on Fridays', () => {
    const days = Map.groupBy(of('page-views'), (value) => new Date(decode('PageView', value).occurredAt).getUTCDay())
    expect(days.get(0)!.length).toBeGreaterThan(days.get(5)!.length)
  })
})
