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
import type { Snapshot } from '../../domain/snapshot.ts'
import type { HttpServer } from '../../http/server.ts'
import { readPosition, writePosition } from '../resources/paging.ts'
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
        operationId: 'listProducts',
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
      const sellers = sellersOf(deps.snapshot, principal)
      const search = { shopId, wanted, sellers, isWanted: isWanted(wanted, deps.now()) }
      const place = cursor === undefined ? ([0, ''] as const) : readPosition(cursor, 'number', 'string')
      const lists = wanted.systemProductId === undefined ? listsOf(index, search) : await listOfAd(deps, search)
      const { products, nextCursor } = await pageOf(lists, { limit, place })
      return { items: await views(shop, products, principal), nextCursor }
    },
  )
  server.get(
    '/v1/panel/products/:id',
    {
      onRequest,
      schema: {
        operationId: 'getProduct',
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
      const [named] = await withId(index, shop.id, id, { sellers })
      const filters = [idFilter(id), ...filtersOf({}, sellers)]
      const [product] = named ? [named] : await index.scan({ shopId: shop.id, filters, after: null, limit: 1 })
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

/** The filters that apply to what is found by its id, too. */
function filtersOf({ feedId }: Wanted, sellers: readonly string[] | null): Filter[] {
  return [
    ...(feedId === undefined ? [] : [{ kind: 'feed' as const, feedId }]),
    ...(sellers === null ? [] : [{ kind: 'sellers' as const, anyOf: [...sellers] }]),
  ]
}

/** Sellers whose products the caller sees; null for all. Advertisers see what they may advertise: the products of their sellers. */
export function sellersOf(snapshot: Snapshot, principal: Principal): readonly string[] | null {
  if (principal.role !== 'ADVERTISER') return null
  return snapshot.body('Account', principal.accountId)?.sellerIds ?? []
}

/** The offers with an id in the feed: one of each feed at most. */
async function withId(
  index: ProductIndex,
  shopId: string,
  id: string,
  { feedId, sellers }: Wanted & { sellers: readonly string[] | null },
): Promise<IndexedProduct[]> {
  const found = await index.get(shopId, [id])
  return found.filter(
    ({ offer }) =>
      (feedId === undefined || offer.feedId === feedId) &&
      (sellers === null || sellers.includes(offer.externalSellerId ?? '')),
  )
}

interface Search {
  shopId: string
  wanted: Wanted
  sellers: readonly string[] | null
  isWanted: IsWanted
}

/** Reads up to `limit` products of a list, by their keys: those after a key, or the first. `endedAt` is null at the end. */
type List = (after: string | null, limit: number) => Promise<{ products: IndexedProduct[]; endedAt: string | null }>

/** The products of one id: one of each feed. */
function listOfId(index: ProductIndex, { shopId, wanted, sellers, isWanted }: Search, id: string): List {
  return async (after, limit) => {
    const found = (await withId(index, shopId, id, { ...wanted, sellers })).filter(isWanted)
    const rest = found.filter((product) => keyOf(product) > (after ?? ''))
    const products = rest.slice(0, limit)
    return { products, endedAt: rest.length > limit ? keyOf(products.at(-1)!) : null }
  }
}

/** The product of an ad. */
async function listOfAd(deps: { index: ProductIndex; snapshot: Snapshot }, search: Search): Promise<List[]> {
  const id = await idBehind(deps, search.shopId, search.wanted.systemProductId!.toLowerCase())
  return id === null ? [] : [listOfId(deps.index, search, id)]
}

/**
 * The lists of a search: products whose id is `q`, then those whose productId is, then those that have its words. A feed may give
 * one productId to all of its offers, so these are read by pages like the others.
 */
function listsOf(index: ProductIndex, search: Search): List[] {
  const { shopId, wanted, sellers, isWanted } = search
  const { q, available } = wanted
  const filters = filtersOf(wanted, sellers)
  const ofText: Filter[] = [
    ...(q?.trim() ? [{ kind: 'text' as const, text: q, lang: null, minShare: 1, in: 'ALL_FIELDS' as const }] : []),
    ...filters,
    ...(available === true ? [{ kind: 'available' as const }] : []),
  ]
  const hasId = ({ offer }: IndexedProduct) => offer.id === q
  const isOfProduct = ({ offer }: IndexedProduct) => offer.id === q || offer.productId === q
  const listBut = (isLeftOut: IsWanted, filters: Filter[]): List => {
    const isListed: IsWanted = (product) => isWanted(product) && !isLeftOut(product)
    return (after, limit) => scan(index, { shopId, filters, after, limit, isWanted: isListed })
  }
  const ofIds = (id: string) => [listOfId(index, search, id), listBut(hasId, [idFilter(id), ...filters])]
  return [...(q === undefined ? [] : ofIds(q)), listBut(isOfProduct, ofText)]
}

/** One page over all lists. @param place where the page before ended: in which list, and after which key of it; '' for none. */
async function pageOf(
  lists: readonly List[],
  { limit, place }: { limit: number; place: readonly [list: number, after: string] },
) {
  const products: IndexedProduct[] = []
  let [at, after] = place
  for (let read = lists[at]; read !== undefined; read = lists[++at]) {
    if (products.length === limit) return { products, nextCursor: writePosition(at, after) }
    const stretch = await read(after || null, limit - products.length)
    products.push(...stretch.products)
    if (stretch.endedAt !== null) return { products, nextCursor: writePosition(at, stretch.endedAt) }
    after = ''
  }
  return { products, nextCursor: null }
}

const idFilter = (id: string): Filter => ({ kind: 'ids', ids: [id] })

async function scan(
  index: ProductIndex,
  wanted: { shopId: string; filters: Filter[]; after: string | null; limit: number; isWanted: IsWanted },
): ReturnType<List> {
  const { shopId, filters, limit } = wanted
  const products: IndexedProduct[] = []
  let { after } = wanted
  for (let scans = 0; scans < SCANS_PER_PAGE_MAX; scans++) {
    const page = await index.scan({ shopId, filters, after, limit })
    for (const product of page) {
      after = keyOf(product)
      if (!wanted.isWanted(product)) continue
      products.push(product)
      if (products.length === limit) return { products, endedAt: after }
    }
    if (page.length < limit) return { products, endedAt: null }
  }
  return { products, endedAt: after }
}

/** The key by which `scan` orders. */
function keyOf({ offer }: IndexedProduct): string {
  return `${offer.feedId}/${offer.id}`
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
