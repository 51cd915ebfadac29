import { hash } from 'node:crypto'
import type { ItemGroup, ProductOffer } from '../../../schemas/records/records.ts'

export { OFFER_LIMITS } from '../../../schemas/records/offer-limits.ts'

/** 132 bits of SHA-256: two versions of an offer never have the same digest by chance. */
const DIGEST_CHARS = 22

/** Key of an offer in the topic `products`. Ids may hold slashes: only the first two are separators. */
export function offerKey(shopId: string, feedId: string, id: string): string {
  return `${shopId}/${feedId}/${id}`
}

/** The record of an offer in the topic `item-groups`, under the same key; null when the offer is in no group. */
export function itemGroupOf({ shopId, feedId, id, itemGroupId }: ProductOffer): ItemGroup | null {
  return itemGroupId ? { shopId, feedId, id, itemGroupId } : null
}

/** Whether an offer can be bought at a time, UTC epoch milliseconds. */
export function isAvailableAt(offer: Pick<ProductOffer, 'isAvailable' | 'expiresAt'>, now: number): boolean {
  return offer.isAvailable && !isExpired(offer, now)
}

export function isExpired({ expiresAt }: Pick<ProductOffer, 'expiresAt'>, now: number): boolean {
  // Offers that were indexed before `expiresAt` existed lack it.
  return (expiresAt ?? Number.POSITIVE_INFINITY) <= now
}

/** Prefix of the digest of an offer that the product update API stated last. Other offers were last stated by their feed. */
const UPDATE_MARK = 'u:'

/** Whether the product update API stated the offer of this digest last. */
export function isUpdated(digest: string): boolean {
  return digest.startsWith(UPDATE_MARK)
}

/** The content of an offer, without its digest and the time of its update. */
export type OfferContent = Omit<ProductOffer, 'digest' | 'updatedAt'>

/** Digest of an offer, base64url. Equal for offers with equal content, in whatever order their properties were set. */
export function digest(offer: OfferContent): string {
  const content = [
    offer.shopId,
    offer.feedId,
    offer.id,
    offer.productId,
    offer.title,
    offer.description,
    offer.link,
    offer.imageLink,
    offer.deepLink,
    offer.priceMicros,
    offer.salePriceMicros,
    offer.currency,
    offer.isAvailable,
    offer.availability,
    offer.brand,
    offer.gtin,
    offer.mpn,
    offer.itemGroupId,
    offer.catalogProductCategory,
    offer.productTypes,
    offer.lang,
    offer.condition,
    offer.adult,
    offer.ageGroup,
    offer.color,
    offer.gender,
    offer.material,
    offer.pattern,
    offer.size,
    offer.energyEfficiencyClass,
    offer.unitPricingMeasure,
    offer.externalSellerId,
    offer.externalSellerName,
    offer.labels,
    offer.shipping.map((s) => [
      s.country,
      s.region,
      s.price,
      s.minHandlingTime,
      s.maxHandlingTime,
      s.minTransitTime,
      s.maxTransitTime,
    ]),
    offer.certification.map((c) => [
      c.certificationAuthority,
      c.certificationName,
      c.certificationCode,
      c.certificationValue,
    ]),
    offer.productDetails.map((d) => [d.sectionName, d.attributeName, d.attributeValue]),
    Object.entries(offer.customParameters).sort(([a], [b]) => (a < b ? -1 : 1)),
    // Offers that set neither keep the digest that they had before these two were read from feeds.
    ...(offer.expiresAt === null && offer.additionalImageLinks.length === 0
      ? []
      : [offer.expiresAt, offer.additionalImageLinks]),
  ]
  return hash('sha256', JSON.stringify(content), 'base64url').slice(0, DIGEST_CHARS)
}

/** The offer of a feed as the topic `products` holds it. */
export function withDigest(offer: Omit<ProductOffer, 'digest'>): ProductOffer {
  return { ...offer, digest: digest(offer) }
}

/** The same for an offer of the product update API. */
export function withUpdateDigest(offer: Omit<ProductOffer, 'digest'>): ProductOffer {
  return { ...offer, digest: UPDATE_MARK + digest(offer) }
}

/** Offers with the same key are one product within an ad request. The key is the first of these fields that is not empty. */
export function dedupeKey(offer: Pick<ProductOffer, 'itemGroupId' | 'productId' | 'gtin' | 'id'>): string {
  return offer.itemGroupId || offer.productId || offer.gtin || offer.id
}
