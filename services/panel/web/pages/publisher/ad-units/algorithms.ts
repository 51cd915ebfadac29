import type { AdUnit } from '../../../client/types.ts'
import { t } from '../../../messages/pages/shop/algorithms.ts'

export type AlgorithmName = AdUnit['algorithm']

/** Parameters of ad requests that an algorithm may need or take, in the order of forms. */
export const parameters = {
  searchData: { input: 'text', example: 'espresso machine' },
  productTitle: { input: 'text', example: 'Espresso machine Barista 15 bar' },
  categoryPaths: { input: 'list', example: 'Kitchen > Coffee' },
  categoryIds: { input: 'list', example: 'Kitchen > Coffee' },
  shopProductId: { input: 'text', example: 'SKU-1' },
  productId: { input: 'text', example: 'SKU-1' },
  productIds: { input: 'list', example: 'SKU-1' },
  brand: { input: 'text', example: 'Solvik' },
  priceMin: { input: 'number', example: 10 },
  priceMax: { input: 'number', example: 200 },
  attributes: { input: 'attributes', example: 'color=red' },
  profiles: { input: 'list', example: 'gardener' },
  referer: { input: 'text', example: '/garden/lamps' },
  country: { input: 'text', example: 'DE' },
  excludedShopProductIds: { input: 'list', example: 'SKU-1' },
  adFormatIds: { input: 'list', example: '' },
  lang: { input: 'text', example: 'de' },
  currency: { input: 'text', example: 'EUR' },
} as const satisfies Record<string, { input: ParameterInput; example: string | number }>

export type ParameterInput = 'text' | 'list' | 'number' | 'attributes'
export type ParameterName = keyof typeof parameters

interface Algorithm {
  /** A request must have at least one parameter of each group. */
  needs: readonly (readonly ParameterName[])[]
  /** Optional parameters. All others are ignored. */
  takes: readonly ParameterName[]
}

const categories = ['categoryPaths', 'categoryIds'] as const
const price = ['priceMin', 'priceMax'] as const
/** Parameters of every sponsored algorithm: exclusions, and restrictions to what the shopper can buy. */
const always = ['excludedShopProductIds', 'lang', 'country'] as const
const filters = [...price, 'brand', 'attributes', 'currency'] as const

/** The algorithms of ad units, in the order in which forms offer them. */
export const algorithms: Readonly<Record<AlgorithmName, Algorithm>> = {
  BESTSELLERS: {
    needs: [],
    takes: ['searchData', 'productTitle', ...categories, ...filters, ...always],
  },
  BESTSELLERS_WIDE: {
    needs: [],
    takes: ['searchData', 'productTitle', 'categoryIds', 'currency', ...always],
  },
  CONTEXT_MATCH: {
    needs: [['searchData', ...categories]],
    takes: [...filters, ...always],
  },
  CONTEXT_MATCH_WIDE: {
    needs: [],
    takes: ['searchData', ...categories, ...filters, ...always],
  },
  SIMILAR_CATEGORIES_AND_TITLES: {
    needs: [['productTitle']],
    takes: [...categories, ...filters, ...always],
  },
  SIMILAR_CATEGORIES_AND_TITLES_WIDE: {
    needs: [['productTitle']],
    takes: [...categories, ...filters, ...always],
  },
  SIMILAR_TITLES: {
    needs: [['productTitle']],
    takes: [...categories, ...filters, ...always],
  },
  SIMILAR_TITLES_WIDE: {
    needs: [['productTitle']],
    takes: [...categories, ...filters, ...always],
  },
  SIMILAR_CATEGORIES: {
    needs: [categories],
    takes: ['productTitle', ...filters, ...always],
  },
  SIMILAR_CATEGORIES_WIDE: {
    needs: [categories],
    takes: ['productTitle', ...filters, ...always],
  },
  SIMILAR_PRODUCT_ID: {
    needs: [['productId']],
    takes: ['currency', ...always],
  },
  SIMILAR_PRODUCT_ID_WIDE: {
    needs: [['productId']],
    takes: ['currency', ...always],
  },
  ALSO_BOUGHT: {
    needs: [['shopProductId']],
    takes: [...always],
  },
  EXACT_PRODUCT_ID: {
    needs: [['productIds']],
    takes: [...categories, ...filters, ...always],
  },
  DISPLAY: {
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
    needs: [['country']],
    takes: ['searchData', 'categoryPaths', 'brand', 'productId', 'profiles', 'referer', 'adFormatIds'],
  },
}

export const isDisplay = (algorithm: AlgorithmName): boolean => algorithm.startsWith('DISPLAY')

/** Algorithms for placements of a kind, for a Select. */
export function algorithmChoices(kind: 'PRODUCT' | 'DISPLAY') {
  return (Object.keys(algorithms) as AlgorithmName[])
    .filter((name) => isDisplay(name) === (kind === 'DISPLAY'))
    .map((name) => ({ value: name, label: t(name) }))
}

/** Request parameters that a display unit may count as targeting. */
export const targetingKinds = [
  { value: 'searchData', label: t('searchData'), description: t('targetSearchData') },
  { value: 'categoryPaths', label: t('category'), description: t('targetCategoryPaths') },
  { value: 'brand', label: t('brand'), description: t('targetBrand') },
  { value: 'productId', label: t('product'), description: t('targetProductId') },
  { value: 'profiles', label: t('profiles'), description: t('targetProfiles') },
  { value: 'referer', label: t('referer'), description: t('targetReferer') },
] as const satisfies readonly { value: AdUnit['targeting'][number]; label: string; description: string }[]
