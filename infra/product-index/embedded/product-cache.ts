import { LRUCache } from 'lru-cache'
import type { ProductOffer } from '../../../schemas/records/records.ts'
import type { IndexedProduct } from '../port.ts'
import type { StoredProduct } from './search/searcher.ts'

type ProductDetail = ProductOffer['productDetails'][number]

/** Characters of JSON behind the cached products; they take at most twice as many bytes of memory. */
const CACHE_CHARS_MAX = 32_000_000

/** Parsed products by rowid, each with the number of its last change. */
export function createProductCache() {
  const cache = new LRUCache<number, { changed: number; product: IndexedProduct }>({ maxSize: CACHE_CHARS_MAX })

  /** The product as of its change number, if it is cached. */
  function get(rowid: number, changed: number): IndexedProduct | undefined {
    const entry = cache.get(rowid)
    return entry?.changed === changed ? entry.product : undefined
  }

  return {
    get,
    /** The product as of any change. */
    latest: (rowid: number): IndexedProduct | undefined => cache.peek(rowid)?.product,
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

/** Holds the product details: their JSON until they are read, then themselves. */
const details = Symbol('details')

/**
 * One descriptor for all offers. A getter of its own for each would make V8 keep the offer as a hash table, which takes eight
 * times the memory and is slow to read.
 */
const productDetails: PropertyDescriptor & ThisType<{ [details]: string | ProductDetail[] }> = {
  enumerable: true,
  get() {
    if (typeof this[details] === 'string') this[details] = JSON.parse(this[details]) as ProductDetail[]
    return this[details]
  },
}

/** Product details, most of an offer's JSON and rarely read, are parsed on first use. */
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
