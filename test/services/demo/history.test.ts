import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { decode } from '../../../schemas/wire/codec.ts'
import { demoCatalogue } from '../../../services/demo/catalogue/products.ts'
import { demoHistory, VISITS } from '../../../services/demo/history/history.ts'
import { DISPLAY } from '../../../services/demo/load/display-plans.ts'
import { HISTORY_DAYS, SPONSORED } from '../../../services/demo/load/sponsored.ts'
import { UNIT_ALGORITHMS, type Units } from '../../../services/demo/load/units.ts'

const DAY_MS = 86_400_000
const now = Date.parse('2026-11-21T10:00:00Z')
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
const history = demoHistory({ ...shop, visits: VISITS })
const of = (topic: string) => history.filter(({ record }) => record.topic === topic).map(({ record }) => record.value!)

describe('the history of the demo', () => {
  it('is the same for the same moment', () => {
    const hash = () => {
      const sum = createHash('sha256')
      for (const { record } of demoHistory({ ...shop, visits: 300 })) sum.update(record.value!)
      return sum.digest('hex')
    }
    expect(hash()).toBe(hash())
  })

  it('is in the order of time, within its weeks', () => {
    const times = history.map(({ at }) => at)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(times[0]).toBeGreaterThan(now - (HISTORY_DAYS + 1) * DAY_MS)
    expect(times.at(-1)).toBeLessThan(now)
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
    expect(spent.get(shop.campaignIds.launch!)).toBeGreaterThan(launch.budget * 0.5)
  })

  it('grows from week to week', () => {
    const views = of('page-views').map((value) => decode('PageView', value).occurredAt)
    const week = (number: number) =>
      views.filter((at) => Math.floor((at - (now - HISTORY_DAYS * DAY_MS)) / (7 * DAY_MS)) === number).length
    expect(week(3)).toBeGreaterThan(week(0) * 1.15)
  })
})
