import { Type } from 'typebox'
import { UUID_CHARS } from './panel/common.ts'
import { SELECTION_LIMITS, type Targeting } from './selection.ts'

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
  row: Side('Rows of ads'),
  col: Side(`Columns of ads; row x col is at most ${L.adsMax}`),
})

/** For the documentation only, like the path. An empty value counts as not given. */
export const FormattedQuery = Type.Object({
  searchData: Text('Search phrase'),
  excludedShopProductsIds: Text('Feed ids of products not to show, separated by commas'),
  priceMin: Type.Optional(Type.Number({ description: 'Least price (sale price where there is one), inclusive' })),
  priceMax: Type.Optional(Type.Number({ description: 'Greatest price (sale price where there is one), inclusive' })),
  currency: Text('Currency of the page, ISO 4217'),
  brand: Text('Brand as in the feed; case does not matter'),
  productTitle: Text('Title of the product in whose context ads are shown'),
  categoryId: Text('Nodes of a category path, parts may be left out'),
  shopProductId: Text('Feed id of the product in whose context ads are shown'),
  productId: Text('Reference product: feed id or productId of the feed; without it, shopProductId'),
  productIds: Text('Products to show, at most 100: feed ids or productIds of the feed, separated by commas'),
  attributes: Text('JSON array of { name, value }: every name must hold, exactly; of several values of one name, any'),
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
