import { LRUCache } from 'lru-cache'
import type { ProductOffer } from '../../../schemas/records/records.ts'
import type { IndexedProduct } from '../port.ts'
import type { StoredProduct } from './search/searcher.ts'

type ProductDetail = ProductOffer['productDetails'][number]

/** The cache's limit, in characters of the products' JSON. The products take at most twice as many bytes of memory. */
const CACHE_CHARS_MAX = 32_000_000

/** Caches parsed products by rowid, each with the number of the write batch that last changed it. */
export function createProductCache() {
  const cache = new LRUCache<number, { changed: number; product: IndexedProduct }>({ maxSize: CACHE_CHARS_MAX })

  /** The product, if it is cached in the version with this change number. */
  function get(rowid: number, changed: number): IndexedProduct | undefined {
    const entry = cache.get(rowid)
    return entry?.changed === changed ? entry.product : undefined
  }

  return {
    get,
    add(stored: StoredProduct): IndexedProduct {
      const { rowid, changed } = stored
      const known = get(rowid, changed)
      if (known) return known
      const product = parseProduct(stored)
      const texts = [stored.offer, stored.details, stored.campaigns, stored.signals ?? '']
      const size = texts.reduce((sum, text) => sum + text.length, 0)
      cache.set(rowid, { changed, product }, { size })
      return product
    },
    clear: () => cache.clear(),
  }
}

/** Key of the product details: a JSON string until they are first read, the parsed details afterwards. */
const details = Symbol('details')

/**
 * One descriptor shared by all offers. A separate getter for each offer would make V8 keep the offer as a hash table, which
 * takes eight times the memory and is slow to read.
 */
const productDetails: PropertyDescriptor & ThisType<{ [details]: string | ProductDetail[] }> = {
  enumerable: true,
  get() {
    if (typeof this[details] === 'string') this[details] = JSON.parse(this[details]) as ProductDetail[]
    return this[details]
  },
}

/** Product details are parsed on first use, because they are most of an offer's JSON and rarely read. */
export function parseProduct(stored: StoredProduct): IndexedProduct {
  const offer = JSON.parse(stored.offer)
  Object.defineProperty(offer, details, { value: stored.details, writable: true })
  Object.defineProperty(offer, 'productDetails', productDetails)
  return {
    offer,
    campaignIds: JSON.parse(stored.campaigns),
    signals: stored.signals && JSON.parse(stored.signals),
  }
}
