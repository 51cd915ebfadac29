import type { Account, Campaign, ProductOffer, ProductRule } from '../../schemas/records.ts'
import { isSameOrBelow } from './categories.ts'

/** What a shopper pays: the sale price when there is one. */
export const effectivePriceMicros = (offer: Pick<ProductOffer, 'priceMicros' | 'salePriceMicros'>): number =>
  offer.salePriceMicros ?? offer.priceMicros

/** Brands are the same when they differ in case or outer spaces only. */
export const normalBrand = (brand: string): string => brand.trim().toLowerCase()

/**
 * Whether a campaign may advertise an offer, whatever the campaign's dates, switch and budget: the offer is of its shop,
 * among its products, and, for an advertiser, sold by one of the account's sellers.
 * @param account the campaign's; unknown or deleted: nothing is promoted.
 */
export function promotes(campaign: Campaign, account: Account | undefined, offer: ProductOffer): boolean {
  if (campaign.kind !== 'SPONSORED' || campaign.shopId !== offer.shopId || !account) return false
  if (account.kind === 'ADVERTISER' && !account.sellerIds.includes(offer.externalSellerId ?? '')) return false
  if (campaign.productIds) return campaign.productIds.includes(offer.id)
  return campaign.productRule !== null && satisfiesRule(campaign.productRule, offer)
}

/** Everything that the rule sets holds; of a list, any value. A rule that sets nothing holds for every offer. */
export function satisfiesRule(rule: ProductRule, offer: ProductOffer): boolean {
  const price = effectivePriceMicros(offer)
  return (
    allows(rule.brands, (brand) => offer.brand !== null && normalBrand(brand) === normalBrand(offer.brand)) &&
    allows(rule.categoryPaths, (path) => offer.productTypes.some((type) => isSameOrBelow(type, path))) &&
    allows(rule.labels, (label) => offer.labels.includes(label)) &&
    allows(rule.sellerIds, (sellerId) => sellerId === offer.externalSellerId) &&
    (rule.priceMinMicros === null || price >= rule.priceMinMicros) &&
    (rule.priceMaxMicros === null || price <= rule.priceMaxMicros)
  )
}

const allows = (values: readonly string[], holds: (value: string) => boolean) =>
  values.length === 0 || values.some(holds)
