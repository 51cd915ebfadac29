import { type Static, Type } from 'typebox'
import { OFFER_LIMITS as limits } from '../offer-limits.ts'
import { TEXT_LINES_PATTERN, TEXT_PATTERN } from './text.ts'

/** The product update API: `Product feed entry` of the interface specification. */

export const ENTRIES_MAX = 10_000

const PRICE_MAX = 1_000_000_000

const text = (maxLength: number, description: string) => Type.Optional(Type.String({ maxLength, description }))
const attribute = (description: string) => text(limits.attributeChars, description)
const key = (description: string) =>
  Type.String({ minLength: 1, maxLength: limits.idChars, pattern: TEXT_PATTERN, description })
const link = (description: string) =>
  Type.String({ maxLength: limits.urlChars, description: `${description}, http or https` })

const named = { id: key("The shop's own id of the product"), feedId: key('The feed that it belongs to') }
const shipping = Type.Object(
  {
    country: attribute('ISO 3166-1 alpha-2'),
    region: attribute('Part of the country'),
    price: Type.Optional(
      Type.String({ pattern: '^\\d{1,9}([.,]\\d{1,6})? ?[A-Z]{3}$', description: 'Amount and currency: 4.99 EUR' }),
    ),
    minHandlingTime: attribute('Days'),
    maxHandlingTime: attribute('Days'),
    minTransitTime: attribute('Days'),
    maxTransitTime: attribute('Days'),
  },
  { additionalProperties: false },
)
const detail = Type.Object(
  {
    sectionName: text(limits.detailNameChars, 'Group of the attribute'),
    attributeName: Type.String({ minLength: 1, maxLength: limits.detailNameChars, pattern: TEXT_LINES_PATTERN }),
    attributeValue: Type.String({ minLength: 1, maxLength: limits.detailValueChars, pattern: TEXT_LINES_PATTERN }),
  },
  { additionalProperties: false },
)
const certification = Type.Object(
  {
    certificationAuthority: attribute('EC'),
    certificationName: attribute('EPREL'),
    certificationCode: attribute('Code'),
    certificationValue: attribute('Value'),
  },
  { additionalProperties: false },
)
const product = Type.Object(
  {
    ...named,
    title: Type.String({ minLength: 1, maxLength: limits.titleChars, pattern: TEXT_LINES_PATTERN }),
    price: Type.Number({ minimum: 0, maximum: PRICE_MAX, description: "In the feed's currency" }),
    isAvailable: Type.Boolean({ description: 'Only available products are shown' }),
    link: link('Product page'),
    imageLink: link('Main image'),
    productId: text(limits.idChars, 'Joins offers of one product'),
    description: text(limits.descriptionChars, 'Plain text'),
    brand: text(limits.brandChars, 'Brand'),
    salePrice: Type.Optional(
      Type.Number({ minimum: 0, maximum: PRICE_MAX, description: 'At most price; equal to it is no sale' }),
    ),
    gtin: text(limits.gtinChars, 'GTIN; a wrong check digit is not refused'),
    catalogProductCategory: text(limits.categoryChars, 'External category id'),
    mpn: text(limits.mpnChars, "Manufacturer's number"),
    productType: text(limits.categoryChars, 'Category path: Home > Lamps'),
    shipping: Type.Optional(Type.Array(shipping, { maxItems: limits.shippingMax })),
    unitPricingMeasure: attribute('750 ml'),
    adult: Type.Optional(Type.Boolean({ description: 'For adults only' })),
    energyEfficiencyClass: attribute('A to G'),
    ageGroup: attribute('Age group'),
    color: attribute('Color'),
    gender: attribute('Gender'),
    material: attribute('Material'),
    pattern: attribute('Pattern'),
    size: attribute('Size'),
    productDetails: Type.Optional(Type.Array(detail, { maxItems: limits.productDetailsMax })),
    externalSellerId: text(limits.sellerChars, 'Seller on a marketplace'),
    externalSellerName: text(limits.sellerChars, 'Its name'),
    deepLink: text(limits.urlChars, 'Link into the mobile application'),
    certification: Type.Optional(Type.Array(certification, { maxItems: limits.certificationMax })),
    itemGroupId: text(limits.idChars, 'Joins variants of one product'),
    labels: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: limits.labelChars }), { maxItems: limits.labelsMax }),
    ),
    condition: attribute('new, refurbished, used'),
  },
  { additionalProperties: false },
)
const batchId = Type.String({ minLength: 1, maxLength: limits.idChars, description: 'Unique within the request' })

export const UpsertEntry = Type.Object(
  { batchId, method: Type.Enum(['UPSERT', 'DELETE']), product },
  { additionalProperties: false },
)
/** Whatever else a removal says of its product is not read. */
export const DeleteEntry = Type.Object(
  { batchId, method: Type.Enum(['DELETE']), product: Type.Object(named) },
  { additionalProperties: false },
)
export type UpsertedProduct = Static<typeof product>

/** For the documentation: bodies are checked entry by entry, by the entry's method. */
export const ProductUpdateBody = Type.Object({
  entries: Type.Array(UpsertEntry, {
    minItems: 1,
    maxItems: ENTRIES_MAX,
    description: 'DELETE needs feedId and id of the product only',
  }),
})

export const ProductsAccepted = Type.Object({
  accepted: Type.Integer({ description: 'Entries taken; a later entry for the same product replaces an earlier one' }),
})
