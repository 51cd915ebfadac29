import type { Static } from 'typebox'
import type { Filter, IndexedProduct, ProductIndex } from '../../../infra/product-index/port.ts'
import {
  EXAMPLES_MAX,
  ProductCount,
  ProductCountBody,
  UNKNOWN_IDS_MAX,
} from '../../../schemas/http/panel/campaigns/campaigns.ts'
import type { Account } from '../../../schemas/records/accounts.ts'
import type { ProductRule } from '../../../schemas/records/entities.ts'
import { isAvailableAt } from '../../domain/catalogue/offer.ts'
import { fromMicros } from '../../domain/money/money.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { HttpServer } from '../../http/server.ts'
import type { IndexedUpTo } from '../feeds/runs/run-outcome.ts'
import { isUnderWay, latestRun } from '../feeds/runs/run-state.ts'
import { namedProducts } from '../products/named-products.ts'
import { FieldErrors } from '../resources/field-errors.ts'
import { ownAccount } from '../resources/own-account.ts'
import type { Access } from '../rights/access.ts'
import { type Authorize, type Principal, principalOf } from '../rights/auth.ts'
import { inShop } from '../rights/indexes.ts'
import { campaignFields } from './fields.ts'

export interface ProductCountDeps {
  access: Access
  authorize: Authorize
  index: ProductIndex
  snapshot: Snapshot
  indexedUpTo: IndexedUpTo
  now: () => number
}

/** POST /v1/panel/product-count: counts what a campaign would promote before the campaign exists. */
export function productCountApp(server: HttpServer, deps: ProductCountDeps): void {
  const { access, authorize, index, now } = deps
  server.post(
    '/v1/panel/product-count',
    {
      onRequest: authorize('panel'),
      schema: {
        operationId: 'countProducts',
        summary: 'Count what a campaign would promote',
        description:
          'Counts the products that a sponsored campaign of the account with these `products` may promote. Nothing is changed.',
        body: ProductCountBody,
        response: { 200: ProductCount },
      },
    },
    async (request) => {
      const principal = principalOf(request)
      const { shopId, products } = request.body
      const fieldErrors = new FieldErrors()
      const account = payerOf(deps, principal, request.body, fieldErrors)
      const shop = access.find(principal, 'Shop', shopId)
      fieldErrors.check(shop !== undefined, '/shopId', 'there is no such shop')
      const { productIds, productRule } = campaignFields({ products }, fieldErrors)
      fieldErrors.throwIfAny()
      const sellers = sellersOf(account!)
      // Asked before the products are counted: the count of an index that is complete is final.
      const indexing = await isIndexing(deps, shopId)
      const counted = productRule
        ? await countByRule(index, shopId, [...ruleFilters(productRule), ...sellers])
        : await countByIds(index, shopId, { ids: productIds ?? [], sellers, now: now() })
      return { ...counted, indexing }
    },
  )
}

/**
 * The account that would pay. Undefined, with a field error, when there is none. A caller who sees a campaign may count for its
 * account, even if the caller may not see the account itself.
 */
function payerOf(
  { access, snapshot }: ProductCountDeps,
  principal: Principal,
  { campaignId, accountId, shopId }: Static<typeof ProductCountBody>,
  fieldErrors: FieldErrors,
): Account | undefined {
  if (campaignId === undefined) return ownAccount({ access, principal, accountId, fieldErrors })?.body
  fieldErrors.check(accountId === undefined, '/accountId', 'cannot be set together with campaignId')
  const campaign = access.find(principal, 'Campaign', campaignId)
  const isOfShop = campaign?.body.shopId === shopId
  fieldErrors.check(isOfShop, '/campaignId', 'there is no such campaign in the shop')
  return campaign && snapshot.body('Account', campaign.body.accountId)
}

/** Whether the last run of any feed of the shop has not ended, or has changed offers that are not in the index yet. */
async function isIndexing({ snapshot, indexedUpTo }: ProductCountDeps, shopId: string): Promise<boolean> {
  const lastRuns = [...snapshot.under(inShop.Feed, shopId)].flatMap(({ id }) => latestRun(snapshot, id) ?? [])
  if (lastRuns.some(({ body }) => isUnderWay(body))) return true
  const lastEnd = Math.max(0, ...lastRuns.map(({ body }) => body.endedAt ?? 0))
  return lastEnd > (await indexedUpTo(lastEnd))
}

/** Advertisers promote the products of their sellers only. */
function sellersOf({ kind, sellerIds }: Account): Extract<Filter, { kind: 'sellers' }>[] {
  return kind === 'ADVERTISER' ? [{ kind: 'sellers', anyOf: sellerIds }] : []
}

/** Filters for the products that `promotes` lets a campaign with this rule promote. */
function ruleFilters(rule: ProductRule): Filter[] {
  const { brands, categoryPaths, labels, sellerIds, priceMinMicros, priceMaxMicros } = rule
  const lists: Filter[] = [
    { kind: 'brand', anyOf: brands },
    { kind: 'labels', anyOf: labels },
    { kind: 'sellers', anyOf: sellerIds },
  ]
  return [
    ...lists.filter((filter) => 'anyOf' in filter && filter.anyOf.length > 0),
    ...(categoryPaths.length > 0 ? [{ kind: 'categoryPaths' as const, paths: categoryPaths }] : []),
    { kind: 'price', minMicros: priceMinMicros, maxMicros: priceMaxMicros },
  ]
}

async function countByRule(index: ProductIndex, shopId: string, filters: Filter[]) {
  const [matching, available, examples] = await Promise.all([
    index.count(shopId, filters),
    index.count(shopId, [...filters, { kind: 'available' }]),
    index.scan({ shopId, filters, after: null, limit: EXAMPLES_MAX }),
  ])
  return { matching, available, unknownIds: [], examples: examples.map(example) }
}

async function countByIds(
  index: ProductIndex,
  shopId: string,
  { ids, sellers, now }: { ids: readonly string[]; sellers: ReturnType<typeof sellersOf>; now: number },
) {
  const named = await namedProducts(index, shopId, ids)
  const found = named.filter(({ offer }) => sellers.every(({ anyOf }) => anyOf.includes(offer.externalSellerId ?? '')))
  const known = new Set(found.map(({ offer }) => offer.id))
  return {
    matching: found.length,
    available: found.filter(({ offer }) => isAvailableAt(offer, now)).length,
    unknownIds: ids.filter((id) => !known.has(id)).slice(0, UNKNOWN_IDS_MAX),
    examples: found.slice(0, EXAMPLES_MAX).map(example),
  }
}

function example({ offer }: IndexedProduct) {
  const { feedId, id, title, imageLink, priceMicros, salePriceMicros, currency } = offer
  const salePrice = salePriceMicros === null ? null : fromMicros(salePriceMicros)
  return { feedId, id, title, imageLink, price: fromMicros(priceMicros), salePrice, currency }
}
