import { LRUCache } from 'lru-cache'
import type { ProductOffer } from '../../../schemas/records/records.ts'
import type { IndexedProduct } from '../port.ts'
import type { StoredProduct } from './search/searcher.ts'

type ProductDetail = ProductOffer['productDetails'][number]

/** Characters of JSON behind the cached products; they take at most twice as many bytes of memory. */
const CACHE_CHARS_MAX = 32_000_000

/** Parsed products by document number, each with the number of its last change. */
export function createProductCache() {
  const cache = new LRUCache<number, { changed: number; product: IndexedProduct }>({ maxSize: CACHE_CHARS_MAX })

  /** The product as of its change number, if it is cached. */
  function get(doc: number, changed: number): IndexedProduct | undefined {
    const entry = cache.get(doc)
    return entry?.changed === changed ? entry.product : undefined
  }

  return {
    get,
    /** The product as of any change. */
    latest: (doc: number): IndexedProduct | undefined => cache.peek(doc)?.product,
    add(stored: StoredProduct): IndexedProduct {
      const { doc, changed, offer, details, campaigns, signals } = stored
      const known = get(doc, changed)
      if (known) return known
      const product = parseProduct(stored)
      const size = offer.length + details.length + campaigns.length + (signals?.length ?? 0)
      cache.set(doc, { changed, product }, { size })
      return product
    },
    clear: () => cache.clear(),
  }
}

/** Product details, most of an offer's JSON and rarely read, are parsed on first use. */
export function parseProduct({ offer, details, campaigns, signals }: StoredProduct): IndexedProduct {
  let parsed: ProductDetail[] | null = null
  const lazy = {
    get productDetails(): ProductDetail[] {
      parsed ??= JSON.parse(details) as ProductDetail[]
      return parsed
    },
  }
  return {
    offer: Object.assign(lazy, JSON.parse(offer)),
    campaignIds: JSON.parse(campaigns),
    signals: signals && JSON.parse(signals),
  }
}
