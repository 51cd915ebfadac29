import { attributes, brand, categories, categoryIds, currency, excluded, given, price } from '../candidates/filters.ts'
import type { Algorithm } from './algorithm.ts'
import { phraseFilter, titleFilter, type Variant } from './text.ts'

/** What sells best among what fits the page. WIDE ignores price, brand, category paths and attributes. */
export const bestsellers = (variant: Variant): Algorithm => ({
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
