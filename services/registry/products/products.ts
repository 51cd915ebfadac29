import type { Counters } from '../../../infra/counters/port.ts'
import type { Filter, IndexedProduct, ProductIndex } from '../../../infra/product-index/port.ts'
import { PAGE_LIMIT_DEFAULT, Page } from '../../../schemas/http/panel/common.ts'
import {
  ProductLookUpQuery,
  ProductParams,
  ProductSearchQuery,
  ProductView,
} from '../../../schemas/http/panel/shops/products-view.ts'
import { isAvailableAt } from '../../domain/catalogue/offer.ts'
import { systemProductId } from '../../domain/catalogue/system-product-id.ts'
import { Problem } from '../../domain/errors.ts'
import type { Entity, Snapshot } from '../../domain/snapshot.ts'
import type { HttpServer } from '../../http/server.ts'
import type { Access } from '../rights/access.ts'
import { type Authorize, type Principal, principalOf } from '../rights/auth.ts'
import { inShop } from '../rights/indexes.ts'
import { createProductView } from './product-view.ts'

export interface ProductsAppDeps {
  snapshot: Snapshot
  access: Access
  authorize: Authorize
  index: ProductIndex
  counters: Counters
  now: () => number
}

/** Pages of the index read for one page of unavailable products, which no filter finds. */
const SCANS_PER_PAGE_MAX = 20

/** Ids read at once. Hashing them takes a few milliseconds. */
const DIGESTS_PAGE = 2_000

/** GET /v1/panel/products: search, and look-up by id, with the reasons why a product cannot be shown. */
export function productsApp(server: HttpServer, deps: ProductsAppDeps): void {
  const { access, authorize, index } = deps
  const views = createProductView(deps)
  const onRequest = authorize('panel')
  server.get(
    '/v1/panel/products',
    {
      onRequest,
      schema: {
        summary: 'Search the products of a shop',
        description:
          'Ordered by feed and id. A product whose id is `q` comes first. A page may have fewer items than `limit` although ' +
          'there are more pages.',
        querystring: ProductSearchQuery,
        response: { 200: Page(ProductView) },
      },
    },
    async (request) => {
      const principal = principalOf(request)
      const { shopId, limit = PAGE_LIMIT_DEFAULT, cursor, ...wanted } = request.query
      const shop = access.need(principal, 'Shop', shopId)
      const filters = filtersOf(wanted, sellersOf(deps.snapshot, principal))
      const chosen = isWanted(wanted, deps.now())
      if (wanted.systemProductId !== undefined) {
        const id = await idBehind(deps, shopId, wanted.systemProductId.toLowerCase())
        const found = id === null ? [] : await byId(index, shop, id, filters)
        const products = found.filter(({ offer }) => offer.id === id).filter(chosen)
        return { items: await views(shop, products, principal), nextCursor: null }
      }
      // These come first, so that later pages leave them out.
      const exact = wanted.q === undefined ? [] : (await byId(index, shop, wanted.q, filters)).filter(chosen)
      const after = cursor === undefined ? null : readCursor(cursor)
      const page = await scan(index, { shopId, filters, after, limit, isWanted: chosen })
      const exactKeys = new Set(exact.map(keyOf))
      const others = page.products.filter((product) => !exactKeys.has(keyOf(product)))
      const products = cursor === undefined ? [...exact, ...others] : others
      return { items: await views(shop, products, principal), nextCursor: page.nextCursor }
    },
  )
  server.get(
    '/v1/panel/products/:id',
    {
      onRequest,
      schema: {
        summary: 'Read a product',
        params: ProductParams,
        querystring: ProductLookUpQuery,
        response: { 200: ProductView },
      },
    },
    async (request) => {
      const principal = principalOf(request)
      const shop = access.need(principal, 'Shop', request.query.shopId)
      const { id } = request.params
      const sellers = sellersOf(deps.snapshot, principal)
      const [product] = await byId(index, shop, id, filtersOf({}, sellers))
      if (!product) throw new Problem('NOT_FOUND', `The shop has no product ${id}`)
      return (await views(shop, [product], principal))[0]!
    },
  )
}

interface Wanted {
  systemProductId?: string | undefined
  q?: string | undefined
  feedId?: string | undefined
  available?: boolean | undefined
}

type IsWanted = (product: IndexedProduct) => boolean

/** The condition that no filter of the index can express. */
function isWanted({ available }: Wanted, now: number): IsWanted {
  return ({ offer }) => available === undefined || isAvailableAt(offer, now) === available
}

function filtersOf({ q, feedId, available }: Wanted, sellers: readonly string[] | null): Filter[] {
  return [
    ...(q?.trim() ? [{ kind: 'text' as const, text: q, lang: null, minShare: 1, in: 'ALL_FIELDS' as const }] : []),
    ...(feedId === undefined ? [] : [{ kind: 'feed' as const, feedId }]),
    ...(available === true ? [{ kind: 'available' as const }] : []),
    ...(sellers === null ? [] : [{ kind: 'sellers' as const, anyOf: [...sellers] }]),
  ]
}

/** Sellers whose products the caller sees; null for all. Advertisers see what they may advertise: the products of their sellers. */
export function sellersOf(snapshot: Snapshot, principal: Principal): readonly string[] | null {
  if (principal.role !== 'ADVERTISER') return null
  return snapshot.body('Account', principal.accountId)?.sellerIds ?? []
}

/** Offers with this id, then those with this productId. Only the filters by feed and seller apply. */
async function byId(
  index: ProductIndex,
  shop: Entity<'Shop'>,
  id: string,
  filters: readonly Filter[],
): Promise<IndexedProduct[]> {
  const found = await index.get(shop.id, [id])
  return found
    .filter(({ offer }) =>
      filters.every((filter) => {
        if (filter.kind === 'feed') return offer.feedId === filter.feedId
        if (filter.kind === 'sellers') return filter.anyOf.includes(offer.externalSellerId ?? '')
        return true
      }),
    )
    .sort((a, b) => Number(b.offer.id === id) - Number(a.offer.id === id))
}

async function scan(
  index: ProductIndex,
  wanted: { shopId: string; filters: Filter[]; after: string | null; limit: number; isWanted: IsWanted },
): Promise<{ products: IndexedProduct[]; nextCursor: string | null }> {
  const { shopId, filters, limit } = wanted
  const products: IndexedProduct[] = []
  let { after } = wanted
  for (let scans = 0; scans < SCANS_PER_PAGE_MAX; scans++) {
    const page = await index.scan({ shopId, filters, after, limit })
    for (const product of page) {
      after = keyOf(product)
      if (!wanted.isWanted(product)) continue
      products.push(product)
      if (products.length === limit) return { products, nextCursor: writeCursor(after) }
    }
    if (page.length < limit) return { products, nextCursor: null }
  }
  return { products, nextCursor: after === null ? null : writeCursor(after) }
}

/** The key by which `scan` orders. */
function keyOf({ offer }: IndexedProduct): string {
  return `${offer.feedId}/${offer.id}`
}

function writeCursor(key: string): string {
  return Buffer.from(key).toString('base64url')
}

function readCursor(cursor: string): string {
  const key = Buffer.from(cursor, 'base64url').toString()
  if (key.includes('/') && writeCursor(key) === cursor) return key
  const message = 'is not the nextCursor of a page'
  throw new Problem('INVALID', `querystring/cursor: ${message}`, { errors: [{ path: 'querystring/cursor', message }] })
}

/**
 * The feed id behind a `systemProductId` of a shop, or null. The id is a hash, so every id of the shop is tried. That takes
 * about a second for a million products, which is acceptable for a rare look-up and does not justify an index.
 */
async function idBehind(
  { index, snapshot }: { index: ProductIndex; snapshot: Snapshot },
  shopId: string,
  wanted: string,
): Promise<string | null> {
  for (const feed of [...snapshot.under(inShop.Feed, shopId)]) {
    for (let after: string | null = null; ; ) {
      const page: { id: string }[] = await index.digests(shopId, feed.id, after, DIGESTS_PAGE)
      const found = page.find(({ id }) => systemProductId(shopId, id) === wanted)
      if (found) return found.id
      if (page.length < DIGESTS_PAGE) break
      after = page.at(-1)!.id
    }
  }
  return null
}
