import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EntityBodies, EntityKind, RegistryEntry } from '../../../../schemas/records/entities.ts'
import { NO_DISPLAY } from '../../../../services/domain/campaign/campaign.ts'
import { withDigest } from '../../../../services/domain/catalogue/offer.ts'
import { systemProductId } from '../../../../services/domain/catalogue/system-product-id.ts'
import { hashToken } from '../../../../services/domain/identity/tokens.ts'
import { toMicros } from '../../../../services/domain/money/money.ts'
import { Snapshot } from '../../../../services/domain/snapshot.ts'
import { createHttpServer, type HttpServer } from '../../../../services/http/server.ts'
import { offerFromItem } from '../../../../services/registry/feeds/items/offer-from-item.ts'
import { productsApp } from '../../../../services/registry/products/products.ts'
import { sellersApp } from '../../../../services/registry/products/sellers.ts'
import { createAccess } from '../../../../services/registry/rights/access.ts'
import { createAuthorize } from '../../../../services/registry/rights/auth.ts'
import { promotedOffer } from '../../../infra/product-index/offer.fixture.ts'
import { context, item, parse, rss } from '../feeds/documents.ts'
import { type Engines, openEngines } from '../feeds/engines.ts'

const NOW = Date.UTC(2026, 5, 15)
const [publisherId, advertiserId, shopId, otherShopId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
const [runningId, pausedId, foreignId] = [randomUUID(), randomUUID(), randomUUID()]
const snapshot = new Snapshot()
let engines: Engines
let server: HttpServer

beforeAll(async () => {
  engines = await openEngines()
  setUp()
  await index()
  server = createHttpServer({ logger: false })
  const counters = { shards: 1, read: async (keys: readonly string[]) => keys.map(() => 0) } as never
  const authorize = createAuthorize({ snapshot, bootstrapToken: null, now: () => NOW })
  sellersApp(server, { snapshot, access: createAccess(snapshot), authorize, index: engines.index })
  productsApp(server, {
    snapshot,
    access: createAccess(snapshot),
    authorize,
    index: engines.index,
    counters,
    now: () => NOW,
  })
})
afterAll(async () => {
  await server.close()
  await engines.close()
})

function put<K extends EntityKind>(kind: K, id: string, body: EntityBodies[K]) {
  snapshot.apply({ kind, id, version: 1, updatedAt: 0, updatedBy: '', deletedAt: null, body } as RegistryEntry)
}

function setUp() {
  const account = { name: '', companyName: '', taxNumber: '', displayEnabled: false }
  put('Account', publisherId, { ...account, kind: 'PUBLISHER', sellerIds: [] })
  put('Account', advertiserId, { ...account, kind: 'ADVERTISER', sellerIds: ['X'] })
  const token = {
    name: '',
    scopes: ['panel' as const],
    expiresAt: null,
    revokedAt: null,
    createdBy: null,
    createdAt: null,
    lastUsedAt: null,
  }
  put('Token', randomUUID(), { ...token, accountId: publisherId, secretHash: hashToken('publisher') })
  put('Token', randomUUID(), { ...token, accountId: advertiserId, secretHash: hashToken('advertiser') })
  const shop = {
    name: '',
    currency: 'EUR',
    lang: 'en',
    country: 'DE',
    timeZone: 'UTC',
    clickWindowHours: 1,
    viewWindowHours: 1,
  }
  put('Shop', shopId, {
    ...shop,
    accountId: publisherId,
    reserveCpcMicros: 100,
    transactionTrust: 'OPEN',
    invalidTraffic: [],
    synonyms: '',
  })
  put('Shop', otherShopId, {
    ...shop,
    accountId: randomUUID(),
    reserveCpcMicros: 100,
    transactionTrust: 'OPEN',
    invalidTraffic: [],
    synonyms: '',
  })
  const campaign = {
    ...{ kind: 'SPONSORED' as const, shopId, name: '', startAt: 0, endAt: null, status: 'ACTIVE' as const },
    ...{ budgetMicros: toMicros(10), dailyBudgetMicros: null, pacing: 'ASAP' as const, capping: null },
    ...{ attributionProductIds: [], productRule: null, cpcMicros: toMicros(1), autoPromo: false },
    archivedAt: null,
    ...NO_DISPLAY,
  }
  const feed = { shopId, name: '', url: null, currency: 'EUR', lang: 'en', ...unfetched }
  put('Feed', 'F', feed)
  put('Campaign', runningId, { ...campaign, accountId: publisherId, productIds: ['a'] })
  put('Campaign', pausedId, { ...campaign, accountId: publisherId, productIds: ['a', 'b'], status: 'PAUSED' })
  // Lists a product of a seller that is not the advertiser's, so the index does not know of this campaign.
  put('Campaign', foreignId, { ...campaign, accountId: advertiserId, productIds: ['c', 'x'] })
}

async function index() {
  const feed = rss(
    item({ id: 'a', title: 'Red lamp', sale_price: '10 EUR', product_id: 'P' }),
    item({ id: 'b', title: 'Blue lamp', availability: 'out of stock' }),
    item({ id: 'c', title: 'Green chair' }),
    item({ id: 'x', title: 'Lamp of a seller', external_seller_id: 'X' }),
  )
  const promoted: Record<string, string[]> = { a: [runningId, pausedId], b: [pausedId], x: [foreignId] }
  const offers = (await parse(feed)).map((each) => offerFromItem(each, { ...context, shopId }).offer!)
  for (const offer of offers) {
    await engines.index.write(promotedOffer(withDigest({ ...offer, updatedAt: NOW }), promoted[offer.id] ?? []))
  }
  await engines.index.refresh()
}

async function get(path: string, token = 'publisher') {
  const answer = await server.inject({
    method: 'GET',
    url: `/v1/panel/products${path}`,
    headers: { authorization: `Bearer ${token}` },
  })
  return { status: answer.statusCode, body: answer.json() }
}
const idsOf = async (query: string, token?: string) =>
  (await get(`?shopId=${shopId}${query}`, token)).body.items.map(({ id }: { id: string }) => id)

/** The ids on each page of a search. */
async function pagesOf(query: string): Promise<string[][]> {
  const pages: string[][] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await get(`?${query}${cursor && `&cursor=${cursor}`}`)
    pages.push(body.items.map(({ id }: { id: string }) => id))
    cursor = body.nextCursor
  }
  return pages
}

/** A new shop whose products are those of a feed. */
async function shopOf(...items: string[]): Promise<string> {
  const id = randomUUID()
  put('Shop', id, { ...snapshot.body('Shop', shopId)! })
  await putOffers(id, 'F', ...items)
  return id
}

async function putOffers(shopId: string, feedId: string, ...items: string[]): Promise<void> {
  const read = (each: Parameters<typeof offerFromItem>[0]) => offerFromItem(each, { ...context, shopId, feedId }).offer!
  const offers = (await parse(rss(...items))).map(read)
  await engines.index.write(
    offers.map((offer) => ({ kind: 'offer', version: 1, offer: withDigest({ ...offer, updatedAt: NOW }) })),
  )
  await engines.index.refresh()
}

const unfetched = {
  ...{ etag: null, lastModified: null, contentHash: null, username: null, password: null, keptUpload: null },
}

describe('the products of a shop', () => {
  it('are listed with their campaigns and why they are not shown', async () => {
    const { body } = await get(`?shopId=${shopId}`)
    expect(body.nextCursor).toBeNull()
    expect(body.items).toMatchObject([
      { id: 'a', price: 12.5, salePrice: 10, campaignIds: [runningId, pausedId], whyNot: [] },
      {
        id: 'b',
        isAvailable: false,
        whyNot: [
          { code: 'NOT_AVAILABLE', campaignId: null },
          { code: 'CAMPAIGN_PAUSED', campaignId: pausedId },
        ],
      },
      { id: 'c', whyNot: [{ code: 'SELLER_MISMATCH', campaignId: foreignId }] },
      { id: 'x', whyNot: [] },
    ])
    expect(body.items[0].updatedAt).toBe(new Date(NOW).toISOString())
  })

  it('are each listed once, page by page, also the one whose id is looked for', async () => {
    const lampShopId = await shopOf(
      item({ id: 'a', title: 'Red lamp' }),
      item({ id: 'b', title: 'Blue lamp' }),
      item({ id: 'lamp', title: 'Plain lamp' }),
    )
    expect((await pagesOf(`shopId=${lampShopId}&q=lamp&limit=2`)).flat()).toEqual(['lamp', 'a', 'b'])
  })

  it('come in pages when several feeds have one id, too', async () => {
    const lampShopId = await shopOf(item({ id: 'lamp' }), item({ id: 'a', title: 'Red lamp' }))
    for (const feedId of ['G', 'H']) {
      put('Feed', feedId, { ...snapshot.body('Feed', 'F')!, shopId: lampShopId })
      await putOffers(lampShopId, feedId, item({ id: 'lamp' }))
    }
    for (const limit of [1, 2, 3, 4]) {
      const pages = await pagesOf(`shopId=${lampShopId}&q=lamp&limit=${limit}`)
      expect(pages.flat(), `by ${limit}`).toEqual(['lamp', 'lamp', 'lamp', 'a'])
      expect(Math.max(...pages.map(({ length }) => length))).toBe(limit)
      const id = systemProductId(lampShopId, 'lamp')
      const found = await pagesOf(`shopId=${lampShopId}&systemProductId=${id}&limit=${limit}`)
      expect(found.flat()).toEqual(['lamp', 'lamp', 'lamp'])
      expect(Math.max(...found.map(({ length }) => length))).toBe(Math.min(limit, 3))
    }
  })

  it('are found by words, by id first, by feed and by availability', async () => {
    expect(await idsOf('&q=lamp')).toEqual(['a', 'b', 'x'])
    expect(await idsOf('&q=blue+lamp')).toEqual(['b'])
    expect(await idsOf('&q=c')).toEqual(['c'])
    expect(await idsOf('&q=P')).toEqual(['a'])
    expect(await idsOf('&feedId=G')).toEqual([])
    expect(await idsOf('&available=true')).toEqual(['a', 'c', 'x'])
    expect(await idsOf('&available=false')).toEqual(['b'])
    expect(await idsOf('&available=false&q=a')).toEqual([])
  })

  it('are found by the id that ads carry', async () => {
    const { body } = await get(`?shopId=${shopId}&q=c`)
    const { systemProductId: id } = body.items[0]
    expect(id).toBe(systemProductId(shopId, 'c'))
    expect(await idsOf(`&systemProductId=${id}`)).toEqual(['c'])
    expect(await idsOf(`&systemProductId=${id.toUpperCase()}&available=true&feedId=F`)).toEqual(['c'])
    expect(await idsOf(`&systemProductId=${id}&available=false`)).toEqual([])
    expect(await idsOf(`&systemProductId=${id}`, 'advertiser')).toEqual([])
    expect(await idsOf(`&systemProductId=${systemProductId(otherShopId, 'c')}`)).toEqual([])
    expect((await get(`?shopId=${shopId}&systemProductId=c`)).status).toBe(400)
  })

  it('come in pages that leave none out', async () => {
    for (const filter of ['', '&available=true', '&q=lamp']) {
      expect((await pagesOf(`shopId=${shopId}&limit=1${filter}`)).flat()).toEqual(await idsOf(filter))
    }
  })

  it('come in pages when a feed gives one productId to many of them, too', async () => {
    // As long as an id can be.
    const ids = Array.from({ length: 7 }, (_, i) => `${'ä'.repeat(99)}${i}`)
    const sameShopId = await shopOf(
      ...ids.map((id) => item({ id, title: 'Lamp', product_id: 'same' })),
      item({ id: 'b', title: 'The same lamp' }),
      item({ id: 'same', title: 'Lamp', product_id: 'same' }),
    )
    for (const limit of [1, 2, 3, 7, 8, 9, 10]) {
      const pages = await pagesOf(`shopId=${sameShopId}&q=same&limit=${limit}`)
      for (const page of pages) expect(page.length).toBeLessThanOrEqual(limit)
      expect(pages.flat(), `by ${limit}`).toEqual(['same', ...ids, 'b'])
    }
    expect(await get(`/same?shopId=${sameShopId}`)).toMatchObject({ status: 200, body: { id: 'same' } })
  })

  it('are, for an advertiser, those of its sellers, with its own campaigns', async () => {
    expect(await idsOf('', 'advertiser')).toEqual(['x'])
    expect(await idsOf('&q=red', 'advertiser')).toEqual([])
    expect(await get(`/a?shopId=${shopId}`, 'advertiser')).toMatchObject({ status: 404 })
    expect(await get(`/x?shopId=${shopId}`, 'advertiser')).toMatchObject({ body: { campaignIds: [foreignId] } })
  })

  it('are read one by one, by id or productId', async () => {
    expect(await get(`/a?shopId=${shopId}`)).toMatchObject({ status: 200, body: { id: 'a', title: 'Red lamp' } })
    expect(await get(`/P?shopId=${shopId}`)).toMatchObject({ status: 200, body: { id: 'a' } })
    expect(await get(`/none?shopId=${shopId}`)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
  })

  it.each([
    ['', 400, 'querystring/shopId'],
    [`?shopId=nonsense`, 400, 'querystring/shopId'],
    [`?shopId=${shopId}&available=maybe`, 400, 'querystring/available'],
    [`?shopId=${shopId}&cursor=x`, 400, 'querystring/cursor'],
    [`?shopId=${shopId}&limit=5000`, 400, 'querystring/limit'],
  ])('refuse the query "%s"', async (query, status, path) => {
    expect(await get(query)).toMatchObject({ status, body: { errors: [{ path }] } })
  })

  it('of another account do not exist', async () => {
    expect(await get(`?shopId=${otherShopId}`)).toMatchObject({ status: 404 })
    expect(await get(`?shopId=${shopId}`, 'nobody')).toMatchObject({ status: 401 })
  })
})

describe('the sellers of a shop', () => {
  const sellers = async (query: string, token = 'publisher') => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await server.inject({ method: 'GET', url: `/v1/panel/sellers${query}`, headers })
    return { status: answer.statusCode, body: answer.json() }
  }

  it('are counted by their products', async () => {
    const all = { items: [{ sellerId: 'X', productCount: 1 }], productCount: 4 }
    expect((await sellers(`?shopId=${shopId}`)).body).toEqual(all)
    expect((await sellers(`?shopId=${shopId}&q=x&ids=X&ids=Y`)).body).toEqual(all)
    expect((await sellers(`?shopId=${shopId}&q=y`)).body).toEqual({ items: [], productCount: 4 })
    expect((await sellers(`?shopId=${shopId}&ids=Y`)).body).toEqual({ items: [], productCount: 4 })
  })

  it('are to an advertiser those that its account may advertise, and to others none', async () => {
    expect((await sellers(`?shopId=${shopId}`, 'advertiser')).body).toEqual({
      items: [{ sellerId: 'X', productCount: 1 }],
      productCount: 1,
    })
    expect((await sellers(`?shopId=${shopId}&ids=Y`, 'advertiser')).body.items).toEqual([])
    expect((await sellers(`?shopId=${otherShopId}`)).status).toBe(404)
  })
})
