import { Type } from 'typebox'
import { Id } from '../common.ts'
import { SELLERS_MAX } from '../limits.ts'

export const SELLERS_DEFAULT = 50
const SELLER_CHARS_MAX = 200

export const SellersQuery = Type.Object(
  {
    shopId: Id('Shop of the products'),
    q: Type.Optional(
      Type.String({
        maxLength: SELLER_CHARS_MAX,
        description: 'Only sellers whose id contains this text. Case does not matter',
      }),
    ),
    ids: Type.Optional(
      Type.Array(Type.String({ maxLength: SELLER_CHARS_MAX }), {
        maxItems: SELLERS_MAX,
        description: 'Only these sellers. Repeat the parameter for each',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: SELLERS_MAX,
        description: `Maximum number of sellers. Default: ${SELLERS_DEFAULT}`,
      }),
    ),
  },
  { additionalProperties: false },
)

export const Sellers = Type.Object({
  items: Type.Array(
    Type.Object({
      sellerId: Type.String({ description: 'externalSellerId of the products' }),
      productCount: Type.Integer({ description: 'Number of products of this seller' }),
    }),
    { description: 'The sellers with the most products come first' },
  ),
  productCount: Type.Integer({ description: 'Number of all products of the shop that the caller may see' }),
})
