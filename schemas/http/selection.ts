import { type TSchema, Type } from 'typebox'

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
