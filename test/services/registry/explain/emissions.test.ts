import { afterAll, beforeAll, expect, it } from 'vitest'
import { explainApp } from '../../../../services/registry/explain/app.ts'
import { createPseudonyms } from '../../../../services/registry/explain/pseudonyms.ts'
import { openWorld, type ShopId, type Who, type World } from '../reports/world.ts'

const HOUR_MS = 3_600_000
const now = Date.parse('2026-07-15T12:00:00Z')

interface Request {
  requestId: string
  hoursAgo: number
  shopId?: ShopId
  kind?: string
  cid?: string
  uid?: string
  unit?: string
  /** The campaign and the product of each ad. */
  ads?: [campaignId: string, adId: string][]
  dropped?: [campaignId: string, adId: string][]
}

const requests: Request[] = [
  {
    requestId: 'now',
    hoursAgo: 0,
    ads: [
      ['c-warsaw-1', 'sku'],
      ['c-warsaw-2', 'sku-2'],
    ],
  },
  { requestId: 'empty', hoursAgo: 1, cid: 'other', unit: 'u-warsaw-2' },
  { requestId: 'elsewhere', hoursAgo: 2, shopId: 'lordHowe', unit: 'u-lordHowe-1', ads: [['c-lordHowe-1', 'sku']] },
  { requestId: 'banner', hoursAgo: 30, kind: 'DISPLAY', uid: 'u7', unit: 'u-warsaw-3', ads: [['c-warsaw-3', 'b1']] },
  { requestId: 'outranked', hoursAgo: 200, ads: [['c-warsaw-2', 'sku-2']], dropped: [['c-warsaw-1', 'sku']] },
  { requestId: 'long-ago', hoursAgo: 31 * 24, ads: [['c-warsaw-1', 'sku']] },
]

let world: World
beforeAll(async () => {
  world = await openWorld()
  const pseudonyms = createPseudonyms(Buffer.alloc(32, 7))
  world.server.register(explainApp({ ...world, pseudonyms, now: () => now }))
  // The log may hold a record twice, because the answer to an append was lost.
  await world.analytics.insert('emissions', [...requests, ...requests].map(rowOf), { token: 'emissions' })
})
afterAll(() => world.close())

function rowOf({ hoursAgo, ads = [], dropped = [], unit = 'u-warsaw-1', ...request }: Request, i: number) {
  const slot = {
    ...{ slotHash: unit, adUnitId: unit, algorithm: 'CONTEXT_MATCH', candidates: 3 },
    shortfall: ads.length === 0 ? 'NO_CANDIDATES' : null,
    ads: ads.map(([campaignId, adId], at) => ({
      ...{ campaignId, adId, itemGroupId: null, position: at + 1, relevance: 1, predictedClickRate: 0.01 },
      ...{ bidMicros: 1, priceMicros: 1, autoPromo: false },
    })),
    dropped: dropped.map(([campaignId, adId]) => ({
      ...{ campaignId, adId, relevance: 1, bidMicros: 1, reason: 'OUTRANKED' },
    })),
  }
  return {
    ...{ _topic: 't', _partition: 0, _offset: i, shopId: 'warsaw', kind: 'SPONSORED', cid: 'me', uid: null },
    ...{ country: 'PL', elapsedMicros: 3_500, occurredAt: now - hoursAgo * HOUR_MS, slots: [slot] },
    ...request,
  }
}

const list = (query: string, who?: Who) => world.get(`/v1/panel/explain/emissions?${query}`, who)
async function ids(query: string, who?: Who): Promise<string[]> {
  return (await list(query, who)).body.items.map(({ requestId }: { requestId: string }) => requestId)
}

it('lists the requests of the last 30 days, the latest first, each with its slots and ads', async () => {
  const { body } = await list('')
  expect(body.items.map(({ requestId }: { requestId: string }) => requestId)).toEqual([
    'now',
    'empty',
    'elsewhere',
    'banner',
    'outranked',
  ])
  expect(body.nextCursor).toBeNull()
  expect(body.items[0]).toMatchObject({ shopName: 'Shop warsaw', clientId: 'me', elapsedMs: 3.5 })
  expect(body.items[0].slots).toEqual([
    {
      ...{
        adUnitId: 'u-warsaw-1',
        adUnitName: 'Unit u-warsaw-1',
        algorithm: 'CONTEXT_MATCH',
        shortfall: null,
        why: null,
      },
      ads: [
        { campaignId: 'c-warsaw-1', adId: 'sku', campaignName: 'Campaign c-warsaw-1' },
        { campaignId: 'c-warsaw-2', adId: 'sku-2', campaignName: 'Campaign c-warsaw-2' },
      ],
    },
  ])
  expect(body.items[1].slots[0]).toMatchObject({ ads: [], why: expect.stringContaining('running campaign') })
})

it.each([
  ['shopId=lordHowe', ['elsewhere']],
  ['adUnitId=u-warsaw-2', ['empty']],
  ['person=other', ['empty']],
  ['person=u7', ['banner']],
  ['productId=sku&shopId=warsaw', ['now', 'outranked']],
  ['kind=DISPLAY', ['banner']],
  ['campaignId=c-warsaw-1', ['now', 'outranked']],
  ['campaignId=c-warsaw-1&withAds=false', ['outranked']],
  ['campaignId=c-warsaw-1&productId=sku-2', []],
  ['campaignId=c-warsaw-1&shopId=lordHowe', []],
  ['withAds=false', ['empty']],
  ['withAds=true&shopId=warsaw', ['now', 'banner', 'outranked']],
  ['from=2026-07-15T10:30:00Z&to=2026-07-15T11:30:00Z', ['empty']],
  ['from=2026-06-01T00:00:00Z&shopId=warsaw&productId=sku&limit=9', ['now', 'outranked', 'long-ago']],
])('narrows them by %s', async (query, found) => {
  expect(await ids(query)).toEqual(found)
})

it('goes on where a page ended', async () => {
  const seen: string[] = []
  for (let cursor = ''; ; ) {
    const { body } = await list(`limit=2${cursor && `&cursor=${cursor}`}`)
    expect(body.items.length).toBeLessThanOrEqual(2)
    seen.push(...body.items.map(({ requestId }: { requestId: string }) => requestId))
    if (body.nextCursor === null) break
    cursor = body.nextCursor
  }
  expect(seen).toEqual(['now', 'empty', 'elsewhere', 'banner', 'outranked'])
})

it('shows a publisher the requests of its shops', async () => {
  expect(await ids('', 'pub-b')).toEqual(['elsewhere'])
  expect((await list('shopId=warsaw', 'pub-b')).status).toBe(404)
  expect((await list('adUnitId=u-warsaw-1', 'pub-b')).status).toBe(404)
  expect((await list('campaignId=c-warsaw-1', 'pub-b')).status).toBe(404)
})

it('shows an advertiser the requests that its campaigns took part in, its own ads, and no person', async () => {
  const { body } = await list('', 'adv-1')
  expect(body.items.map(({ requestId }: { requestId: string }) => requestId)).toEqual([
    'now',
    'elsewhere',
    'banner',
    'outranked',
  ])
  expect(body.items[0].slots[0].ads.map(({ campaignId }: { campaignId: string }) => campaignId)).toEqual(['c-warsaw-1'])
  expect(body.items[0].clientId).not.toBe('me')
  // The ad shown in this request is another advertiser's.
  expect(body.items[3].slots[0].ads).toEqual([])
  expect(await ids('withAds=false', 'adv-1')).toEqual(['outranked'])
  expect(await ids('productId=sku-2', 'adv-1')).toEqual([])
  expect(await ids('campaignId=c-warsaw-1', 'adv-1')).toEqual(['now', 'outranked'])
  expect((await list('campaignId=c-warsaw-2', 'adv-1')).status).toBe(404)
  expect((await list('person=me', 'adv-1')).status).toBe(403)
})

it('refuses a page of more than 100, a range of over 400 days and a cursor that is none', async () => {
  expect((await list('limit=101')).status).toBe(400)
  expect((await list('from=2024-01-01T00:00:00Z')).status).toBe(400)
  expect((await list('cursor=abc')).status).toBe(400)
})

it('says how far back it searched', async () => {
  expect((await list('person=nobody')).body).toEqual({
    items: [],
    nextCursor: null,
    searchedFrom: new Date(now + 60_000 - 30 * 24 * HOUR_MS).toISOString(),
  })
})

it('refuses a time whose ad requests are forgotten, and says from when on they are known', async () => {
  const until = now - 36 * HOUR_MS
  await world.analytics.insert('forgotten_rows', [{ tableName: 'emissions', until }], { token: 'forgotten' })
  const refused = await list('')
  const first = new Date(until).toISOString()
  expect([refused.status, refused.body.errors[0].path]).toEqual([400, 'querystring/from'])
  expect(refused.body.errors[0].message).toBe(`must be ${first} or later: ad requests from before are forgotten`)
  expect(await ids(`from=${first}`)).toEqual(['now', 'empty', 'elsewhere', 'banner'])
  // Its row may still be there.
  const gone = await world.get('/v1/panel/explain/emission/outranked')
  expect([gone.status, gone.body.detail]).toEqual([404, expect.stringContaining(`from before ${first} are forgotten`)])
  expect((await world.get('/v1/panel/explain/emission/banner')).status).toBe(200)
})
