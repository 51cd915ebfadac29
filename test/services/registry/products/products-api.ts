import { randomUUID } from 'node:crypto'
import type { ProductIndex } from '../../../../infra/product-index/port.ts'
import type { EntityBodies, EntityKind, RegistryEntry } from '../../../../schemas/records/entities.ts'
import { NO_DISPLAY } from '../../../../services/domain/campaign/campaign.ts'
import { withDigest } from '../../../../services/domain/catalogue/offer.ts'
import { hashToken } from '../../../../services/domain/identity/tokens.ts'
import { toMicros } from '../../../../services/domain/money/money.ts'
import { Snapshot } from '../../../../services/domain/snapshot.ts'
import { createHttpServer } from '../../../../services/http/server.ts'
import { offerFromItem } from '../../../../services/registry/feeds/items/offer-from-item.ts'
import { productsApp } from '../../../../services/registry/products/products.ts'
import { sellersApp } from '../../../../services/registry/products/sellers.ts'
import { createAccess } from '../../../../services/registry/rights/access.ts'
import { createAuthorize } from '../../../../services/registry/rights/auth.ts'
import { promotedOffer } from '../../../infra/product-index/offer.fixture.ts'
import { context, item, parse, rss } from '../feeds/documents.ts'
import { openEngines } from '../feeds/engines.ts'

export const NOW = Date.UTC(2026, 5, 15)
const [publisherId, advertiserId] = [randomUUID(), randomUUID()]
export const [shopId, otherShopId] = [randomUUID(), randomUUID()]
export const [runningId, pausedId, foreignId] = [randomUUID(), randomUUID(), randomUUID()]

type Put = <K extends EntityKind>(kind: K, id: string, body: EntityBodies[K]) => void
export type ProductsApi = Awaited<ReturnType<typeof openProductsApi>>

/** The API of products and sellers over an embedded index, with a shop of four products and three campaigns. */
export async function openProductsApi() {
  const snapshot = new Snapshot()
  const engines = await openEngines()
  const put: Put = (kind, id, body) =>
    snapshot.apply({ kind, id, version: 1, updatedAt: 0, updatedBy: '', deletedAt: null, body } as RegistryEntry)
  writeRegistry(put)
  const { index } = engines
  await indexProducts(index)
  const server = createHttpServer({ logger: false })
  const counters = { shards: 1, read: async (keys: readonly string[]) => keys.map(() => 0) } as never
  const access = createAccess(snapshot)
  const authorize = createAuthorize({ snapshot, bootstrapToken: null, now: () => NOW })
  sellersApp(server, { snapshot, access, authorize, index })
  productsApp(server, { snapshot, access, authorize, index, counters, now: () => NOW })

  async function get(path: string, token = 'publisher') {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await server.inject({ method: 'GET', url: `/v1/panel/${path}`, headers })
    return { status: answer.statusCode, body: answer.json() }
  }

  async function putOffers(shopId: string, feedId: string, ...items: string[]): Promise<void> {
    const read = (each: Parameters<typeof offerFromItem>[0]) =>
      offerFromItem(each, { ...context, shopId, feedId }).offer!
    const offers = (await parse(rss(...items))).map(read)
    await index.write(
      offers.map((offer) => ({ kind: 'offer', version: 1, offer: withDigest({ ...offer, updatedAt: NOW }) })),
    )
    await index.refresh()
  }

  return {
    get,
    putOffers,
    /** Adds a feed like that of the shop. */
    putFeed: (feedId: string, shopId: string) => put('Feed', feedId, { ...snapshot.body('Feed', 'F')!, shopId }),
    /** A new shop whose products are those of a feed. */
    async shopOf(...items: string[]): Promise<string> {
      const id = randomUUID()
      put('Shop', id, { ...snapshot.body('Shop', shopId)! })
      await putOffers(id, 'F', ...items)
      return id
    },
    async close() {
      await server.close()
      await engines.close()
    },
  }
}

function writeRegistry(put: Put) {
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
    reserveCpcMicros: 100,
    transactionTrust: 'OPEN' as const,
    invalidTraffic: [],
    synonyms: '',
  }
  put('Shop', shopId, { ...shop, accountId: publisherId })
  put('Shop', otherShopId, { ...shop, accountId: randomUUID() })
  const campaign = {
    ...{ kind: 'SPONSORED' as const, shopId, name: '', startAt: 0, endAt: null, status: 'ACTIVE' as const },
    ...{ budgetMicros: toMicros(10), dailyBudgetMicros: null, pacing: 'ASAP' as const, capping: null },
    ...{ attributionProductIds: [], productRule: null, cpcMicros: toMicros(1), autoPromo: false },
    archivedAt: null,
    ...NO_DISPLAY,
  }
  put('Feed', 'F', {
    ...{ shopId, name: '', url: null, currency: 'EUR', lang: 'en' },
    ...{ etag: null, lastModified: null, contentHash: null, username: null, password: null, keptUpload: null },
  })
  put('Campaign', runningId, { ...campaign, accountId: publisherId, productIds: ['a'] })
  put('Campaign', pausedId, { ...campaign, accountId: publisherId, productIds: ['a', 'b'], status: 'PAUSED' })
  // Lists a product of a seller that is not the advertiser's, so the index does not know of this campaign.
  put('Campaign', foreignId, { ...campaign, accountId: advertiserId, productIds: ['c', 'x'] })
}

async function indexProducts(index: ProductIndex) {
  const feed = rss(
    item({ id: 'a', title: 'Red lamp', sale_price: '10 EUR', product_id: 'P' }),
    item({ id: 'b', title: 'Blue lamp', availability: 'out of stock' }),
    item({ id: 'c', title: 'Green chair' }),
    item({ id: 'x', title: 'Lamp of a seller', external_seller_id: 'X' }),
  )
  const promoted: Record<string, string[]> = { a: [runningId, pausedId], b: [pausedId], x: [foreignId] }
  const offers = (await parse(feed)).map((each) => offerFromItem(each, { ...context, shopId }).offer!)
  for (const offer of offers) {
    await index.write(promotedOffer(withDigest({ ...offer, updatedAt: NOW }), promoted[offer.id] ?? []))
  }
  await index.refresh()
}
