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
  feedId: Type.String({ description: 'The feed that it belongs to' }),
}
const shipping = Type.Object({
  country: text('ISO 3166-1 alpha-2'),
  region: text('Part of the country'),
  price: text('Amount and currency: 4.99 EUR'),
  minHandlingTime: text('Days'),
  maxHandlingTime: text('Days'),
  minTransitTime: text('Days'),
  maxTransitTime: text('Days'),
})
const detail = Type.Object({
  sectionName: text('Group of the attribute', limits.detailNameChars),
  attributeName: Type.String({ description: `Up to ${limits.detailNameChars} characters` }),
  attributeValue: Type.String({ description: `Up to ${limits.detailValueChars} characters` }),
})
const certification = Type.Object({
  certificationAuthority: text('EC'),
  certificationName: text('EPREL'),
  certificationCode: text('Code; a name or a code is needed'),
  certificationValue: text('Value'),
})
const product = Type.Object({
  ...named,
  title: Type.String({ description: `Cut at ${limits.titleChars} characters` }),
  price: Type.Number({ exclusiveMinimum: 0, description: "In the feed's currency" }),
  isAvailable: Type.Boolean({ description: 'Only available products are shown' }),
  link: Type.String({ description: 'Product page, http or https' }),
  imageLink: Type.String({ description: 'Main image, http or https' }),
  productId: text('Joins offers of one product', limits.idChars),
  description: Type.Optional(
    Type.String({ description: `Without HTML. Cut at ${limits.descriptionChars} characters` }),
  ),
  brand: text('Brand', limits.brandChars),
  salePrice: Type.Optional(Type.Number({ description: 'Above 0 and below price; ignored when it is not' })),
  gtin: text('8, 12, 13 or 14 digits; ignored when it is no GTIN', limits.gtinChars),
  catalogProductCategory: text('External category id', limits.categoryChars),
  mpn: text("Manufacturer's number", limits.mpnChars),
  productType: text('Category path: Home > Lamps', limits.categoryChars),
  shipping: Type.Optional(Type.Array(shipping, { description: `The first ${limits.shippingMax} count` })),
  unitPricingMeasure: text('750 ml'),
  adult: Type.Optional(Type.Boolean({ description: 'For adults only' })),
  energyEfficiencyClass: text('A+++ to G'),
  ageGroup: text('newborn, infant, toddler, kids, adult, all ages'),
  color: text('Color'),
  gender: text('male, female, unisex'),
  material: text('Material'),
  pattern: text('Pattern'),
  size: text('Size'),
  productDetails: Type.Optional(Type.Array(detail, { description: `The first ${limits.productDetailsMax} count` })),
  externalSellerId: text('Seller on a marketplace', limits.sellerChars),
  externalSellerName: text('Its name', limits.sellerChars),
  deepLink: text('Link into the mobile application', limits.urlChars),
  certification: Type.Optional(
    Type.Array(certification, { description: `The first ${limits.certificationMax} count` }),
  ),
  itemGroupId: text('Joins variants of one product', limits.idChars),
  labels: Type.Optional(
    Type.Array(Type.String(), { description: `Custom labels. The first ${limits.labelsMax} count` }),
  ),
  condition: text('new, refurbished, used'),
})

export const ProductUpdateBody = Type.Object({
  entries: Type.Array(
    Type.Object({
      batchId: Type.String({ description: 'Unique within the request; answers name the entry by it' }),
      method: Type.Enum(['UPSERT', 'DELETE'], { description: 'DELETE needs feedId and id of the product only' }),
      product,
    }),
    { minItems: 1, maxItems: ENTRIES_MAX, description: 'Each is taken or rejected alone' },
  ),
})

const EntryIssue = Type.Object({
  batchId: Type.Union([Type.String(), Type.Null()], { description: 'Of the entry; null when it had none' }),
  index: Type.Integer({ description: 'Place in entries, from 0' }),
  field: Type.String({ description: 'Which field of the entry' }),
  code: Type.String({ description: 'One of the codes in docs/feeds.md' }),
  message: Type.String({ description: 'How it is wrong, or what was made of it' }),
})

export const ProductsAccepted = Type.Object({
  accepted: Type.Integer({ description: 'Entries taken; a later entry for the same product replaces an earlier one' }),
  rejected: Type.Array(EntryIssue, { description: 'One for each entry that is not taken' }),
  warnings: Type.Array(EntryIssue, {
    description: 'What was cut or ignored in entries that are taken: the first 1,000',
  }),
  warningCount: Type.Integer({ description: 'All of them' }),
})
