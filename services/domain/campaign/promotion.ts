import type { Account } from '../../../schemas/records/accounts.ts'
import type { Campaign, ProductRule } from '../../../schemas/records/entities.ts'
import type { ProductOffer } from '../../../schemas/records/records.ts'
import { pathAndAbove, pathKey } from '../catalogue/categories.ts'

/** What a shopper pays: the sale price when there is one. */
export const effectivePriceMicros = (offer: Pick<ProductOffer, 'priceMicros' | 'salePriceMicros'>): number =>
  offer.salePriceMicros ?? offer.priceMicros

/** Brands are the same when they differ in case or outer spaces only. */
export const normalBrand = (brand: string): string => brand.trim().toLowerCase()

/**
 * Whether a campaign may advertise an offer, whatever its dates, switch and budget: the offer is of the campaign's shop, among
 * its products, and, for an advertiser, sold by one of the account's sellers.
 */
export function promotes(campaign: Campaign, account: Account | null, offer: ProductOffer): boolean {
  const { productIds } = campaign
  if (productIds && !productIds.includes(offer.id)) return false
  const check = promotionCheck(campaign, account)
  return check !== null && passes(check, factsOf(offer))
}

/** What a campaign requires of the offers that it lists or, when it has a rule, of any offer. Null when it promotes nothing. */
export function promotionCheck(campaign: Campaign, account: Account | null): PromotionCheck | null {
  if (campaign.kind !== 'SPONSORED' || account === null) return null
  const isOwned = ownedBy(campaign, account)
  const { productIds, productRule } = campaign
  if (productIds) return { minMicros: Number.NEGATIVE_INFINITY, maxMicros: Number.POSITIVE_INFINITY, accepts: isOwned }
  if (!productRule) return null
  const fits = compiledRule(productRule)
  return {
    minMicros: productRule.priceMinMicros ?? Number.NEGATIVE_INFINITY,
    maxMicros: productRule.priceMaxMicros ?? Number.POSITIVE_INFINITY,
    accepts: (facts) => fits(facts) && isOwned(facts),
  }
}

export const passes = ({ minMicros, maxMicros, accepts }: PromotionCheck, facts: OfferFacts): boolean =>
  facts.priceMicros >= minMicros && facts.priceMicros <= maxMicros && accepts(facts)

/** The properties of an offer that rules compare. */
export interface OfferFacts {
  shopId: string
  id: string
  sellerId: string | null
  brand: string | null
  paths: ReadonlySet<string>
  labels: readonly string[]
  priceMicros: number
}

type Check = (facts: OfferFacts) => boolean

export interface PromotionCheck {
  /**
   * The price range. It is not part of `accepts` because the price rules out most of the thousands of campaigns of a
   * category, and comparing numbers takes a fraction of the time of a call.
   */
  minMicros: number
  maxMicros: number
  accepts: Check
}

export const factsOf = (offer: ProductOffer): OfferFacts => ({
  shopId: offer.shopId,
  id: offer.id,
  sellerId: offer.externalSellerId,
  brand: offer.brand === null ? null : normalBrand(offer.brand),
  paths: new Set(offer.productTypes.flatMap(pathAndAbove)),
  labels: offer.labels,
  priceMicros: effectivePriceMicros(offer),
})

function ownedBy({ shopId }: Campaign, account: Account): Check {
  const sellers = account.kind === 'ADVERTISER' ? new Set(account.sellerIds) : null
  return (facts) => facts.shopId === shopId && (!sellers || (facts.sellerId !== null && sellers.has(facts.sellerId)))
}

/** Checks all that the rule sets except the price; of a list, one value must fit. A rule that sets nothing fits every offer. */
function compiledRule(rule: ProductRule): Check {
  const brands = rule.brands.map(normalBrand)
  const paths = rule.categoryPaths.map(pathKey)
  const any = (values: readonly string[], holds: (value: string) => boolean) =>
    values.length === 0 || values.some(holds)
  return (facts) =>
    any(brands, (brand) => brand === facts.brand) &&
    any(paths, (path) => facts.paths.has(path)) &&
    any(rule.labels, (label) => facts.labels.includes(label)) &&
    any(rule.sellerIds, (sellerId) => sellerId === facts.sellerId)
}
