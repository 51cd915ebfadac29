import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Analytics } from '../../../../infra/analytics/port.ts'
import { applyRetention } from '../../../../infra/analytics/retention/apply-retention.ts'
import { completeSince } from '../../../../infra/analytics/retention/complete-since.ts'
import { visitsApp } from '../../../../services/registry/visits/app.ts'
import { creditedRow } from '../reports/facts/stored.ts'
import { campaigns, openWorld, type Who, type World } from '../reports/world.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Noon in Warsaw, the shop's time zone. */
const NOON = Date.parse('2026-03-10T11:00:00Z')

interface View {
  id: string
  cid: string
  hours: number
  shopId?: string
  gclid?: string
  utm?: [source: string, medium: string, campaign: string]
}
const spring: View['utm'] = ['google', 'cpc', 'spring']
const mail: View['utm'] = ['newsletter', 'email', 'march']
const views: View[] = [
  { id: '1', cid: 'ann', hours: -40, utm: mail },
  { id: '2', cid: 'ann', hours: -3, utm: spring, gclid: 'g1' },
  // The same report twice is one page view.
  { id: '2', cid: 'ann', hours: -3, utm: spring, gclid: 'g1' },
  { id: '3', cid: 'ann', hours: -2 },
  { id: '4', cid: 'bob', hours: -1, utm: mail },
  // Sent again after some seconds, because the answer was lost. The second one was first sent on the day before.
  { id: '4', cid: 'bob', hours: -0.999, utm: mail },
  { id: '8', cid: 'bob', hours: -36.001 },
  { id: '8', cid: 'bob', hours: -35.999 },
  { id: '5', cid: 'bob', hours: 1, utm: spring, gclid: 'g2' },
  { id: '6', cid: 'eve', hours: -24 * 31, utm: spring },
  // This visitor came by mail, then by the advertisement; the first page view is sent again later. All that is ten days later.
  { id: '9', cid: 'kim', hours: 240, utm: mail },
  { id: '10', cid: 'kim', hours: 241, utm: spring },
  { id: '9', cid: 'kim', hours: 242, utm: mail },
  { id: '7', cid: 'ann', hours: -1, shopId: 'lordHowe', utm: ['elsewhere', '', ''] },
]
const viewOf = ({ id, cid, hours, shopId = 'warsaw', gclid, utm }: View, offset: number) => ({
  ...{ _topic: 'page-views', _partition: 0, _offset: offset, id, shopId, cid, uid: null, shopProductId: null },
  ...{ referer: `https://shop.example/${id}`, gclid: gclid ?? null },
  ...{ utmSource: utm?.[0] || null, utmMedium: utm?.[1] || null, utmCampaign: utm?.[2] || null },
  ...{ occurredAt: NOON + hours * HOUR_MS, receivedAt: NOON },
})

const sales = [
  { eventId: 'o1', line: 0, cid: 'ann', hours: 0, campaignId: 'c-warsaw-1', priceMicros: 19_990_000 },
  { eventId: 'o1', line: 1, cid: 'ann', hours: 0, campaignId: 'c-warsaw-2', priceMicros: 10_000 },
  { eventId: 'o2', line: 0, cid: 'bob', hours: 0, campaignId: 'c-warsaw-1', priceMicros: 5_000_000 },
  { eventId: 'o3', line: 0, cid: 'bob', hours: 2, campaignId: 'c-warsaw-1', priceMicros: 7_000_000, currency: 'EUR' },
  // This visitor came too long ago.
  { eventId: 'o4', line: 0, cid: 'eve', hours: 3, campaignId: 'c-warsaw-1', priceMicros: 1_000_000 },
  { eventId: 'o5', line: 0, cid: 'zoe', hours: 4, campaignId: 'c-warsaw-1', priceMicros: 1_000_000 },
  { eventId: 'o8', line: 0, cid: 'kim', hours: 243, campaignId: 'c-warsaw-1', priceMicros: 1_000_000 },
  // The first of these is not credited, and the second is not a purchase.
  { eventId: 'o6', line: 0, cid: 'ann', hours: 4, campaignId: '', priceMicros: 1_000_000 },
  { eventId: 'o7', line: 0, cid: 'ann', hours: 4, campaignId: 'c-warsaw-1', priceMicros: 1_000_000, kind: 'CART' },
]
const saleOf = ({ hours, campaignId, currency = 'PLN', kind = 'PURCHASE', ...sale }: (typeof sales)[number]) => ({
  ...sale,
  ...{
    shopId: 'warsaw',
    kind,
    occurredAt: NOON + hours * HOUR_MS,
    uid: null,
    shopProductId: 'sku',
    quantity: 1,
    currency,
  },
  outcome: campaignId ? 'CREDITED' : 'NO_TOUCH',
  ...{ match: campaignId && 'DIRECT', touchType: campaignId && 'CLICK', touchEventId: 'e', touchAt: NOON - HOUR_MS },
  ...{ campaignId, accountId: campaigns[campaignId]?.accountId ?? '', adId: 'sku', slotHash: '', adUnitId: '' },
  ...{
    algorithm: '',
    country: null,
    itemGroups: [],
    clickWindowHours: 336,
    viewWindowHours: 24,
    version: 1,
    deleted: 0,
  },
})

/** Tests how visitors came to a shop, on the embedded store unless `open` gives another one. */
export function visitsSuite(open?: () => Promise<Analytics>): void {
  let world: World
  let now = NOON
  beforeAll(async () => {
    world = await openWorld(await open?.())
    world.server.register(visitsApp({ ...world, publicUrl: 'https://ads.example', now: () => now }))
    await world.analytics.insert('page_views', views.map(viewOf), { token: 'views' })
    await world.analytics.insert('credited_lines', sales.map(saleOf).map(creditedRow), { token: 'sales' })
  })
  afterAll(() => world.close())

  const DAYS = 'shopId=warsaw&from=2026-03-09&to=2026-03-11'
  const report = (query = '', who?: Who) => world.get(`/v1/panel/page-views?${DAYS}${query}`, who)
  const export_ = (query = '', who?: Who) => world.get(`/v1/panel/attributed-sales?${DAYS}${query}`, who)
  const ndjsonOf = (body: string) =>
    body
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))

  describe('GET /v1/panel/page-views', () => {
    it('tells page views and what was bought by how visitors came, the most page views first', async () => {
      const { status, body } = await report()
      expect(status).toBe(200)
      const pln = (utm: View['utm'], figures: object) => {
        const [utmSource = null, utmMedium = null, utmCampaign = null] = utm ?? []
        return { utmSource, utmMedium, utmCampaign, currency: 'PLN', ...figures }
      }
      expect(body.rows).toEqual([
        pln(spring, { pageViews: 2, visitors: 2, purchases: 1, revenue: '20' }),
        pln(undefined, { pageViews: 1, visitors: 1, purchases: 2, revenue: '2' }),
        pln(mail, { pageViews: 1, visitors: 1, purchases: 1, revenue: '5' }),
        { ...pln(spring, { pageViews: 0, visitors: 0, purchases: 1, revenue: '7' }), currency: 'EUR' },
      ])
      expect(body.totals).toEqual([
        { currency: 'PLN', pageViews: 4, visitors: 2, purchases: 4, revenue: '27' },
        { currency: 'EUR', pageViews: 0, visitors: 0, purchases: 1, revenue: '7' },
      ])
      expect(body.truncated).toBe(false)
    })

    it("groups by the shop's days and by whether a gclid was sent", async () => {
      const { body } = await report('&groupBy=day,gclid')
      const rows = body.rows.map((row: Record<string, unknown>) => [row.day, row.gclid, row.pageViews, row.purchases])
      expect(rows).toEqual([
        ['2026-03-10', false, 2, 3],
        ['2026-03-10', true, 2, 1],
        ['2026-03-10', true, 0, 1],
      ])
      const before = await world.get('/v1/panel/page-views?shopId=warsaw&from=2026-03-08&to=2026-03-09&groupBy=day')
      // These are of 19:00 and of the last seconds of the day in Warsaw.
      expect(before.body.rows).toMatchObject([{ day: '2026-03-08', pageViews: 2 }])
    })

    it('comes as CSV', async () => {
      const { body, headers } = await report('&groupBy=utmSource,gclid&format=csv')
      expect(headers['content-type']).toContain('text/csv')
      expect(body.split('\r\n').slice(0, 2)).toEqual([
        'utmSource,gclid,currency,pageViews,visitors,purchases,revenue',
        'google,1,PLN,2,2,1,20',
      ])
    })

    it.each([
      ['groupBy', '&groupBy=cid'],
      ['to', '&to=2026-03-01'],
      ['from', '&from=yesterday'],
    ])('refuses a wrong %s', async (name, query) => {
      const base = new URLSearchParams(`${DAYS}`)
      for (const [key, value] of new URLSearchParams(query)) base.set(key, value)
      const { status, body } = await world.get(`/v1/panel/page-views?${base}`)
      expect([status, body.errors[0].path]).toEqual([400, `querystring/${name}`])
    })
  })

  describe('GET /v1/panel/attributed-sales', () => {
    it('tells each credited line of a purchase with the last marked page view of its buyer before it', async () => {
      const { status, body, headers } = await export_()
      expect([status, headers['content-type'], headers.link]).toEqual([200, 'application/x-ndjson', undefined])
      const lines = ndjsonOf(body)
      expect(lines[0]).toEqual({
        ...{ eventId: 'o1', line: 0, occurredAt: '2026-03-10T11:00:00.000Z', cid: 'ann', uid: null },
        ...{ shopProductId: 'sku', quantity: 1, price: 19.99, currency: 'PLN' },
        ...{ campaignId: 'c-warsaw-1', campaignName: 'Campaign c-warsaw-1', match: 'DIRECT', touchType: 'CLICK' },
        touchAt: '2026-03-10T10:00:00.000Z',
        ...{ cameAt: '2026-03-10T08:00:00.000Z', landingPage: 'https://shop.example/2', gclid: 'g1' },
        ...{ utmSource: 'google', utmMedium: 'cpc', utmCampaign: 'spring' },
      })
      expect(lines.map(({ eventId, line, utmCampaign, gclid }) => [eventId, line, utmCampaign, gclid])).toEqual([
        ['o1', 0, 'spring', 'g1'],
        ['o1', 1, 'spring', 'g1'],
        ['o2', 0, 'march', null],
        ['o3', 0, 'spring', 'g2'],
        ['o4', 0, null, null],
        ['o5', 0, null, null],
      ])
      expect(lines.at(-1)).toMatchObject({ cameAt: null, landingPage: null })
    })

    it('takes a page view that was sent again later at its first time, like the report', async () => {
      const later = 'shopId=warsaw&from=2026-03-20&to=2026-03-21'
      const [line] = ndjsonOf((await world.get(`/v1/panel/attributed-sales?${later}`)).body)
      expect(line).toMatchObject({ eventId: 'o8', utmCampaign: 'spring', cameAt: '2026-03-20T12:00:00.000Z' })
      const { body } = await world.get(`/v1/panel/page-views?${later}&groupBy=utmCampaign`)
      expect(body.rows).toMatchObject([
        { utmCampaign: 'spring', pageViews: 1, purchases: 1 },
        { utmCampaign: 'march', pageViews: 1, purchases: 0 },
      ])
    })

    it('gives every line once over its pages', async () => {
      const seen: string[] = []
      let path: string | undefined = `/v1/panel/attributed-sales?${DAYS}&limit=2`
      for (; path; ) {
        const { body, headers }: Awaited<ReturnType<World['get']>> = await world.get(path)
        const lines = ndjsonOf(body)
        expect(lines.length).toBeLessThanOrEqual(2)
        seen.push(...lines.map(({ eventId, line }) => `${eventId}/${line}`))
        const next = /^<https:\/\/ads\.example(.*)>; rel="next"$/.exec(String(headers.link ?? ''))
        path = next?.[1]
      }
      expect(seen).toEqual(['o1/0', 'o1/1', 'o2/0', 'o3/0', 'o4/0', 'o5/0'])
    })

    it('comes as CSV', async () => {
      const { body, headers } = await export_('&format=csv&limit=1')
      expect(headers['content-type']).toContain('text/csv')
      expect(headers.link).toContain('format=csv')
      expect(body.split('\r\n')).toHaveLength(3)
      expect(body).toContain('eventId,line,occurredAt,cid,')
    })

    it.each(['x', Buffer.from('[1,2]').toString('base64url'), Buffer.from('["a","b",-1]').toString('base64url')])(
      'refuses a cursor that is none: %s',
      async (cursor) => {
        const { status, body } = await export_(`&cursor=${cursor}`)
        expect([status, body.errors[0].path]).toEqual([400, 'querystring/cursor'])
      },
    )
  })

  describe('both', () => {
    it('are for the publisher of the shop and the operator: others have no such shop, and advertisers no visitors', async () => {
      for (const ask of [report, export_]) {
        expect((await ask('', 'pub-a')).status).toBe(200)
        expect((await ask('', 'pub-b')).status).toBe(404)
        const answer = await ask('', 'adv-1')
        expect([answer.status, answer.body.code]).toEqual([403, 'FORBIDDEN'])
      }
    })

    it('refuse a time whose page views have been forgotten, also when they are kept for longer from then on', async () => {
      now = Date.now()
      const { analytics } = world
      const rows = async () => (await analytics.query<{ id: string }>('SELECT id FROM page_views')).map(({ id }) => id)
      const daysAgo = (days: number) => new Date(now - days * DAY_MS).toISOString()
      const ask = (days: number) =>
        world.get(`/v1/panel/page-views?shopId=warsaw&from=${daysAgo(days)}&to=${daysAgo(0)}`)
      const recent = { ...viewOf({ id: '8', cid: 'ann', hours: 0 }, 100), occurredAt: now - 50 * DAY_MS }
      await analytics.insert('page_views', [recent], { token: 'recent' })
      await applyRetention(analytics, { page_views: 60 }, now)
      await expect.poll(rows).toEqual(['8'])
      const refused = await ask(31)
      expect([refused.status, refused.body.errors[0].path]).toEqual([400, 'querystring/from'])
      expect(refused.body.errors[0].message).toContain(`must be ${daysAgo(30)} or later`)
      expect((await export_()).body.errors[0].path).toBe('querystring/from')
      expect((await ask(30)).status).toBe(200)

      const since = async () => (await completeSince({ analytics, now: () => now }))('page_views')
      await applyRetention(analytics, { page_views: 90 }, now)
      expect(await since()).toBe(now - 60 * DAY_MS)
      now += 40 * DAY_MS
      expect(await since()).toBe(now - 90 * DAY_MS)
      await Promise.all([applyRetention(analytics, {}, now), applyRetention(analytics, {}, now)])
      expect(await since()).toBe(now - 90 * DAY_MS)
      now += 40 * DAY_MS
      expect(await since()).toBe(now - 130 * DAY_MS)
    })
  })
}
