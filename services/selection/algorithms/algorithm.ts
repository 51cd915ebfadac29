import type { Filter, IndexedProduct, Rank } from '../../../infra/product-index/port.ts'
import type { Targeting } from '../../../schemas/http/targeting.ts'

/** What an algorithm asks the index for, besides what all of them ask for (shop, campaigns, availability, language, country). */
export interface Plan {
  filters: Filter[]
  rank: Rank
  /** Offers with this title are the reference product itself, and are not shown. */
  notTitle?: string
  /** Relevance by offer id or productId. It replaces the relevance that the index returns. */
  relevance?: ReadonlyMap<string, number>
}

export interface PlanInput {
  targeting: Targeting
  /** Language of the page's texts. */
  lang: string
  /** The offers that `AdAlgorithm.reference` names; empty when the algorithm needs none. */
  reference: readonly IndexedProduct[]
}

export interface AdAlgorithm {
  /** The required parameters that are missing. */
  check(targeting: Targeting): { field: string; message: string }[]
  /** Offer id or productId of the product that the plan needs; null when it needs none. */
  reference(targeting: Targeting): string | null
  plan(input: PlanInput): Plan
}
