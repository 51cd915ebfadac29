import type { ProductOffer } from '../../../schemas/records/records.ts'

/** What makes a product one within an ad request: the first of these fields that is not empty. */
export function dedupeKey(offer: Pick<ProductOffer, 'itemGroupId' | 'productId' | 'gtin' | 'id'>): string {
  return offer.itemGroupId || offer.productId || offer.gtin || offer.id
}
