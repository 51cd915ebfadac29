import { catalogue } from '../../catalogue.ts'

/** The products of a campaign: how many they are, and their figures. */
export const t = catalogue({
  nothingChosen: 'Nothing selected yet',
  counting: 'Counting…',
  countProducts: '{count, plural, one {# product} other {# products}}',
  countOutOfStock:
    '{count, plural, one {# product} other {# products}}, {out, plural, other {#}} out of stock and not shown now',
  indexing: 'The products of the shop are still being read. They are counted again in a moment.',
  someOfThem: 'Some of them',
  unknownIds: '{count, plural, one {# ID belongs} other {# IDs belong}} to no product that the account may advertise',
  removeThem: 'Remove them',
  nothingMatches:
    'No product matches. The campaign cannot start like this: widen the conditions, or save it as a draft.',

  products: 'Products',
  product: 'Product',
  views: 'Views',
  clicks: 'Clicks',
  ctr: 'CTR',
  spend: 'Spend',
  sales: 'Sales',
  roas: 'ROAS',
  mostClickedIn: 'Most clicked in the last {days} days',
  mostClicked: 'Most clicked products',
  nothingShown: 'No views yet',
  nothingShownHelp: 'Products appear here once shoppers see them.',
})
