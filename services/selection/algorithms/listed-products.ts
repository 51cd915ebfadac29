import { attributes, brand, categories, currency, excluded, given, givenAll, price } from '../candidates/filters.ts'
import type { AdAlgorithm } from './algorithm.ts'

/** What buyers of this product also bought, by the signal `alsoBought`; its score is the relevance. If it is empty: bestsellers. */
export const alsoBought: AdAlgorithm = {
  check: ({ shopProductId }) => (given(shopProductId) ? [] : [{ field: 'shopProductId', message: 'is required' }]),
  reference: ({ shopProductId }) => given(shopProductId),
  plan: ({ targeting, reference }) => {
    const product = reference.find(({ offer }) => offer.id === given(targeting.shopProductId)) ?? reference[0]!
    const bought = product.signals?.alsoBought ?? []
    const filters = excluded(
      targeting,
      reference.map(({ offer }) => offer.id),
    )
    if (bought.length === 0) return { filters, rank: { by: 'popularity' } }
    return {
      filters: [{ kind: 'ids', ids: bought.map(({ id }) => id) }, ...filters],
      rank: { by: 'none' },
      relevance: new Map(bought.map(({ id, score }) => [id, score])),
    }
  },
}

/** Exactly the products that the page lists. */
export const exactProductId: AdAlgorithm = {
  check: ({ productIds }) =>
    givenAll(productIds).length > 0 ? [] : [{ field: 'productIds', message: 'is required, with at least one id' }],
  reference: () => null,
  plan: ({ targeting }) => ({
    filters: [
      { kind: 'ids', ids: givenAll(targeting.productIds) },
      ...excluded(targeting),
      ...price(targeting),
      ...currency(targeting),
      ...brand(targeting),
      ...categories(targeting),
      ...attributes(targeting),
    ],
    rank: { by: 'none' },
  }),
}
