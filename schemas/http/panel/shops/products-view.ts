import { Type } from 'typebox'
import { Id, IdText, ListQuery, Nullable, UUID_CHARS } from '../common.ts'

const Text = (description: string) => Type.String({ description })
const Price = (description: string) => Type.Number({ description: `${description}, in its currency` })

export const ProductView = Type.Object({
  shopId: Id('Shop of the product'),
  feedId: Text('Id of the feed'),
  id: Text('Id of the product in the feed'),
  systemProductId: Text('systemProductId of its ads'),
  productId: Nullable(Text('Id of the product that several offers belong to')),
  title: Text('Title'),
  link: Text('Product page'),
  imageLink: Text('Main image'),
  additionalImageLinks: Type.Array(Type.String(), { description: 'Additional images' }),
  price: Price('Price'),
  salePrice: Nullable(Price('Sale price that is in force now')),
  currency: Text('ISO 4217'),
  isAvailable: Type.Boolean({
    description:
      'Whether the product is available now: not out of stock, and not expired. Only available products are shown',
  }),
  availability: Text('in_stock, out_of_stock, preorder or backorder'),
  brand: Nullable(Text('Brand')),
  gtin: Nullable(Text('GTIN')),
  mpn: Nullable(Text("Manufacturer's number")),
  itemGroupId: Nullable(Text('Id that the variants of one product share')),
  productTypes: Type.Array(Type.String(), { description: 'Category paths' }),
  condition: Nullable(Text('new, refurbished or used')),
  externalSellerId: Nullable(Text('Id of the seller on a marketplace')),
  externalSellerName: Nullable(Text('Name of that seller')),
  labels: Type.Array(Type.String(), { description: 'Custom labels' }),
  updatedAt: Type.String({ description: 'When it last changed, ISO 8601' }),
  expiresAt: Nullable(Text('When it stops being available, ISO 8601; null for never')),
  campaignIds: Type.Array(Type.String(), { description: 'Campaigns whose products include it' }),
  whyNot: Type.Array(
    Type.Object({
      code: Text('One of the codes in docs/feeds.md'),
      campaignId: Nullable(Text('Campaign that the reason is about; null if it is about the product itself')),
    }),
    { description: 'Why it cannot be shown now. Empty if it takes part in auctions' },
  ),
})

const shopId = Id('Shop of the products')

export const ProductSearchQuery = ListQuery({
  shopId,
  q: Type.Optional(
    Type.String({ maxLength: 500, description: 'Id of a product, or words that the product must all contain' }),
  ),
  systemProductId: Type.Optional(
    Type.String({
      format: 'uuid',
      maxLength: UUID_CHARS,
      description: 'Only the product with this systemProductId. `q` is ignored then',
    }),
  ),
  feedId: Type.Optional(IdText('Only products of this feed')),
  available: Type.Optional(
    Type.Boolean({ description: 'True: only available products. False: only unavailable ones' }),
  ),
})

export const ProductParams = Type.Object({
  id: Type.String({ maxLength: 200, description: 'Id of the product in the feed, or its productId' }),
})
export const ProductLookUpQuery = Type.Object({ shopId }, { additionalProperties: false })
