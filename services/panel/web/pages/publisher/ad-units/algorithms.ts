import type { AdUnit } from '../../../client/types.ts'

export type AlgorithmName = AdUnit['algorithm']

/** Parameters of ad requests that an algorithm may need or take, in the order of forms. */
export const parameters = {
  searchData: { label: 'Search phrase', input: 'text', example: 'espresso machine' },
  productTitle: { label: 'Product title', input: 'text', example: 'Espresso machine Barista 15 bar' },
  categoryPaths: { label: 'Category paths', input: 'list', example: 'Kitchen > Coffee' },
  categoryIds: { label: 'Category nodes', input: 'list', example: 'Kitchen > Coffee' },
  shopProductId: { label: 'Product of the page', input: 'text', example: 'SKU-1' },
  productId: { label: 'Reference product', input: 'text', example: 'SKU-1' },
  productIds: { label: 'Products to show', input: 'list', example: 'SKU-1' },
  brand: { label: 'Brand', input: 'text', example: 'Solvik' },
  priceMin: { label: 'Price from', input: 'number', example: 10 },
  priceMax: { label: 'Price to', input: 'number', example: 200 },
  attributes: { label: 'Attributes', input: 'attributes', example: 'color=red' },
  profiles: { label: 'Profiles', input: 'list', example: 'gardener' },
  referer: { label: 'Page address', input: 'text', example: '/garden/lamps' },
  country: { label: 'Country', input: 'text', example: 'DE' },
  excludedShopProductIds: { label: 'Products not to show', input: 'list', example: 'SKU-1' },
  adFormatIds: { label: 'Ad formats', input: 'list', example: '' },
  lang: { label: 'Language', input: 'text', example: 'de' },
  currency: { label: 'Currency', input: 'text', example: 'EUR' },
} as const satisfies Record<string, { label: string; input: ParameterInput; example: string | number }>

export type ParameterInput = 'text' | 'list' | 'number' | 'attributes'
export type ParameterName = keyof typeof parameters

interface Algorithm {
  label: string
  /** What it shows. */
  sentence: string
  /** A request must have at least one parameter of each group. */
  needs: readonly (readonly ParameterName[])[]
  /** Optional parameters. All others are ignored. */
  takes: readonly ParameterName[]
}

const categories = ['categoryPaths', 'categoryIds'] as const
const price = ['priceMin', 'priceMax'] as const
/** Parameters of every sponsored algorithm: exclusions, and what the shopper can buy. */
const always = ['excludedShopProductIds', 'lang', 'country'] as const
const filters = [...price, 'brand', 'attributes', 'currency'] as const
const WIDE = 'Looser: more products fit, less closely.'

/** The algorithms of ad units, in the order in which they are offered. */
export const algorithms: Readonly<Record<AlgorithmName, Algorithm>> = {
  BESTSELLERS: {
    label: 'Bestsellers',
    sentence: 'What sells best among the products that fit the page. For home pages and categories.',
    needs: [],
    takes: ['searchData', 'productTitle', ...categories, ...filters, ...always],
  },
  BESTSELLERS_WIDE: {
    label: 'Bestsellers, wide',
    sentence: `What sells best; price, brand, category paths and attributes do not narrow it. ${WIDE}`,
    needs: [],
    takes: ['searchData', 'productTitle', 'categoryIds', 'currency', ...always],
  },
  CONTEXT_MATCH: {
    label: 'Context match',
    sentence: 'Products with every word of the search phrase, or of the category. For search results and listings.',
    needs: [['searchData', ...categories]],
    takes: [...filters, ...always],
  },
  CONTEXT_MATCH_WIDE: {
    label: 'Context match, wide',
    sentence: `Products with some word of the search phrase; without a phrase or category, what is popular. ${WIDE}`,
    needs: [],
    takes: ['searchData', ...categories, ...filters, ...always],
  },
  SIMILAR_CATEGORIES_AND_TITLES: {
    label: 'Similar titles and categories',
    sentence: 'Products with a title like the one sent, in its categories. For product pages.',
    needs: [['productTitle']],
    takes: [...categories, ...filters, ...always],
  },
  SIMILAR_CATEGORIES_AND_TITLES_WIDE: {
    label: 'Similar titles and categories, wide',
    sentence: `Products that share a word with the title sent, of the same department. ${WIDE}`,
    needs: [['productTitle']],
    takes: [...categories, ...filters, ...always],
  },
  SIMILAR_TITLES: {
    label: 'Similar titles',
    sentence: 'Products with a title like the one sent; categories only narrow. For product pages.',
    needs: [['productTitle']],
    takes: [...categories, ...filters, ...always],
  },
  SIMILAR_TITLES_WIDE: {
    label: 'Similar titles, wide',
    sentence: `Products that share a word with the title sent. ${WIDE}`,
    needs: [['productTitle']],
    takes: [...categories, ...filters, ...always],
  },
  SIMILAR_CATEGORIES: {
    label: 'Similar categories',
    sentence: 'Products of the categories sent; a title only ranks them. For categories and product pages.',
    needs: [categories],
    takes: ['productTitle', ...filters, ...always],
  },
  SIMILAR_CATEGORIES_WIDE: {
    label: 'Similar categories, wide',
    sentence: `Products of the same department as the categories sent. ${WIDE}`,
    needs: [categories],
    takes: ['productTitle', ...filters, ...always],
  },
  SIMILAR_PRODUCT_ID: {
    label: 'Similar to a product',
    sentence: 'Products like one of the feed, by its title and categories. The page only sends an id.',
    needs: [['productId']],
    takes: ['currency', ...always],
  },
  SIMILAR_PRODUCT_ID_WIDE: {
    label: 'Similar to a product, wide',
    sentence: `Products that share a word with the title of one of the feed, of its department. ${WIDE}`,
    needs: [['productId']],
    takes: ['currency', ...always],
  },
  ALSO_BOUGHT: {
    label: 'Also bought',
    sentence:
      'What those who bought this product bought too; bestsellers while nobody has. For carts and product pages.',
    needs: [['shopProductId']],
    takes: [...always],
  },
  EXACT_PRODUCT_ID: {
    label: 'Listed products',
    sentence: 'Exactly the products that the page lists, where a campaign promotes them. To mark offers in a listing.',
    needs: [['productIds']],
    takes: [...categories, ...filters, ...always],
  },
  DISPLAY: {
    label: 'Banners',
    sentence: 'Banners of campaigns whose targeting fits the page in every kind that they set.',
    needs: [['country']],
    takes: [
      'searchData',
      'productTitle',
      'categoryPaths',
      'brand',
      'productId',
      'profiles',
      'referer',
      'adFormatIds',
      'currency',
    ],
  },
  DISPLAY_PHRASE_OR_CATEGORY: {
    label: 'Banners by phrase or category',
    sentence: 'Banners of campaigns whose phrase or category fits the page: one of the two is enough.',
    needs: [['country']],
    takes: ['searchData', 'categoryPaths', 'brand', 'productId', 'profiles', 'referer', 'adFormatIds'],
  },
}

export const isDisplay = (algorithm: AlgorithmName): boolean => algorithm.startsWith('DISPLAY')

/** Algorithms for placements of a kind, for a Select. */
export function algorithmChoices(kind: 'PRODUCT' | 'DISPLAY') {
  return (Object.keys(algorithms) as AlgorithmName[])
    .filter((name) => isDisplay(name) === (kind === 'DISPLAY'))
    .map((name) => ({ value: name, label: algorithms[name].label }))
}

/** Request parameters that a display unit may count as targeting. */
export const targetingKinds = [
  { value: 'searchData', label: 'Search phrase', description: 'The words that the shopper sought' },
  { value: 'categoryPaths', label: 'Category', description: 'The category of the page, and those above it' },
  { value: 'brand', label: 'Brand', description: 'The brand that the page is about' },
  { value: 'productId', label: 'Product', description: 'The product that the page is about' },
  { value: 'profiles', label: 'Profiles', description: 'What the shop knows of the shopper’s interests' },
  { value: 'referer', label: 'Page address', description: 'Where the page is, from the Referer header' },
] as const satisfies readonly { value: AdUnit['targeting'][number]; label: string; description: string }[]
