import { Type } from 'typebox'
import { Id, IdText, ListQuery, Nullable, UUID_CHARS } from '../common.ts'

const Text = (description: string) => Type.String({ description })
const Price = (description: string) => Type.Number({ description: `${description}, in its currency` })

export const ProductView = Type.Object({
  shopId: Id('Its shop'),
  feedId: Text('Its feed'),
  id: Text('Its id in the feed'),
  systemProductId: Text('The id that ads carry'),
  productId: Nullable(Text('Joins offers of one product')),
  title: Text('Title'),
  link: Text('Product page'),
  imageLink: Text('Main image'),
  additionalImageLinks: Type.Array(Type.String(), { description: 'Images beside the main one' }),
  price: Price('Price'),
  salePrice: Nullable(Price('Sale price that holds now')),
  currency: Text('ISO 4217'),
  isAvailable: Type.Boolean({ description: 'Now: in stock and not expired. Only available products are shown' }),
  availability: Text('in_stock, out_of_stock, preorder or backorder'),
  brand: Nullable(Text('Brand')),
  gtin: Nullable(Text('GTIN')),
  mpn: Nullable(Text("Manufacturer's number")),
  itemGroupId: Nullable(Text('Joins variants of one product')),
  productTypes: Type.Array(Type.String(), { description: 'Category paths' }),
  condition: Nullable(Text('new, refurbished or used')),
  externalSellerId: Nullable(Text('Seller on a marketplace')),
  externalSellerName: Nullable(Text('Its name')),
  labels: Type.Array(Type.String(), { description: 'Custom labels' }),
  updatedAt: Type.String({ description: 'When it last changed, ISO 8601' }),
  expiresAt: Nullable(Text('From when on it is not available, ISO 8601')),
  campaignIds: Type.Array(Type.String(), { description: 'Campaigns that it is among the products of' }),
  whyNot: Type.Array(
    Type.Object({
      code: Text('One of the codes in docs/feeds.md'),
      campaignId: Nullable(Text('The campaign that it is about')),
    }),
    { description: 'Why it cannot be shown now; empty: it takes part in auctions' },
  ),
})

const shopId = Id('Its shop')

export const ProductSearchQuery = ListQuery({
  shopId,
  q: Type.Optional(Type.String({ maxLength: 500, description: 'An id, or words of which all are found' })),
  systemProductId: Type.Optional(
    Type.String({
      format: 'uuid',
      maxLength: UUID_CHARS,
      description: 'The product that ads carry this id of; q does not count then',
    }),
  ),
  feedId: Type.Optional(IdText('Only of this feed')),
  available: Type.Optional(Type.Boolean({ description: 'Only the available, or only the other ones' })),
})

export const ProductParams = Type.Object({
  id: Type.String({ maxLength: 200, description: 'Its id in the feed, or its productId' }),
})
export const ProductLookUpQuery = Type.Object({ shopId }, { additionalProperties: false })
