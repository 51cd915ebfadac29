import type { IndexWrite } from '../../../infra/product-index/port.ts'
import type { ProductOffer } from '../../../schemas/records/records.ts'

/** An offer with only the required fields and those that the test gives. */
export function anOffer(fields: Partial<ProductOffer> = {}): ProductOffer {
  const id = fields.id ?? 'p1'
  return {
    shopId: 'shop',
    feedId: 'feed',
    id,
    productId: null,
    title: 'Product',
    description: null,
    link: `https://shop.example/p/${id}`,
    imageLink: `https://shop.example/i/${id}.jpg`,
    deepLink: null,
    priceMicros: 10_000_000,
    salePriceMicros: null,
    currency: 'EUR',
    isAvailable: true,
    availability: 'in_stock',
    brand: null,
    gtin: null,
    mpn: null,
    itemGroupId: null,
    catalogProductCategory: null,
    productTypes: [],
    lang: null,
    condition: null,
    adult: null,
    ageGroup: null,
    color: null,
    gender: null,
    material: null,
    pattern: null,
    size: null,
    energyEfficiencyClass: null,
    unitPricingMeasure: null,
    externalSellerId: null,
    externalSellerName: null,
    labels: [],
    shipping: [],
    expiresAt: null,
    additionalImageLinks: [],
    certification: [],
    productDetails: [],
    customParameters: {},
    digest: `digest of ${id}`,
    updatedAt: 1,
    ...fields,
  }
}

/** An offer, and the campaigns that promote it. */
export type OfferWrites = [offer: IndexWrite & { kind: 'offer' }, promotions: IndexWrite & { kind: 'promotions' }]

/** The writes of an offer and of the campaigns that promote it. */
export function promotedOffer(offer: ProductOffer, campaignIds: string[], version = 1): OfferWrites {
  const { shopId, feedId, id } = offer
  return [
    { kind: 'offer', version, offer },
    { kind: 'promotions', version, offerVersion: version, shopId, feedId, id, campaignIds },
  ]
}

/** The shipping of an offer, of which only the country and the price matter. */
export const shippingTo = (country: string | null, price: string | null = null): ProductOffer['shipping'][number] => ({
  country,
  region: null,
  price,
  minHandlingTime: null,
  maxHandlingTime: null,
  minTransitTime: null,
  maxTransitTime: null,
})
