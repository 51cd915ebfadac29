import type { Filter, Rank } from '../../../infra/product-index/port.ts'
import type { Targeting } from '../../../schemas/http/targeting.ts'
import {
  attributes,
  brand,
  categories,
  categoryRoots,
  currency,
  excluded,
  given,
  givenAll,
  price,
  rootsOf,
  titleFilter,
  type Variant,
} from '../candidates/filters.ts'
import type { AdAlgorithm, Plan, PlanInput } from './algorithm.ts'

/** Products like the one whose title (and categories, if any) the page sends. WIDE: the same department is enough. */
export const similarCategoriesAndTitles = (variant: Variant): AdAlgorithm => ({
  check: requireTitle,
  reference: () => null,
  plan: (input) =>
    similar(input, [
      ...titleFilter(given(input.targeting.productTitle), input.lang, variant),
      ...nearCategories(input.targeting, variant),
    ]),
})

/** Products like the one whose title the page sends; categories only narrow the choice. */
export const similarTitles = (variant: Variant): AdAlgorithm => ({
  check: requireTitle,
  reference: () => null,
  plan: (input) => {
    const text = given(input.targeting.productTitle)!
    const filters = [...titleFilter(text, input.lang, variant), ...categories(input.targeting)]
    return { ...similar(input, filters), rank: { by: 'text', text, lang: input.lang } }
  },
})

/** Products of the categories that the page sends; a title only ranks them. WIDE: the same department is enough. */
export const similarCategories = (variant: Variant): AdAlgorithm => ({
  check: ({ categoryIds, categoryPaths }) =>
    givenAll(categoryIds).length > 0 || givenAll(categoryPaths).length > 0
      ? []
      : [{ field: 'categoryPaths', message: 'is required unless categoryIds is given' }],
  reference: () => null,
  plan: (input) => similar(input, nearCategories(input.targeting, variant)),
})

function requireTitle({ productTitle }: Targeting) {
  return given(productTitle) ? [] : [{ field: 'productTitle', message: 'is required' }]
}

function nearCategories(targeting: Targeting, { wide }: Variant): Filter[] {
  return wide ? categoryRoots(targeting) : categories(targeting)
}

function similar({ targeting, lang }: PlanInput, filters: Filter[]): Plan {
  const title = given(targeting.productTitle)
  return {
    filters: [
      ...filters,
      ...excluded(targeting),
      ...price(targeting),
      ...currency(targeting),
      ...brand(targeting),
      ...attributes(targeting),
    ],
    rank: rankOf(title, lang, givenAll(targeting.categoryPaths)),
    ...(title ? { notTitle: title } : {}),
  }
}

function rankOf(text: string | null, lang: string, paths: string[]): Rank {
  if (text && paths.length > 0) return { by: 'textAndCategories', text, lang, paths }
  if (text) return { by: 'text', text, lang }
  return paths.length > 0 ? { by: 'categories', paths } : { by: 'none' }
}

/** Products like one of the feed, by its title and categories. WIDE: a word of its title and the same department are enough. */
export const similarProductId = (variant: Variant): AdAlgorithm => ({
  check: ({ productId }) => (given(productId) ? [] : [{ field: 'productId', message: 'is required' }]),
  reference: ({ productId }) => given(productId),
  plan: ({ targeting, lang, reference }) => {
    const { title, productTypes, lang: offerLang } = reference[0]!.offer
    const paths = variant.wide ? rootsOf(productTypes) : productTypes
    return {
      filters: [
        ...titleFilter(title, offerLang ?? lang, variant),
        ...(paths.length > 0 ? [{ kind: 'categoryPaths', paths } as const] : []),
        ...excluded(
          targeting,
          reference.map(({ offer }) => offer.id),
        ),
        ...currency(targeting),
      ],
      rank: rankOf(title, offerLang ?? lang, productTypes),
    }
  },
})
