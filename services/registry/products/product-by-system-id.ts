import type { ProductIndex } from '../../../infra/product-index/port.ts'
import { systemProductId } from '../../domain/catalogue/system-product-id.ts'
import type { Snapshot } from '../../domain/snapshot.ts'

/** Ids read at once; to hash them takes a few milliseconds. */
const PAGE_IDS = 2_000

/**
 * The feed id behind a `systemProductId` of a shop, or null. The id cannot be read backwards, so every id of the shop is
 * tried: a second or so for a million products, which a look-up now and then may cost, and an index of its own may not.
 */
export async function idBehind(
  { index, snapshot }: { index: ProductIndex; snapshot: Snapshot },
  shopId: string,
  wanted: string,
): Promise<string | null> {
  for (const feed of snapshot.all('Feed')) {
    if (feed.body.shopId !== shopId) continue
    for (let after: string | null = null; ; ) {
      const page: { id: string }[] = await index.digests(shopId, feed.id, after, PAGE_IDS)
      const found = page.find(({ id }) => systemProductId(shopId, id) === wanted)
      if (found) return found.id
      if (page.length < PAGE_IDS) break
      after = page.at(-1)!.id
    }
  }
  return null
}
