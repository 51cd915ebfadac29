import { type Static, type TSchema, Type } from 'typebox'
import { ADS_MAX } from './panel/limits.ts'
import { COUNTRY_PATTERN, CURRENCY_PATTERN, UUID_PATTERN } from './text.ts'

/** Limits that keep an ad request small; the contract sets `productIdsMax`. What is over its limit in `TARGETING_CUTS` is cut to it. */
export const SELECTION_LIMITS = {
  slotsMax: 20,
  adsMax: ADS_MAX,
  phraseChars: 1_000,
  idChars: 100,
  excludedMax: 1_000,
  productIdsMax: 100,
  brandChars: 100,
  categoriesMax: 100,
  categoryChars: 750,
  attributesMax: 50,
  attributeNameChars: 140,
  attributeValueChars: 1_000,
  amountMax: 1_000_000_000,
} as const

const L = SELECTION_LIMITS
const Uuid = (description: string) => Type.String({ pattern: UUID_PATTERN, description })
const Count = (description: string) =>
  Type.Integer({ minimum: 1, description: `${description}. A value above ${L.adsMax} is read as ${L.adsMax}` })
const Phrase = (description: string) =>
  Type.Optional(Type.String({ description: `${description}. Only its first ${L.phraseChars} characters are used` }))
const ProductId = Type.String({ maxLength: L.idChars })
const Category = Type.String({ maxLength: L.categoryChars })
const first = (count: number) => `Only the first ${count.toLocaleString('en')} are used`
export const Country = (meaning: string) =>
  Type.Optional(Type.String({ pattern: COUNTRY_PATTERN, description: `${meaning}. ISO 3166-1 alpha-2` }))
const Price = (description: string) => Type.Optional(Type.Number({ minimum: 0, maximum: L.amountMax, description }))

/** Parameters of both kinds of ads. */
export const commonTargeting = {
  slotHash: Uuid('The ad unit or technical ad unit to fill'),
  adCount: Count('Maximum number of ads to return'),
  minAdCount: Type.Optional(Count('Minimum number of ads. If fewer are available, none is returned')),
  searchData: Phrase('Search phrase'),
  currency: Type.Optional(Type.String({ pattern: CURRENCY_PATTERN, description: 'Currency of the page, ISO 4217' })),
  productTitle: Phrase('Title of the product in whose context ads are shown'),
  categoryPaths: Type.Optional(
    Type.Array(Category, {
      description: `Full category paths, with levels joined by ">". Any one of them has to match. ${first(L.categoriesMax)}`,
    }),
  ),
  adType: Type.Optional(
    Type.Enum(['ALL', 'AUTOPROMO', 'SPONSORED'], {
      description:
        'SPONSORED: only paid ads. AUTOPROMO: only self-promotion. ALL, the default: paid ads first, then self-promotion in ' +
        'the places that are left',
    }),
  ),
}

export const Targeting = Type.Object(
  {
    ...commonTargeting,
    excludedShopProductIds: Type.Optional(
      Type.Array(ProductId, { description: `Feed ids of products not to show. ${first(L.excludedMax)}` }),
    ),
    priceMin: Price('Minimum price, inclusive. It is compared with the sale price, if the product has one'),
    priceMax: Price('Maximum price, inclusive. It is compared with the sale price, if the product has one'),
    brand: Type.Optional(
      Type.String({ maxLength: L.brandChars, description: 'Brand, as in the feed. Case does not matter' }),
    ),
    shopProductId: Type.Optional(
      Type.String({ maxLength: L.idChars, description: 'Feed id of the product in whose context ads are shown' }),
    ),
    productId: Type.Optional(
      Type.String({
        maxLength: L.idChars,
        description: 'Product that similar products are found for: its feed id, or its productId in the feed',
      }),
    ),
    productIds: Type.Optional(
      Type.Array(ProductId, {
        maxItems: L.productIdsMax,
        description: 'Products to show: their feed ids, or their productIds in the feed',
      }),
    ),
    attributes: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.String({ minLength: 1, maxLength: L.attributeNameChars }),
          value: Type.String({ maxLength: L.attributeValueChars }),
        }),
        {
          description:
            'Only products that have all these attributes, with exactly these values, are shown. If a name is given several times, ' +
            `any one of its values is enough. ${first(L.attributesMax)}`,
        },
      ),
    ),
    categoryIds: Type.Optional(
      Type.Array(Category, {
        description:
          'Nodes of category paths, joined by ">". Nodes may be left out: "Home > Lamps" also finds "Home > Light > Lamps". Any ' +
          `one entry has to match. ${first(L.categoriesMax)}`,
      }),
    ),
    businessSlotId: Type.Optional(
      Type.String({
        maxLength: L.idChars,
        description:
          'Id of the business slot of the technical ad unit, or of the ad unit itself. The slot is refused if it is another one',
      }),
    ),
    lang: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8}){0,3}$',
        description: 'Language of the page, ISO 639. Products of feeds in another language are not shown',
      }),
    ),
    country: Country(
      'Country of delivery. Products whose shipping lists only other countries are not shown. If it is missing, the country of the ' +
        'technical ad unit is used',
    ),
  },
  {
    description:
      'What to show in one ad unit. The algorithm of the ad unit decides which parameters are required. Parameters that it ' +
      'does not use are ignored.',
  },
)
export type Targeting = Static<typeof Targeting>

/** Parameters that are cut to a limit of ours, not refused. The answer's header `endcap-limits` says what was cut. */
export const commonCuts = {
  adCount: L.adsMax,
  minAdCount: L.adsMax,
  searchData: L.phraseChars,
  productTitle: L.phraseChars,
  categoryPaths: L.categoriesMax,
} as const
export const TARGETING_CUTS = {
  ...commonCuts,
  excludedShopProductIds: L.excludedMax,
  attributes: L.attributesMax,
  categoryIds: L.categoriesMax,
} as const

/** For the documentation only: each entry is read by itself, and null counts as missing. */
export const bodyOf = <T extends TSchema>(targeting: T) =>
  Type.Object({
    targeting: Type.Array(targeting, {
      minItems: 1,
      description: `One entry for each ad unit to fill. ${first(L.slotsMax)}`,
    }),
  })
export const SelectionBody = bodyOf(Targeting)
