import type { Filter, IndexedProduct, Rank } from '../../infra/product-index/port.ts'
import type { Targeting } from '../../schemas/http/selection.ts'
import type { SponsoredAlgorithm } from '../../schemas/records.ts'
import { bestsellers } from './algorithms/bestsellers.ts'
import { contextMatch } from './algorithms/context-match.ts'
import { alsoBought, exactProductId } from './algorithms/listed-products.ts'
import { similarCategories, similarCategoriesAndTitles, similarTitles } from './algorithms/similar.ts'
import { similarProductId } from './algorithms/similar-product-id.ts'

/** What an algorithm asks the index for, without what holds for all (shop, campaigns, availability, language, country). */
export interface Plan {
  filters: Filter[]
  rank: Rank
  /** Offers of this title are the reference product itself, and not shown. */
  notTitle?: string
  /** Relevance by feed id or productId, in place of the index's. */
  relevance?: ReadonlyMap<string, number>
}

export interface PlanInput {
  targeting: Targeting
  /** Language of the page's texts. */
  lang: string
  /** Offers that `reference` names; empty where the algorithm has none. */
  reference: readonly IndexedProduct[]
}

export interface Algorithm {
  /** The required parameters that are missing. */
  check(targeting: Targeting): { field: string; message: string }[]
  /** Feed id or productId of the product that the plan needs; null: it needs none. */
  reference(targeting: Targeting): string | null
  plan(input: PlanInput): Plan
}

/**
 * The eight algorithms of sponsored ad units with their variants, by the contract's table. A parameter that the table
 * does not list for an algorithm is not read by its plan.
 */
export const algorithms: Readonly<Record<SponsoredAlgorithm, Algorithm>> = {
  BESTSELLERS: bestsellers({ wide: false }),
  BESTSELLERS_WIDE: bestsellers({ wide: true }),
  CONTEXT_MATCH: contextMatch({ wide: false }),
  CONTEXT_MATCH_WIDE: contextMatch({ wide: true }),
  SIMILAR_CATEGORIES_AND_TITLES: similarCategoriesAndTitles({ wide: false }),
  SIMILAR_CATEGORIES_AND_TITLES_WIDE: similarCategoriesAndTitles({ wide: true }),
  SIMILAR_TITLES: similarTitles({ wide: false }),
  SIMILAR_TITLES_WIDE: similarTitles({ wide: true }),
  SIMILAR_CATEGORIES: similarCategories({ wide: false }),
  SIMILAR_CATEGORIES_WIDE: similarCategories({ wide: true }),
  SIMILAR_PRODUCT_ID: similarProductId({ wide: false }),
  SIMILAR_PRODUCT_ID_WIDE: similarProductId({ wide: true }),
  ALSO_BOUGHT: alsoBought,
  EXACT_PRODUCT_ID: exactProductId,
}
