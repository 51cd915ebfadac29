import type { ProductOffer } from '../../../schemas/records/records.ts'
import { toMicros } from '../../../services/domain/money/money.ts'
import { anOffer } from '../../infra/product-index/offer.fixture.ts'
import type { IcecatProduct } from './icecat.ts'

/** The offer that a product becomes when it is imported with `icecatFeed`. */
export function icecatOffer(product: IcecatProduct, shopId: string): ProductOffer {
  const type = product.attr_t_product_type
  return anOffer({
    shopId,
    id: product.id,
    title: product.title,
    description: product.short_description ?? null,
    brand: product.supplier ?? null,
    gtin: product.ean?.[0] ?? null,
    priceMicros: toMicros((product.price ?? 999) / 100),
    lang: 'en',
    productTypes: typeof type === 'string' ? [type] : [],
    productDetails: Object.entries(product)
      .filter(([name, value]) => name.startsWith('attr_') && value !== null)
      .map(([name, value]) => ({
        sectionName: null,
        attributeName: name.slice('attr_t_'.length),
        attributeValue: String(value),
      })),
  })
}
