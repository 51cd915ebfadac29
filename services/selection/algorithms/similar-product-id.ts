import { currency, excluded, given, rootsOf } from '../candidates/filters.ts'
import type { Algorithm } from './algorithm.ts'
import { rankOf } from './similar.ts'
import { titleFilter, type Variant } from './text.ts'

/** Like a product of the feed: its title and its categories. WIDE: a word of the title and the same department. */
export const similarProductId = (variant: Variant): Algorithm => ({
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
