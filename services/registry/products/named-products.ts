import type { IndexedProduct, ProductIndex } from '../../../infra/product-index/port.ts'

/** What the index looks up at once. */
const IDS_PER_GET_MAX = 1_000

/** Offers of a shop by their ids in the feed, each asked for once. The index finds products by their productId too: those are left out. */
export async function namedProducts(
  index: Pick<ProductIndex, 'get'>,
  shopId: string,
  ids: readonly string[],
): Promise<IndexedProduct[]> {
  const asked = new Set(ids)
  const each = [...asked]
  const found: IndexedProduct[] = []
  for (let from = 0; from < each.length; from += IDS_PER_GET_MAX) {
    const some = await index.get(shopId, each.slice(from, from + IDS_PER_GET_MAX))
    found.push(...some.filter(({ offer }) => asked.has(offer.id)))
  }
  return found
}
