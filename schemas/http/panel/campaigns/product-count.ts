import { Type } from 'typebox'
import { Body, Id, Nullable } from '../common.ts'
import { Products } from './campaigns.ts'

/** The most ids without a product that are named. */
export const UNKNOWN_IDS_MAX = 100
export const EXAMPLES_MAX = 6

export const ProductCountBody = Body({
  shopId: Id('Its shop'),
  accountId: Type.Optional(Id("Who would pay; without it, the caller's account")),
  products: Products,
})

export const ProductCount = Type.Object({
  matching: Type.Integer({ description: 'Products that a campaign of the account over these may promote' }),
  available: Type.Integer({ description: 'Those of them that are in stock: only these are shown' }),
  unknownIds: Type.Array(Type.String(), {
    maxItems: UNKNOWN_IDS_MAX,
    description: `Ids that are of no product that the account may promote, at most ${UNKNOWN_IDS_MAX}`,
  }),
  examples: Type.Array(
    Type.Object({
      feedId: Type.String({ description: 'Its feed' }),
      id: Type.String({ description: 'Its id in the feed' }),
      title: Type.String({ description: 'Title' }),
      imageLink: Type.String({ description: 'Main image' }),
      price: Type.Number({ description: 'Price, in its currency' }),
      salePrice: Nullable(Type.Number({ description: 'Sale price that holds now' })),
      currency: Type.String({ description: 'ISO 4217' }),
    }),
    { maxItems: EXAMPLES_MAX, description: `Some of the matching products, at most ${EXAMPLES_MAX}` },
  ),
})
