import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { invalidVerdicts } from '../../../../schemas/http/panel/reports/reports.ts'
import { reportsApp } from '../../../../services/registry/reports/app.ts'
import type { EventFact, Facts, LineFact } from './facts/facts.ts'
import { store } from './facts/stored.ts'
import { openWorld, type Who, WINDOWS, type World } from './world.ts'

const noon = Date.parse('2026-07-15T12:00:00Z')
const ad = { campaignId: 'c-warsaw-1', adId: 'sku', adUnitId: 'u-warsaw-1' }
const lordHoweAd = { campaignId: 'c-lordHowe-1', adId: 'sku', adUnitId: 'u-lordHowe-1' }

const event = (eventId: string, type: 'VIEW' | 'CLICK', rest: Partial<EventFact> = {}): EventFact => ({
  ...{ eventId, type, ...ad, occurredAt: noon, country: 'PL', billedMicros: 0, verdicts: ['VALID'] },
  ...{ rule: 'ADDRESS_CLICKS', marks: [], voids: 0 },
  ...rest,
})
const line = (eventId: string, number: number, priceMicros: number, rest: Partial<LineFact> = {}): LineFact => ({
  ...{
    kind: 'PURCHASE',
    returnedMicros: 0,
    eventId,
    line: number,
    shopId: 'warsaw',
    occurredAt: noon,
    shopProductId: 'sku',
    quantity: 1,
    priceMicros,
    currency: 'PLN',
    country: 'PL',
  },
  credit: { ...ad, match: 'DIRECT' },
  ...rest,
})
const emission = (requestId: string, shopId: 'warsaw' | 'lordHowe', served: typeof ad) => ({
  ...{ requestId, shopId, display: false, occurredAt: noon, country: 'PL', copies: 1 },
  slots: [{ adUnitId: served.adUnitId, ads: [served] }],
})

const facts: Facts = {
  emissions: [emission('r1', 'warsaw', ad), emission('r2', 'warsaw', ad), emission('r3', 'lordHowe', lordHoweAd)],
  events: [
    event('v1', 'VIEW'),
    event('v2', 'VIEW'),
    event('v3', 'VIEW', { verdicts: ['CAPPED'] }),
    event('v4', 'VIEW', { verdicts: ['BOT'] }),
    event('c1', 'CLICK', { billedMicros: 100_001 }),
    event('v5', 'VIEW', lordHoweAd),
    event('v6', 'VIEW', { campaignId: 'c-warsaw-2', adId: '=cmd|"x"!A1' }),
  ],
  lines: [
    line('o1', 0, 9_990_000),
    line('o1', 1, 10_000),
    line('o2', 0, 5, { shopProductId: 'other', quantity: 3, credit: { ...ad, match: 'HALO' } }),
  ],
}

let world: World
beforeAll(async () => {
  world = await openWorld()
  world.server.register(reportsApp(world))
  await store(world, facts, 'all')
})
afterAll(() => world.close())

const july = 'from=2026-07-01&to=2026-08-01'
const report = (query: string, who?: Who, headers?: Record<string, string>) =>
  world.get(`/v1/panel/reports?${july}&${query}`, who, headers)

describe('GET /v1/panel/reports', () => {
  it('answers rows with names, money to the micro-unit, and ratios', async () => {
    const { body } = await report(
      'shopId=warsaw&groupBy=day,campaign&metrics=requests,views,clicks,ctr,spend,purchases,revenue,roas',
    )
    expect(body.rows).toEqual([
      {
        ...{ day: '2026-07-15', campaign: 'c-warsaw-1', campaignName: 'Campaign c-warsaw-1', currency: 'PLN' },
        ...{ requests: null, views: 2, clicks: 1, ctr: 0.5, spend: '0.100001', purchases: 2, revenue: '10.000005' },
        roas: 10_000_005 / 100_001,
      },
      {
        ...{ day: '2026-07-15', campaign: 'c-warsaw-2', campaignName: 'Campaign c-warsaw-2', currency: 'PLN' },
        ...{ requests: null, views: 1, clicks: 0, ctr: 0, spend: '0', purchases: 0, revenue: '0', roas: null },
      },
    ])
    expect(body.totals).toMatchObject({
      currency: 'PLN',
      requests: 2,
      views: 3,
      clicks: 1,
      spend: '0.100001',
      purchases: 2,
    })
    expect(body.truncated).toBe(false)
  })

  it('answers the rows with the most of a metric, and totals over all', async () => {
    const { body } = await report('groupBy=campaign&metrics=views,spend&orderBy=views&limit=2')
    expect(body.rows.map(({ views }: { views: number }) => views)).toEqual([2, 1])
    expect(body).toMatchObject({ totals: { views: 4 }, truncated: true })
    const byRatio = await report('groupBy=campaign&metrics=ctr&orderBy=ctr')
    expect(byRatio.body.rows.map(({ ctr }: { ctr: number | null }) => ctr)).toEqual([0.5, 0, 0])
    expect((await report('groupBy=campaign&metrics=views&orderBy=clicks')).status).toBe(400)
    expect((await report('groupBy=campaign&limit=0')).status).toBe(400)
  })

  it('answers the sales of each product that was bought, which may not be the advertised one', async () => {
    const { body } = await report(
      'shopId=warsaw&groupBy=purchasedProduct,campaign&metrics=views,ctr,units,purchases,revenue,roas',
    )
    const ofCampaign = { campaign: 'c-warsaw-1', campaignName: 'Campaign c-warsaw-1', currency: 'PLN' }
    const ofAds = { views: null, ctr: null, roas: null }
    expect(body.rows).toEqual([
      {
        ...{ purchasedProduct: 'other', purchasedProductName: null, ...ofCampaign, ...ofAds },
        ...{ units: 3, purchases: 1, revenue: '0.000005' },
      },
      {
        ...{ purchasedProduct: 'sku', purchasedProductName: 'Red shoes', ...ofCampaign, ...ofAds },
        ...{ units: 2, purchases: 1, revenue: '10' },
      },
    ])
    expect(body.totals).toMatchObject({ views: 3, units: 5, purchases: 2, revenue: '10.000005' })
  })

  it('narrows sales to one product that was bought, with no figures of what is not a sale', async () => {
    const { body } = await report(
      'shopId=warsaw&purchasedProductId=sku&groupBy=campaign&metrics=views,units,revenue,requests,roas',
    )
    const ofAds = { views: null, requests: null, roas: null }
    expect(body.rows).toMatchObject([{ campaign: 'c-warsaw-1', units: 2, revenue: '10', ...ofAds }])
    expect(body.totals).toMatchObject({ units: 2, revenue: '10', ...ofAds })
    expect((await report('purchasedProductId=sku&metrics=views')).body).toMatchObject({
      rows: [],
      totals: { views: null },
    })
    expect((await report('purchasedProductId=nothing&metrics=units')).body.totals).toMatchObject({ units: 0 })
  })

  it('never adds up money of different currencies', async () => {
    const { body } = await report('groupBy=day&metrics=views,spend,roas')
    expect(body.rows.map((row: { currency: string }) => row.currency)).toEqual(['PLN', 'USD'])
    expect(body.totals).toEqual({ currency: null, views: 4, spend: null, roas: null })
    expect(body.totalsByCurrency).toEqual([
      { currency: 'PLN', views: 3, spend: '0.100001', roas: 10_000_005 / 100_001 },
      { currency: 'USD', views: 1, spend: '0', roas: null },
    ])
  })

  it('counts invalid events, of one verdict when asked', async () => {
    expect((await report('shopId=warsaw&metrics=invalid,views')).body.totals).toEqual({
      currency: 'PLN',
      invalid: 2,
      views: 3,
    })
    expect((await report('shopId=warsaw&metrics=invalid,invalidRate,views&verdict=BOT')).body.totals).toMatchObject({
      invalid: 1,
      invalidRate: 1 / 6,
      views: 3,
    })
  })

  it('answers zeros where there is nothing', async () => {
    const { body } = await world.get(
      '/v1/panel/reports?from=2020-01-01&to=2020-02-01&shopId=warsaw&groupBy=day&metrics=views,spend,ctr',
    )
    expect(body).toEqual({
      rows: [],
      totals: { currency: 'PLN', views: 0, spend: '0', ctr: null },
      totalsByCurrency: [],
      truncated: false,
    })
  })

  it.each([
    ['lordHowe', '2026-07-15', '2026-07-14T13:40:00Z', '2026-07-14T13:20:00Z'],
    ['newYork', '2026-07-15', '2026-07-15T04:10:00Z', '2026-07-15T03:50:00Z'],
  ])('covers the first minutes of a day of the shop %s, and none before them', async (shopId, from, after, before) => {
    const until = (to: string) => world.get(`/v1/panel/reports?shopId=${shopId}&from=${from}&to=${to}&metrics=views`)
    expect(await until(after)).toMatchObject({ status: 200, body: { totals: { views: 0 } } })
    expect(await until(before)).toMatchObject({ status: 400, body: { errors: [{ path: 'querystring/to' }] } })
  })

  it.each(['&groupBy=day', '&groupBy=shop', ''])(
    'has nothing of a day that has begun in none of several shops (%s)',
    async (grouped) => {
      const period = 'from=2026-07-15&to=2026-07-14T13:20:00Z'
      const { status, body } = await world.get(`/v1/panel/reports?${period}&metrics=views,requests,revenue${grouped}`)
      expect(status).toBe(200)
      expect(grouped === '' || body.rows.length === 0).toBe(true)
      expect(body.totals).toMatchObject({ views: 0, requests: 0 })
    },
  )

  it('says how its figures are made when asked, by the settings of its shops', async () => {
    const { body } = await report('shopId=warsaw&metrics=views&disclosure=true')
    expect(body.disclosure).toEqual({
      attributionModel: 'LAST_TOUCH',
      attributionWindows: [{ clickWindowHours: WINDOWS.click, viewWindowHours: WINDOWS.view }],
      timeZones: ['Europe/Warsaw'],
      notCounted: [...invalidVerdicts],
      refusingRules: expect.arrayContaining(['ADDRESS_CLICKS']),
    })
    const all = (await report('metrics=views&disclosure=true')).body.disclosure
    expect(all.timeZones.length).toBeGreaterThan(1)
    const other = await report('shopId=warsaw&metrics=views&disclosure=true&model=LINEAR&clickWindowHours=5')
    expect(other.body.disclosure).toMatchObject({
      attributionModel: 'LINEAR',
      attributionWindows: [{ clickWindowHours: 5, viewWindowHours: WINDOWS.view }],
    })
    expect((await report('shopId=warsaw&metrics=views')).body).not.toHaveProperty('disclosure')
  })

  it('tells advertisers the windows, and not the rules of a shop', async () => {
    const { disclosure } = (await report('shopId=warsaw&metrics=views&disclosure=true', 'adv-1')).body
    expect(disclosure).toMatchObject({ attributionWindows: [{ viewWindowHours: WINDOWS.view }], refusingRules: null })
    const { body } = await report('shopId=warsaw&metrics=views&disclosure=true&format=csv', 'adv-1')
    expect(body).toContain('Attribution model,LAST_TOUCH')
    expect(body).not.toContain('ADDRESS_CLICKS')
  })

  it('writes in CSV how the figures are made only above the table that asks for it', async () => {
    const query = 'shopId=warsaw&groupBy=campaign&metrics=views'
    const plain: string = (await report(`${query}&format=csv`)).body
    const told: string = (await report(`${query}&format=csv&disclosure=true`)).body
    expect(told.endsWith(`\r\n\r\n${plain}`)).toBe(true)
    expect(told.split('\r\n').slice(0, 6)).toEqual([
      'From,2026-07-01',
      'To (exclusive),2026-08-01',
      'Time zone,Europe/Warsaw',
      'Attribution model,LAST_TOUCH',
      `Attribution windows,"${WINDOWS.click} h after a click, ${WINDOWS.view} h after a view"`,
      `"Not counted, not billed",${invalidVerdicts.join('; ')}`,
    ])
  })

  it('answers CSV that no spreadsheet runs, by format or Accept', async () => {
    const query = 'shopId=warsaw&groupBy=product,campaign&metrics=views,spend'
    const { body, headers } = await report(query, 'operator', { accept: 'text/csv' })
    expect(headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(body.split('\r\n')).toEqual([
      'product,productName,campaign,campaignName,currency,views,spend',
      `"'=cmd|""x""!A1",,c-warsaw-2,Campaign c-warsaw-2,PLN,1,0`,
      'sku,Red shoes,c-warsaw-1,Campaign c-warsaw-1,PLN,2,0.100001',
      '',
    ])
    expect((await report(`${query}&format=csv`)).body).toBe(body)
    expect((await report(`${query}&format=json`, 'operator', { accept: 'text/csv' })).body.rows).toHaveLength(2)
  })

  it.each([
    ['operator', '', ['c-lordHowe-1', 'c-warsaw-1', 'c-warsaw-2']],
    ['pub-a', '', ['c-warsaw-1', 'c-warsaw-2']],
    ['pub-b', '', ['c-lordHowe-1']],
    ['adv-1', '', ['c-lordHowe-1', 'c-warsaw-1']],
    ['adv-2', '', ['c-warsaw-2']],
    ['adv-1', '&shopId=warsaw', ['c-warsaw-1']],
    ['pub-a', '&accountId=adv-2', ['c-warsaw-2']],
    ['pub-b', '&campaignId=c-lordHowe-1', ['c-lordHowe-1']],
  ] as [Who, string, string[]][])('shows %s (%s) only what is theirs', async (who, filter, campaigns) => {
    const { body } = await report(`groupBy=campaign&metrics=requests,emissions,views${filter}`, who)
    expect(body.rows.map((row: { campaign: string }) => row.campaign)).toEqual(campaigns)
    // The number of requests is known only to the shop's publisher.
    if (who.startsWith('adv')) expect(body.totals.requests).toBeNull()
  })

  it('takes any text as a value, and finds nothing by it', async () => {
    for (const value of ["x' OR '1'='1", '\\', '\u0000', '{shopId:String}', '%', '💥', 'a\tb\nc']) {
      const { status, body } = await report(`productId=${encodeURIComponent(value)}&groupBy=product&metrics=views`)
      expect([status, body.rows]).toEqual([200, []])
    }
  })
})

describe('a report over ad requests that are forgotten', () => {
  it('is refused with the first moment that can be asked for, unless it takes no rows of them', async () => {
    const { analytics } = world
    const until = Date.parse('2026-08-01T00:00:00Z')
    await analytics.insert('forgotten_rows', [{ tableName: 'emissions', until }], { token: 'forgotten' })
    const ask = (query: string) => world.get(`/v1/panel/reports?from=2026-07-01&to=2026-08-20&${query}`)
    const refused = await ask('metrics=requests,clicks&groupBy=product,adUnit')
    expect([refused.status, refused.body.errors[0].path]).toEqual([400, 'querystring/from'])
    expect(refused.body.errors[0].message).toContain('must be 2026-08-01T00:00:00.000Z or later')
    expect((await ask('metrics=clicks&groupBy=product,adUnit')).status).toBe(200)
    expect((await ask('metrics=requests,clicks&groupBy=day,product')).status).toBe(200)
    expect((await ask('metrics=revenue&groupBy=product,adUnit&model=LINEAR&shopId=warsaw')).status).toBe(200)
    await analytics.command('TRUNCATE TABLE forgotten_rows')
  })
})
