import type { Rank } from '../../../infra/product-index/port.ts'
import type { Targeting } from '../../../schemas/http/targeting.ts'
import {
  attributes,
  brand,
  categories,
  categoryIds,
  currency,
  excluded,
  given,
  givenAll,
  phraseFilter,
  price,
  titleFilter,
  type Variant,
} from '../candidates/filters.ts'
import type { AdAlgorithm } from './algorithm.ts'

/** The bestsellers among the products that fit the page. WIDE ignores price, brand, category paths and attributes. */
export const bestsellers = (variant: Variant): AdAlgorithm => ({
  check: () => [],
  reference: () => null,
  plan: ({ targeting, lang }) => ({
    filters: [
      ...phraseFilter(given(targeting.searchData), lang, variant),
      ...titleFilter(given(targeting.productTitle), lang, variant),
      ...excluded(targeting),
      ...currency(targeting),
      ...(variant.wide
        ? categoryIds(targeting)
        : [...categories(targeting), ...price(targeting), ...brand(targeting), ...attributes(targeting)]),
    ],
    rank: { by: 'popularity' },
  }),
})

/** Products that fit the phrase or category of a listing. WIDE requires neither, and without both shows popular products. */
export const contextMatch = (variant: Variant): AdAlgorithm => ({
  check: (targeting) =>
    variant.wide || given(targeting.searchData) || hasCategory(targeting)
      ? []
      : [{ field: 'searchData', message: 'is required unless categoryIds or categoryPaths is given' }],
  reference: () => null,
  plan: ({ targeting, lang }) => ({
    filters: [
      ...phraseFilter(given(targeting.searchData), lang, variant),
      ...excluded(targeting),
      ...price(targeting),
      ...currency(targeting),
      ...brand(targeting),
      ...categories(targeting),
      ...attributes(targeting),
    ],
    rank: rankOf(targeting, lang),
  }),
})

function hasCategory(targeting: Targeting): boolean {
  return givenAll(targeting.categoryIds).length > 0 || givenAll(targeting.categoryPaths).length > 0
}

function rankOf(targeting: Targeting, lang: string): Rank {
  const text = given(targeting.searchData)
  if (text) return { by: 'text', text, lang }
  // All products that pass the category filter fit the category equally well.
  return hasCategory(targeting) ? { by: 'none' } : { by: 'popularity' }
}
