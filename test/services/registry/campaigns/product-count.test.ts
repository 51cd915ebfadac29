import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EntityBodies, EntityKind, RegistryEntry } from '../../../../schemas/records/entities.ts'
import type { ProductOffer } from '../../../../schemas/records/records.ts'
import { promotes } from '../../../../services/domain/campaign/promotion.ts'
import { withDigest } from '../../../../services/domain/catalogue/offer.ts'
import { hashToken } from '../../../../services/domain/identity/tokens.ts'
import { Snapshot } from '../../../../services/domain/snapshot.ts'
import { createHttpServer, type HttpServer } from '../../../../services/http/server.ts'
import { productCountApp } from '../../../../services/registry/campaigns/product-count.ts'
import { offerFromItem } from '../../../../services/registry/feeds/items/offer-from-item.ts'
import { createAccess } from '../../../../services/registry/rights/access.ts'
import { createAuthorize } from '../../../../services/registry/rights/auth.ts'
import { context, item, parse, rss } from '../feeds/documents.ts'
import { type Engines, openEngines } from '../feeds/engines.ts'

const NOW = Date.UTC(2026, 5, 15)
const [publisherId, advertiserId, shopId, otherShopId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
const [campaignId, foreignCampaignId] = [randomUUID(), randomUUID()]
const snapshot = new Snapshot()
let offers: ProductOffer[]
let engines: Engines
let indexedUpTo = NOW
let server: HttpServer

function put<K extends EntityKind>(kind: K, id: string, body: Partial<EntityBodies[K]>, version = 1) {
  snapshot.apply({
    kind,
    id,
    version,
    updatedAt: 0,
    updatedBy: '',
    deletedAt: null,
    body,
  } as unknown as RegistryEntry)
}

beforeAll(async () => {
  put('Account', publisherId, { kind: 'PUBLISHER', name: '', sellerIds: [] })
  put('Account', advertiserId, { kind: 'ADVERTISER', name: '', sellerIds: ['X', 'Y'] })
  const token = { name: '', scopes: ['panel' as const], expiresAt: null, revokedAt: null, createdBy: null }
  put('Token', randomUUID(), { ...token, accountId: publisherId, secretHash: hashToken('publisher') })
  put('Token', randomUUID(), { ...token, accountId: advertiserId, secretHash: hashToken('advertiser') })
  put('Shop', shopId, { accountId: publisherId, name: '', timeZone: 'UTC' })
  put('Shop', otherShopId, { accountId: randomUUID(), name: '', timeZone: 'UTC' })
  put('Campaign', campaignId, { accountId: advertiserId, shopId })
  put('Campaign', foreignCampaignId, { accountId: publisherId, shopId: otherShopId })
  engines = await openEngines()
  const feed = rss(
    item({ id: 'a', brand: 'Acme', product_type: 'Home > Lamps', price: '10 EUR', product_id: 'P' }),
    item({
      id: 'b',
      brand: 'ACME ',
      product_type: 'Home > Lamps > Desk',
      price: '20 EUR',
      availability: 'out of stock',
    }),
    item({ id: 'c', brand: 'Solvik', product_type: 'Home > Chairs', price: '30 EUR', custom_label_0: 'new' }),
    item({ id: 'x', brand: 'Acme', product_type: 'Home > Lamps', price: '40 EUR', external_seller_id: 'X' }),
    item({
      id: 'y',
      brand: 'Solvik',
      product_type: 'Home',
      price: '50 EUR',
      sale_price: '15 EUR',
      external_seller_id: 'Y',
    }),
  )
  offers = (await parse(feed)).map((each) =>
    withDigest({ ...offerFromItem(each, { ...context, shopId }).offer!, updatedAt: NOW }),
  )
  await engines.index.write(offers.map((offer, i) => ({ kind: 'offer' as const, version: i + 1, offer })))
  await engines.index.refresh()
  server = createHttpServer({ logger: false })
  productCountApp(server, {
    access: createAccess(snapshot),
    authorize: createAuthorize({ snapshot, bootstrapToken: null, now: () => NOW }),
    index: engines.index,
    snapshot,
    indexedUpTo: async () => indexedUpTo,
    now: () => NOW,
  })
})
afterAll(async () => {
  await server.close()
  await engines.close()
})

async function count(body: object, token = 'publisher') {
  const answer = await server.inject({
    method: 'POST',
    url: '/v1/panel/product-count',
    headers: { authorization: `Bearer ${token}` },
    payload: { shopId, ...body },
  })
  return { status: answer.statusCode, body: answer.json() }
}
const rules = [
  { brands: ['acme'] },
  { categoryPaths: ['home > LAMPS'] },
  { labels: ['new'] },
  { sellerIds: ['X'] },
  { priceMin: 15, priceMax: 30 },
  { priceMin: 15 },
  { brands: ['Solvik', 'Acme'], categoryPaths: ['Home > Lamps'], priceMax: 25 },
  { brands: ['nobody'] },
]

describe('the count of what a campaign would promote', () => {
  it.each(rules)('finds by %j what the rule lets each account promote', async (rule) => {
    const { priceMin, priceMax, ...lists } = rule as { priceMin?: number; priceMax?: number }
    const productRule = {
      ...{ brands: [], categoryPaths: [], labels: [], sellerIds: [] },
      ...lists,
      priceMinMicros: priceMin === undefined ? null : priceMin * 1e6,
      priceMaxMicros: priceMax === undefined ? null : priceMax * 1e6,
    }
    for (const [token, accountId] of [
      ['publisher', publisherId],
      ['advertiser', advertiserId],
    ] as const) {
      const campaign = {
        kind: 'SPONSORED',
        shopId,
        productIds: null,
        productRule,
      } as unknown as EntityBodies['Campaign']
      const account = snapshot.body('Account', accountId)!
      const expected = offers.filter((offer) => promotes(campaign, account, offer))
      const { body } = await count({ products: { rule } }, token)
      expect(body).toMatchObject({
        matching: expected.length,
        available: expected.filter(({ isAvailable }) => isAvailable).length,
        unknownIds: [],
      })
      expect(body.examples.map(({ id }: { id: string }) => id)).toEqual(expected.map(({ id }) => id))
    }
  })

  it('tells which ids are of no product that the account may promote', async () => {
    const products = { ids: ['b', 'y', 'none', 'P'] }
    expect((await count({ products })).body).toMatchObject({ matching: 2, available: 1, unknownIds: ['none', 'P'] })
    expect((await count({ products }, 'advertiser')).body).toEqual({
      matching: 1,
      available: 1,
      unknownIds: ['b', 'none', 'P'],
      examples: [expect.objectContaining({ id: 'y', price: 50, salePrice: 15, currency: 'EUR' })],
      indexing: false,
    })
  })

  it('counts for the account of a campaign that the caller sees', async () => {
    const products = { rule: { brands: ['Acme', 'Solvik'] } }
    for (const token of ['publisher', 'advertiser']) {
      expect((await count({ products, campaignId }, token)).body).toMatchObject({ matching: 2 })
    }
    expect((await count({ products })).body).toMatchObject({ matching: 5 })
  })

  it('says while a feed of the shop is being read or indexed', async () => {
    const [feedId, runId] = [randomUUID(), randomUUID()]
    const products = { rule: { brands: ['Acme'] } }
    const indexing = async () => (await count({ products })).body.indexing
    put('Feed', feedId, { shopId })
    expect(await indexing()).toBe(false)
    put('FeedRun', runId, { feedId, shopId, queuedAt: NOW, status: 'RUNNING', endedAt: null })
    expect(await indexing()).toBe(true)
    put('FeedRun', runId, { feedId, shopId, queuedAt: NOW, status: 'DONE', endedAt: NOW + 1 }, 2)
    expect(await indexing()).toBe(true)
    indexedUpTo = NOW + 1
    expect(await indexing()).toBe(false)
  })

  it('looks up as many ids as a campaign takes, and names the first hundred unknown ones', async () => {
    const ids = [...Array.from({ length: 9_998 }, (_, i) => `none-${i}`), 'a', 'c']
    const { body } = await count({ products: { ids } })
    expect(body).toMatchObject({ matching: 2, available: 2 })
    expect(body.unknownIds).toEqual(ids.slice(0, 100))
  })

  it.each([
    [{ products: {} }, '/products'],
    [{ products: { rule: {} } }, '/products/rule'],
    [{ products: { ids: ['a'], rule: { brands: ['b'] } } }, '/products'],
    [{ products: { ids: ['a'] }, shopId: otherShopId }, '/shopId'],
    [{ products: { ids: ['a'] }, accountId: advertiserId }, '/accountId'],
    [{ products: { ids: ['a'] }, campaignId, accountId: publisherId }, '/accountId'],
    [{ products: { ids: ['a'] }, campaignId: foreignCampaignId }, '/campaignId'],
    [{ products: { ids: ['a'] }, campaignId: randomUUID() }, '/campaignId'],
  ])('refuses %j', async (body, path) => {
    expect(await count(body)).toMatchObject({ status: 400, body: { errors: [{ path }] } })
  })
})
