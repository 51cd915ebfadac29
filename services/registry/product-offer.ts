import type { UpsertedProduct } from '../../schemas/http/products.ts'
import type { Certification, ProductDetail, Shipping } from '../../schemas/offer-parts.ts'
import type { ProductOffer } from '../../schemas/records.ts'
import { toMicros } from '../domain/money.ts'
import { withDigest } from '../domain/offer.ts'
import { readCategoryPath, readWebUrl } from './feeds/values.ts'

/** What an offer takes from its feed. */
export interface OfferFeed {
  shopId: string
  currency: string
  lang: string | null
}

/** A checked product of the update API as the topic `products` holds it. Empty text is no text. */
export function toOffer(product: UpsertedProduct, feed: OfferFeed, now: number): ProductOffer {
  const { salePrice, price } = product
  const category = readCategoryPath(product.productType ?? '')
  return withDigest({
    shopId: feed.shopId,
    feedId: product.feedId,
    id: product.id,
    productId: product.productId || null,
    title: product.title,
    description: product.description || null,
    link: readWebUrl(product.link)!,
    imageLink: readWebUrl(product.imageLink)!,
    deepLink: product.deepLink || null,
    priceMicros: toMicros(price),
    salePriceMicros: salePrice !== undefined && salePrice < price ? toMicros(salePrice) : null,
    currency: feed.currency,
    isAvailable: product.isAvailable,
    availability: product.isAvailable ? 'in_stock' : 'out_of_stock',
    brand: product.brand || null,
    gtin: product.gtin || null,
    mpn: product.mpn || null,
    itemGroupId: product.itemGroupId || null,
    catalogProductCategory: product.catalogProductCategory || null,
    productTypes: category === null ? [] : [category],
    lang: feed.lang,
    condition: product.condition || null,
    adult: product.adult ?? null,
    ageGroup: product.ageGroup || null,
    color: product.color || null,
    gender: product.gender || null,
    material: product.material || null,
    pattern: product.pattern || null,
    size: product.size || null,
    energyEfficiencyClass: product.energyEfficiencyClass || null,
    unitPricingMeasure: product.unitPricingMeasure || null,
    externalSellerId: product.externalSellerId || null,
    externalSellerName: product.externalSellerName || null,
    labels: product.labels ?? [],
    shipping: (product.shipping ?? []).map((given) => ({ ...NO_SHIPPING, ...given })),
    certification: (product.certification ?? []).map((given) => ({ ...NO_CERTIFICATION, ...given })),
    productDetails: (product.productDetails ?? []).map((given) => ({ ...NO_SECTION, ...given })),
    customParameters: {},
    updatedAt: now,
    expiresAt: null,
    additionalImageLinks: [],
  })
}

const NO_SHIPPING: Shipping = {
  country: null,
  region: null,
  price: null,
  minHandlingTime: null,
  maxHandlingTime: null,
  minTransitTime: null,
  maxTransitTime: null,
}
const NO_CERTIFICATION: Certification = {
  certificationAuthority: null,
  certificationName: null,
  certificationCode: null,
  certificationValue: null,
}
const NO_SECTION: Pick<ProductDetail, 'sectionName'> = { sectionName: null }
