import { Type } from 'typebox'
import { UUID_CHARS } from './panel/common.ts'
import { SELECTION_LIMITS, type Targeting } from './targeting.ts'

export const FORMATTED_LIMITS = { elementIdChars: 256 } as const

const L = SELECTION_LIMITS
const Text = (description: string) => Type.Optional(Type.String({ description }))
const Side = (description: string) => Type.Integer({ minimum: 1, maximum: L.adsMax, description })

/** For the documentation only: in an address every value is text, and is read by `readSlot`. */
export const FormattedParams = Type.Object({
  slotHash: Type.String({
    format: 'uuid',
    maxLength: UUID_CHARS,
    description: 'The ad unit or technical ad unit to fill',
  }),
  elementId: Type.String({
    minLength: 1,
    maxLength: FORMATTED_LIMITS.elementIdChars,
    description: 'Id of the HTML element that the ads are shown in',
  }),
  row: Side('Number of rows of ads'),
  col: Side(`Number of columns of ads. row x col may be at most ${L.adsMax}`),
})

/** For the documentation only, like the path. An empty value counts as not given. */
export const FormattedQuery = Type.Object({
  searchData: Text('Search phrase'),
  excludedShopProductsIds: Text('Feed ids of products not to show, separated by commas'),
  priceMin: Type.Optional(
    Type.Number({
      description: 'Minimum price, inclusive. It is compared with the sale price, if the product has one',
    }),
  ),
  priceMax: Type.Optional(
    Type.Number({
      description: 'Maximum price, inclusive. It is compared with the sale price, if the product has one',
    }),
  ),
  currency: Text('Currency of the page, ISO 4217'),
  brand: Text('Brand, as in the feed. Case does not matter'),
  productTitle: Text('Title of the product in whose context ads are shown'),
  categoryId: Text(
    'Nodes of a category path, joined by ">". Nodes may be left out: "Home > Lamps" also finds "Home > Light > Lamps"',
  ),
  shopProductId: Text('Feed id of the product in whose context ads are shown'),
  productId: Text(
    'Product that similar products are found for: its feed id, or its productId in the feed. Without it, shopProductId is used',
  ),
  productIds: Text(
    'Products to show, at most 100, separated by commas: their feed ids, or their productIds in the feed',
  ),
  attributes: Text(
    'JSON array of { name, value }. Only products that have all these attributes, with exactly these values, are shown. If ' +
      'a name is given several times, any one of its values is enough',
  ),
})

/** What one script element asks for, as it is handed to the browser. */
export interface FormattedSlot {
  elementId: string
  rows: number
  cols: number
  /** The shop's language, for words on pages that do not state theirs. */
  lang: string
  targeting: Targeting
}
