import type { IndexedProduct, ProductIndex } from '../../../infra/product-index/port.ts'
import { chunksOf } from '../../domain/chunks.ts'

/** Ids that the index looks up at once. */
const IDS_PER_GET_MAX = 1_000

/** Finds offers of a shop by their ids in the feed. */
export async function namedProducts(
  index: Pick<ProductIndex, 'get'>,
  shopId: string,
  ids: readonly string[],
): Promise<IndexedProduct[]> {
  const found: IndexedProduct[] = []
  for (const some of chunksOf([...new Set(ids)], IDS_PER_GET_MAX)) found.push(...(await index.get(shopId, some)))
  return found
}
