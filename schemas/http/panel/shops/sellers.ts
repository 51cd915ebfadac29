import { Type } from 'typebox'
import { Id } from '../common.ts'

const SELLERS_MAX = 1_000
export const SELLERS_DEFAULT = 50
const SELLER_CHARS_MAX = 200

export const SellersQuery = Type.Object(
  {
    shopId: Id('Its feeds'),
    q: Type.Optional(
      Type.String({ maxLength: SELLER_CHARS_MAX, description: 'Only sellers whose id contains this, in either case' }),
    ),
    ids: Type.Optional(
      Type.Array(Type.String({ maxLength: SELLER_CHARS_MAX }), {
        maxItems: SELLERS_MAX,
        description: 'Only these sellers. Repeat the parameter for each',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: SELLERS_MAX, description: `Default: ${SELLERS_DEFAULT}` }),
    ),
  },
  { additionalProperties: false },
)

export const Sellers = Type.Object({
  items: Type.Array(
    Type.Object({
      sellerId: Type.String({ description: 'externalSellerId of the feeds' }),
      productCount: Type.Integer({ description: 'Products of the shop that name it' }),
    }),
    { description: 'Those with the most products first' },
  ),
  productCount: Type.Integer({ description: 'All products of the shop that the user may see' }),
})
