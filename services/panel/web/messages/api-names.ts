import { catalogue } from './catalogue.ts'
import { uncapitalised } from './uncapitalised.ts'

/** The panel's names for the fields and values that appear in errors of the API. */
const names = {
  name: 'Name',
  email: 'E-mail',
  role: 'Role',
  password: 'Password',
  accountId: 'Account',
  shopId: 'Shop',
  campaignId: 'Campaign',
  placementId: 'Placement',
  publisherSlotId: 'Technical ad unit ID',
  adFormatId: 'Ad format',
  adFormatIds: 'Ad formats',
  autoPromo: 'Self-promotion',
  budget: 'Budget',
  dailyBudget: 'Daily budget',
  pacing: 'Pacing',
  cpc: 'CPC bid',
  cpm: 'CPM bid',
  capping: 'Frequency cap per person and day',
  startAt: 'Start',
  endAt: 'End',
  expiresAt: 'Expiry',
  status: 'Status',
  products: 'Products',
  productsBy: 'How products are chosen',
  productIds: 'Products',
  productRule: 'Product rule',
  ids: 'Product IDs',
  labels: 'Labels',
  priceMin: 'Price from',
  priceMax: 'Price to',
  attributionProductIds: 'Other credited products',
  sellerIds: 'Sellers',
  externalSellerId: 'Seller',
  companyName: 'Company name',
  taxNumber: 'Tax number',
  displayEnabled: 'Display advertising',
  country: 'Country',
  currency: 'Currency',
  lang: 'Language',
  timeZone: 'Time zone',
  clickWindowHours: 'Click window',
  viewWindowHours: 'View window',
  reserveCpc: 'Reserve price',
  transactionTrust: 'Trust',
  invalidTraffic: 'Invalid traffic',
  url: 'Address (URL)',
  username: 'User name',
  algorithm: 'Algorithm',
  isActive: 'May sign in',
  targetUrl: 'Target URL',
  mobileDeepLink: 'Mobile deep link',
  targeting: 'Targeting',
  phrases: 'Search phrases',
  categoryPaths: 'Categories',
  brands: 'Brands',
  profiles: 'Audience profiles',
  refererPatterns: 'Pages',
  banners: 'Banners',
  imageId: 'Image',
  logoImageId: 'Logo',
  textFields: 'Texts',
  requestId: 'Request',
  eventIds: 'Events',
  cid: 'Visitor',
  EVEN: 'Even pacing',
  PAUSED: 'Pausing',
  from: 'From',
  to: 'To',
} as const

const t = catalogue(names)

/** The label of the field that a JSON pointer or a parameter's path ends in: 'Sellers' for `/products/rule/sellerIds`. */
export function labelOf(path: string): string | undefined {
  const name = path.split('/').findLast(isName)
  return name && t(name)
}

/** A message of the API with the panel's names for its fields: 'must be after start' for 'must be after startAt'. */
export function inWords(message: string): string {
  return message.replace(/\b[a-z]*[A-Z][A-Za-z]*\b/g, (word) => (isName(word) ? uncapitalised(t(word)) : word))
}

const isName = (word: string): word is keyof typeof names => Object.hasOwn(names, word)
