import type { SponsoredAlgorithm } from '../../../schemas/records/entities.ts'
import type { AdAlgorithm } from './algorithm.ts'
import { alsoBought, exactProductId } from './listed-products.ts'
import { bestsellers, contextMatch } from './page-context.ts'
import { similarCategories, similarCategoriesAndTitles, similarProductId, similarTitles } from './similar.ts'

/**
 * The eight algorithms of sponsored ad units with their variants, by the contract's table. A parameter that the table
 * does not list for an algorithm is not read by its plan.
 */
export const algorithms: Readonly<Record<SponsoredAlgorithm, AdAlgorithm>> = {
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
