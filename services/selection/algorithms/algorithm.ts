import type { Filter, IndexedProduct, Rank } from '../../../infra/product-index/port.ts'
import type { Targeting } from '../../../schemas/http/selection.ts'

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

export interface AdAlgorithm {
  /** The required parameters that are missing. */
  check(targeting: Targeting): { field: string; message: string }[]
  /** Feed id or productId of the product that the plan needs; null: it needs none. */
  reference(targeting: Targeting): string | null
  plan(input: PlanInput): Plan
}
