import type { ProductOffer } from '../../../schemas/records/records.ts'
import type { IndexedProduct } from '../port.ts'
import type { StoredProduct } from './search/searcher.ts'

type ProductDetail = ProductOffer['productDetails'][number]

/** Characters of JSON behind the products kept; at most twice as many bytes of memory. */
const CACHE_CHARS_MAX = 32_000_000

interface Entry {
  changed: number
  product: IndexedProduct
  chars: number
}

/** Parsed products by document number; what was added first goes first. */
export class ProductCache {
  readonly #entries = new Map<number, Entry>()
  #chars = 0

  /** The product as of its change number, if it is held. */
  get(doc: number, changed: number): IndexedProduct | undefined {
    const entry = this.#entries.get(doc)
    return entry?.changed === changed ? entry.product : undefined
  }

  latest(doc: number): IndexedProduct | undefined {
    return this.#entries.get(doc)?.product
  }

  add(stored: StoredProduct): IndexedProduct {
    const known = this.get(stored.doc, stored.changed)
    if (known) return known
    const product = parseProduct(stored)
    this.#drop(stored.doc)
    const chars = stored.offer.length + stored.details.length + stored.campaigns.length + (stored.signals?.length ?? 0)
    this.#entries.set(stored.doc, { changed: stored.changed, product, chars })
    this.#chars += chars
    for (const oldest of this.#entries.keys()) {
      if (this.#chars <= CACHE_CHARS_MAX || oldest === stored.doc) break
      this.#drop(oldest)
    }
    return product
  }

  clear(): void {
    this.#entries.clear()
    this.#chars = 0
  }

  #drop(doc: number): void {
    const entry = this.#entries.get(doc)
    if (!entry) return
    this.#entries.delete(doc)
    this.#chars -= entry.chars
  }
}

/** Product details, most of an offer's JSON and seldom asked for, are parsed when they are. */
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
