import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Analytics,
  AnalyticsDamaged,
  AnalyticsGaveUp,
  AnalyticsUnavailable,
} from '../../../../infra/analytics/port.ts'
import { createHttpServer } from '../../../../services/http/server.ts'
import { reportsApp } from '../../../../services/registry/reports/app.ts'
import { openWorld, tokens, type Who, type World } from './world.ts'

/** A store that nothing may be asked of: what is refused here is refused before. */
const unasked = {
  insert: async () => {},
  query: () => Promise.reject(new Error('the store was asked')),
} as unknown as Analytics

let world: World
beforeAll(async () => {
  world = await openWorld(unasked)
  world.server.register(reportsApp(world))
})
afterAll(() => world.close())

const july = 'from=2026-07-01&to=2026-08-01'

describe('a report that cannot be given', () => {
  it.each([
    ['pub-a', 'shopId=lordHowe'],
    ['pub-a', 'campaignId=c-lordHowe-1'],
    ['pub-a', 'adUnitId=u-lordHowe-1'],
    ['pub-a', 'placementId=p-lordHowe-1'],
    ['pub-b', 'accountId=adv-2'],
    ['adv-1', 'accountId=adv-2'],
    ['adv-1', 'campaignId=c-warsaw-2'],
    ['adv-1', 'shopId=nowhere'],
    ['adv-2', 'adUnitId=u-lordHowe-1'],
    ['operator', 'shopId=nowhere'],
    ['operator', "campaignId=' OR 1=1 --"],
  ] as [Who, string][])('answers %s 404 for %s', async (who, filter) => {
    const { status, body } = await world.get(`/v1/panel/reports?${july}&${filter}`, who)
    expect([status, body.code]).toEqual([404, 'NOT_FOUND'])
  })

  it('is empty, and no 404, for an advertiser who asks about a shop without its campaigns', async () => {
    const { status, body } = await world.get(
      `/v1/panel/reports?${july}&shopId=newYork&groupBy=day&metrics=views`,
      'adv-1',
    )
    expect([status, body.rows, body.totals]).toEqual([200, [], { currency: null, views: 0 }])
  })

  it.each([
    ['', 'from'],
    ['from=2026-01-01', 'to'],
    ['from=yesterday&to=2026-01-01', 'from'],
    ['from=2026-02-30&to=2026-03-01', 'from'],
    ['from=2026-01-01T00:00:00&to=2026-03-01', 'from'],
    ['from=9999-01-01&to=9999-01-02', 'from'],
    ['from=2026-01-02&to=2026-01-02', 'to'],
    ['from=2026-01-02&to=2026-01-01', 'to'],
    ['from=2025-01-01&to=2026-03-01', 'to'],
    [`${july}&groupBy=day);DROP TABLE emissions`, 'groupBy'],
    [`${july}&groupBy=constructor`, 'groupBy'],
    [`${july}&groupBy=hour,day,shop,account,campaign`, 'groupBy'],
    [`${july}&groupBy=`, 'groupBy'],
    [`${july}&metrics=views,profit`, 'metrics'],
    [`${july}&country=Poland`, 'country'],
    [`${july}&verdict=VALID`, 'verdict'],
    [`${july}&model=BEST`, 'model'],
    [`${july}&clickWindowHours=-1`, 'clickWindowHours'],
    [`${july}&viewWindowHours=many`, 'viewWindowHours'],
    [`${july}&model=LINEAR`, 'shopId'],
    [`${july}&format=xml`, 'format'],
    [`${july}&shopId=a&shopId=b`, 'shopId'],
    [`${july}&limit=0`, 'limit'],
    [`${july}&__proto__=5`, '__proto__'],
  ])('answers 400 to %s and names %s', async (query, name) => {
    const { status, body } = await world.get(`/v1/panel/reports?${query}`)
    expect(status).toBe(400)
    expect(body.errors.map((error: { path: string }) => error.path)).toContain(`querystring/${name}`)
  })

  it.each([
    [new AnalyticsGaveUp('Code: 159'), 'REPORT_TOO_SLOW', '30', 'choose a shorter period'],
    [new AnalyticsUnavailable('connect ECONNREFUSED 10.0.0.1'), 'REPORTS_UNAVAILABLE', '5', 'does not respond'],
    [
      new AnalyticsDamaged('The part 202607_1_1_0 of page_views is damaged'),
      'REPORTS_UNAVAILABLE',
      '60',
      'docs/operating.md#damaged-tables',
    ],
  ])('says why there is no report, and when to ask again: %s', async (error, code, retryAfter, detail) => {
    const server = createHttpServer({ logger: false })
    server.register(reportsApp({ ...world, analytics: { ...world.analytics, query: () => Promise.reject(error) } }))
    const headers = { authorization: `Bearer ${tokens['pub-a']}` }
    const answer = await server.inject({ url: `/v1/panel/reports?${july}&metrics=views`, headers })
    expect([answer.statusCode, answer.json().code, answer.headers['retry-after']]).toEqual([503, code, retryAfter])
    expect(answer.json().detail).toContain(detail)
    expect(answer.body).not.toContain(error.message)
  })

  it('is cut at 10,000 rows, and over 100,000 there is no file that could not say so', async () => {
    const server = createHttpServer({ logger: false })
    const product = (_: unknown, i: number) => ({ isTotal: 0, currency: 'PLN', product: `p${i}`, sums: ['1'] })
    const rowsOf = (count: number) => [
      ...Array.from({ length: count }, product),
      { isTotal: 1, currency: 'PLN', sums: [`${count}`] },
    ]
    let stored = rowsOf(10_000)
    const named: string[] = []
    const index = {
      async get(_shopId: string, ids: readonly string[]) {
        named.push(...ids)
        return []
      },
    }
    const query = async <T>() => stored as T[]
    server.register(reportsApp({ ...world, index, analytics: { ...world.analytics, query } }))
    const read = (format: string) =>
      server.inject({
        url: `/v1/panel/reports?${july}&shopId=warsaw&groupBy=product&metrics=views&format=${format}`,
        headers: { authorization: `Bearer ${tokens['pub-a']}` },
      })

    expect((await read('json')).json()).toMatchObject({ truncated: false, totals: { views: 10_000 } })
    stored = rowsOf(10_001)
    const { rows, truncated } = (await read('json')).json()
    expect([rows.length, truncated]).toEqual([10_000, true])
    stored = rowsOf(100_000)
    expect((await read('csv')).body.split('\r\n')).toHaveLength(100_000 + 2)
    stored = rowsOf(100_001)
    named.length = 0
    const refused = await read('csv')
    expect([refused.statusCode, refused.json().code]).toEqual([413, 'TOO_LARGE'])
    expect(named).toEqual([])
  })
})
