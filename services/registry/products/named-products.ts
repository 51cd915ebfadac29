import type { IndexedProduct, ProductIndex } from '../../../infra/product-index/port.ts'
import { chunksOf } from '../../domain/chunks.ts'

/** Ids that the index looks up at once. */
const IDS_PER_GET_MAX = 1_000

/** Finds offers of a shop by their ids in the feed. Products that the index finds by their productId instead are left out. */
export async function namedProducts(
  index: Pick<ProductIndex, 'get'>,
  shopId: string,
  ids: readonly string[],
): Promise<IndexedProduct[]> {
  const asked = new Set(ids)
  const found: IndexedProduct[] = []
  for (const some of chunksOf([...asked], IDS_PER_GET_MAX)) {
    const products = await index.get(shopId, some)
    found.push(...products.filter(({ offer }) => asked.has(offer.id)))
  }
  return found
}
