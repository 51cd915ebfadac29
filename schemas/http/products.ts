import { Type } from 'typebox'
import { OFFER_LIMITS as limits } from '../records/offer-limits.ts'

/**
 * The product update API: `Product feed entry` of the interface specification. These schemas are for the documentation only: entries
 * are checked one by one, by the rules of feeds (docs/feeds.md).
 */

export const ENTRIES_MAX = 10_000

const text = (description: string, chars: number = limits.attributeChars) =>
  Type.Optional(Type.String({ description: `${description}. Up to ${chars} characters` }))
const named = {
  id: Type.String({ description: `The shop's own id of the product. Up to ${limits.idChars} characters` }),
  feedId: Type.String({ description: 'Id of the feed that the product belongs to' }),
}
const shipping = Type.Object({
  country: text('ISO 3166-1 alpha-2'),
  region: text('Part of the country'),
  price: text('Amount and currency: 4.99 EUR'),
  minHandlingTime: text('Number of days'),
  maxHandlingTime: text('Number of days'),
  minTransitTime: text('Number of days'),
  maxTransitTime: text('Number of days'),
})
const detail = Type.Object({
  sectionName: text('Group of the attribute', limits.detailNameChars),
  attributeName: Type.String({ description: `Up to ${limits.detailNameChars} characters` }),
  attributeValue: Type.String({ description: `Up to ${limits.detailValueChars} characters` }),
})
const certification = Type.Object({
  certificationAuthority: text('Authority, such as EC'),
  certificationName: text('Name, such as EPREL'),
  certificationCode: text('Code. Either a name or a code is required'),
  certificationValue: text('Value'),
})
const product = Type.Object({
  ...named,
  title: Type.String({ description: `A longer title is cut to ${limits.titleChars} characters` }),
  price: Type.Number({ exclusiveMinimum: 0, description: "In the feed's currency" }),
  isAvailable: Type.Boolean({ description: 'Only available products are shown' }),
  link: Type.String({ description: 'Product page, http or https' }),
  imageLink: Type.String({ description: 'Main image, http or https' }),
  productId: text('Your id of the product that several offers belong to', limits.idChars),
  description: Type.Optional(
    Type.String({ description: `HTML is removed. A longer text is cut to ${limits.descriptionChars} characters` }),
  ),
  brand: text('Brand', limits.brandChars),
  salePrice: Type.Optional(
    Type.Number({ description: "In the feed's currency. Ignored unless it is above 0 and below price" }),
  ),
  gtin: text('8, 12, 13 or 14 digits. Ignored if it is not a valid GTIN', limits.gtinChars),
  catalogProductCategory: text('External category id', limits.categoryChars),
  mpn: text("Manufacturer's number", limits.mpnChars),
  productType: text('Category path: Home > Lamps', limits.categoryChars),
  shipping: Type.Optional(Type.Array(shipping, { description: `Only the first ${limits.shippingMax} are used` })),
  unitPricingMeasure: text('Measure of the product, such as 750 ml'),
  adult: Type.Optional(Type.Boolean({ description: 'For adults only' })),
  energyEfficiencyClass: text('From A+++ to G'),
  ageGroup: text('newborn, infant, toddler, kids, adult or all ages'),
  color: text('Color'),
  gender: text('male, female or unisex'),
  material: text('Material'),
  pattern: text('Pattern'),
  size: text('Size'),
  productDetails: Type.Optional(
    Type.Array(detail, { description: `Only the first ${limits.productDetailsMax} are used` }),
  ),
  externalSellerId: text('Id of the seller on a marketplace', limits.sellerChars),
  externalSellerName: text('Name of the seller on a marketplace', limits.sellerChars),
  deepLink: text('Link into the mobile application', limits.urlChars),
  certification: Type.Optional(
    Type.Array(certification, { description: `Only the first ${limits.certificationMax} are used` }),
  ),
  itemGroupId: text('Id that the variants of one product share', limits.idChars),
  labels: Type.Optional(
    Type.Array(Type.String(), {
      description: `Custom labels of up to ${limits.labelChars} characters. Only the first ${limits.labelsMax} are used`,
    }),
  ),
  condition: text('new, refurbished or used'),
})

export const ProductUpdateBody = Type.Object({
  entries: Type.Array(
    Type.Object({
      batchId: Type.String({
        description:
          'Your id of the entry, unique within the request. Up to 100 characters. The answer names the entry by it',
      }),
      method: Type.Enum(['UPSERT', 'DELETE'], {
        description: 'UPSERT stores the product. DELETE removes it; only its feedId and id are read',
      }),
      product,
    }),
    {
      minItems: 1,
      maxItems: ENTRIES_MAX,
      description:
        'Each entry is accepted or rejected by itself. An optional value that is malformed or too long is ignored, with a warning',
    },
  ),
})

const EntryIssue = Type.Object({
  batchId: Type.Union([Type.String(), Type.Null()], { description: 'batchId of the entry; null if it had none' }),
  index: Type.Integer({ description: 'Position in `entries`, from 0' }),
  field: Type.String({ description: 'Field of the entry that is wrong' }),
  code: Type.String({ description: 'One of the codes in docs/feeds.md' }),
  message: Type.String({ description: 'What is wrong, or what was done about it' }),
})

export const ProductsAccepted = Type.Object({
  accepted: Type.Integer({
    description: 'Number of accepted entries. If several are for the same product, the last one replaces the others',
  }),
  rejected: Type.Array(EntryIssue, { description: 'One item for each rejected entry' }),
  warnings: Type.Array(EntryIssue, {
    description: 'Values of accepted entries that were cut or ignored. Only the first 1,000 are listed',
  }),
  warningCount: Type.Integer({ description: 'Number of all warnings, listed or not' }),
})
