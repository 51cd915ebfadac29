import { type Static, type TSchema, Type } from 'typebox'
import { COUNTRY_PATTERN, CURRENCY_PATTERN, UUID_PATTERN } from './text.ts'

/** Limits that keep an ad request small; the contract sets `productIdsMax`. What is over its limit in `TARGETING_CUTS` is cut to it. */
export const SELECTION_LIMITS = {
  slotsMax: 20,
  adsMax: 100,
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

/** The header of an answer that says what was cut: `targeting[0].adCount=100, targeting=20`. */
export const LIMITS_HEADER = 'endcap-limits'

const AnswerHeaders = {
  'request-id': Type.String({ description: 'Id of the request: the requestId of its ads' }),
  [LIMITS_HEADER]: Type.String({
    description:
      'Parameters that were cut to a limit of the server, such as targeting[0].adCount=100. Missing if nothing was cut',
  }),
}
/** An answer to an ad request with its headers. */
export const adsAnswer = <A extends TSchema>(body: A) => ({
  description: 'Ads for each slot, or why there are none',
  headers: AnswerHeaders,
  content: { 'application/json': { schema: body } },
})

/** For the documentation only: each entry is read by itself, and null counts as missing. */
export const bodyOf = <T extends TSchema>(targeting: T) =>
  Type.Object({
    targeting: Type.Array(targeting, {
      minItems: 1,
      description: `One entry for each ad unit to fill. ${first(L.slotsMax)}`,
    }),
  })
export const SelectionBody = bodyOf(Targeting)

export const SelectionQuery = Type.Object({
  decorateResponse: Type.Optional(
    Type.Boolean({ description: 'If true (or 1, yes or on, in upper or lower case), each ad has productData' }),
  ),
})

const text = (description: string) => Type.String({ description })
const optionalText = Type.Optional(Type.String())

const ProductData = Type.Object(
  {
    id: text('Product SKU, equal to shopProductId'),
    availability: text('in_stock, out_of_stock, preorder or backorder'),
    price: Type.Number(),
    sale_price: Type.Optional(Type.Number()),
    image_link: text('Image address'),
    original_image_link: text('Image address as in the feed'),
    external_seller_id: optionalText,
    external_seller_name: optionalText,
    gtin: optionalText,
    condition: optionalText,
    custom_parameters: Type.Optional(Type.Record(Type.String(), Type.String())),
    product_type: Type.Optional(text('Category path')),
    color: optionalText,
    gender: optionalText,
    material: optionalText,
    size: optionalText,
    item_group_id: Type.Optional(text('Variant group')),
    labels: Type.Optional(Type.Array(Type.String())),
    shipping: Type.Optional(
      Type.Array(Type.Object({ country: optionalText, price: Type.Optional(text('Amount and currency')) })),
    ),
    certification: Type.Optional(
      Type.Array(
        Type.Object({
          certificationAuthority: optionalText,
          certificationName: optionalText,
          certificationCode: optionalText,
        }),
      ),
    ),
    product_details: Type.Optional(
      Type.Array(
        Type.Object({ sectionName: optionalText, attributeName: Type.String(), attributeValue: Type.String() }),
      ),
    ),
  },
  { description: 'Returned only with decorateResponse=true. Fields without data are left out' },
)

/** Members of every ad. */
export const commonAd = {
  showId: text('Opaque token of this ad. Send it unchanged with its view, its click and requests for emission info'),
  requestId: text(
    'UUID of the ad request. If the request has slots of several shops, the ads of each shop have their own',
  ),
  slotHash: text('slotHash of the request'),
  shopId: Type.String(),
  autoPromo: Type.Boolean({ description: 'True for self-promotion' }),
}

export const SponsoredAd = Type.Object({
  ...commonAd,
  adUnitId: text('The ad unit in the panel'),
  systemProductId: text('Internal id of the product. It stays the same as long as the shop and the feed id do'),
  shopProductId: text('Feed id of the product'),
  productTitle: Type.String(),
  productHref: text('Address of the product page'),
  productImageName: text('File name of the image'),
  productPrice: Type.Number(),
  productSalePrice: Type.Number({
    description: 'What it costs now. Equals productPrice if there is no promotional price',
  }),
  lang: text('Language of the offer, or of the shop if the feed has none'),
  currency: text('ISO 4217'),
  brand: text('Empty if the feed has none'),
  categoryId: Type.Union([Type.String(), Type.Null()], {
    description: 'catalogProductCategory of the feed; null if it has none',
  }),
  productImageUrl: Type.String(),
  productData: Type.Optional(ProductData),
})

/** The envelope of an answer. */
export const answerOf = <A extends TSchema>(ad: A) =>
  Type.Object({
    data: Type.Array(
      Type.Object({
        slotHash: text('slotHash of the request'),
        ads: Type.Array(ad),
        error: Type.Optional(
          Type.Object(
            { code: text('One of the codes in docs/errors.md'), message: text('Which field is wrong, and how') },
            {
              description:
                'Why this ad unit could not be filled. The other ad units are filled nevertheless. Missing if nothing is wrong',
            },
          ),
        ),
      }),
      { description: 'One entry for each requested ad unit, in the order of the request' },
    ),
    meta: Type.Null(),
    clientId: text('cid of the request, or the one that was assigned'),
  })
export const SelectionAnswer = answerOf(SponsoredAd)

export const PersonHeaders = Type.Object({
  cid: Type.Optional(
    Type.String({
      description:
        'Client id: identifies the browser or app. At most 256 bytes. If it is missing, one is assigned and returned as clientId',
    }),
  ),
  uid: Type.Optional(Type.String({ description: 'User id: links the browsers of a person. At most 256 bytes' })),
})

const SHOW_ID_CHARS_MAX = 10_000
export const EmissionInfoBody = Type.Object({
  showId: Type.String({ minLength: 1, maxLength: SHOW_ID_CHARS_MAX, description: 'As returned by the ad selection' }),
})

export const EmissionInfoAnswer = Type.Object({
  sellerName: text('externalSellerName of the product. Empty if it has none, and for display ads'),
  advertiserName: Type.String(),
  companyName: Type.String(),
  taxNumber: Type.String(),
  sellerIds: Type.Array(Type.String()),
})
