import type { IndexedProduct } from '../../../infra/product-index/port.ts'
import type { Shop } from '../../../schemas/records/entities.ts'
import type { ProductOffer } from '../../../schemas/records/records.ts'
import { systemProductId } from '../../domain/catalogue/system-product-id.ts'
import { fromMicros } from '../../domain/money/money.ts'

/** The JSON of a product that the index returned, serialized once. It is garbage-collected with the product. */
interface Written {
  lang: string
  ad: string
  data: string | null
}
const written = new WeakMap<IndexedProduct, Written>()

function writtenOf(product: IndexedProduct, shop: Shop): Written {
  const known = written.get(product)
  if (known?.lang === shop.lang) return known
  const made = { lang: shop.lang, ad: JSON.stringify(adFields(product.offer, shop)).slice(1, -1), data: null }
  written.set(product, made)
  return made
}

/** The part of a product's ad that is the same for every request, as JSON members without braces. */
export function adMembersJson(product: IndexedProduct, shop: Shop): string {
  return writtenOf(product, shop).ad
}

/** The product's productData object. */
export function productDataJson(product: IndexedProduct, shop: Shop): string {
  const known = writtenOf(product, shop)
  known.data ??= JSON.stringify(productData(product.offer))
  return known.data
}

/** By the contract's table, productSalePrice and brand are never null or absent. Without a promotion, the sale price is the price. */
function adFields(offer: ProductOffer, shop: Shop) {
  return {
    systemProductId: systemProductId(offer.shopId, offer.id),
    shopProductId: offer.id,
    productTitle: offer.title,
    productHref: offer.link,
    productImageName: imageName(offer.imageLink),
    productPrice: fromMicros(offer.priceMicros),
    productSalePrice: fromMicros(offer.salePriceMicros ?? offer.priceMicros),
    shopId: offer.shopId,
    lang: offer.lang ?? shop.lang,
    currency: offer.currency,
    brand: offer.brand ?? '',
    categoryId: offer.catalogProductCategory,
    productImageUrl: offer.imageLink,
  }
}

function productData(offer: ProductOffer) {
  return {
    id: offer.id,
    availability: offer.availability,
    price: fromMicros(offer.priceMicros),
    sale_price: offer.salePriceMicros === null ? undefined : fromMicros(offer.salePriceMicros),
    image_link: offer.imageLink,
    original_image_link: offer.imageLink,
    external_seller_id: offer.externalSellerId ?? undefined,
    external_seller_name: offer.externalSellerName ?? undefined,
    gtin: offer.gtin ?? undefined,
    condition: offer.condition ?? undefined,
    custom_parameters: Object.keys(offer.customParameters).length > 0 ? offer.customParameters : undefined,
    product_type: offer.productTypes[0],
    color: offer.color ?? undefined,
    gender: offer.gender ?? undefined,
    material: offer.material ?? undefined,
    size: offer.size ?? undefined,
    item_group_id: offer.itemGroupId ?? undefined,
    labels: unlessEmpty(offer.labels),
    shipping: unlessEmpty(
      offer.shipping.map(({ country, price }) => ({ country: country ?? undefined, price: price ?? undefined })),
    ),
    certification: unlessEmpty(
      offer.certification.map((c) => ({
        certificationAuthority: c.certificationAuthority ?? undefined,
        certificationName: c.certificationName ?? undefined,
        certificationCode: c.certificationCode ?? undefined,
      })),
    ),
    product_details: unlessEmpty(offer.productDetails.map((d) => ({ ...d, sectionName: d.sectionName ?? undefined }))),
  }
}

function unlessEmpty<T>(list: T[]): T[] | undefined {
  return list.length > 0 ? list : undefined
}

/** The last part of the address's path; the whole address when it has none. */
function imageName(imageLink: string): string {
  const path = imageLink.split(/[?#]/, 1)[0]!
  return path.slice(path.lastIndexOf('/') + 1) || imageLink
}
