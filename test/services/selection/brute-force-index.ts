import type {
  Filter,
  IndexedProduct,
  IndexWrite,
  ProductIndex,
  Rank,
  SearchHit,
} from '../../../infra/product-index/port.ts'
import type { ProductOffer } from '../../../schemas/records/records.ts'
import { liftedClickRate, predictClickRate } from '../../../services/domain/auction/click-rate.ts'

/**
 * Splits a text into lower-case words at everything that is not a letter or digit, without stemming. Catalogues of tests use only
 * plain words.
 */
const words = (text: string) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
const same = (a: string | null, b: string) => a !== null && a.trim().toLowerCase() === b.trim().toLowerCase()
const path = (text: string) => text.split('>').map((level) => level.trim().toLowerCase())
const startsWith = (whole: string[], start: string[]) => start.every((level, i) => whole[i] === level)
const inOrder = (whole: string[], nodes: readonly string[]) => {
  let at = -1
  return nodes.every((node) => {
    at = whole.indexOf(node.trim().toLowerCase(), at + 1)
    return at >= 0
  })
}
const effectivePrice = (offer: ProductOffer) => offer.salePriceMicros ?? offer.priceMicros

function textOf(offer: ProductOffer, within: 'ALL_FIELDS' | 'TITLE'): string {
  if (within === 'TITLE') return offer.title
  const details = offer.productDetails.map((d) => d.attributeValue)
  return [offer.title, offer.brand, ...offer.productTypes, offer.color, ...details, offer.description].join(' ')
}

function attribute(offer: ProductOffer, name: string): string[] {
  const key = name.toLowerCase()
  const own: Record<string, string | null> = {
    color: offer.color,
    size: offer.size,
    material: offer.material,
    gtin: offer.gtin,
  }
  if (key in own) return own[key] === null ? [] : [own[key]!]
  return offer.productDetails.filter((d) => same(d.attributeName, key)).map((d) => d.attributeValue)
}

/** Whether an offer matches a filter, as the port defines it. */
export function matches({ offer, campaignIds }: IndexedProduct, filter: Filter): boolean {
  switch (filter.kind) {
    case 'available':
      return offer.isAvailable
    case 'text': {
      const wanted = new Set(words(filter.text))
      const had = new Set(words(textOf(offer, filter.in)))
      const found = wanted.intersection(had).size
      return found >= Math.max(filter.minShare * wanted.size, 1)
    }
    case 'categoryPaths':
      return filter.paths.some((wanted) => offer.productTypes.some((type) => startsWith(path(type), path(wanted))))
    case 'categoryNodes':
      return filter.anyOf.some((nodes) => offer.productTypes.some((type) => inOrder(path(type), nodes)))
    case 'price':
      return (
        effectivePrice(offer) >= (filter.minMicros ?? Number.NEGATIVE_INFINITY) &&
        effectivePrice(offer) <= (filter.maxMicros ?? Number.POSITIVE_INFINITY)
      )
    case 'brand':
      return filter.anyOf.some((brand) => same(offer.brand, brand))
    case 'currency':
      return same(offer.currency, filter.currency)
    case 'lang':
      return offer.lang === null || same(offer.lang, filter.lang)
    case 'country':
      return offer.shipping.length === 0 || offer.shipping.some(({ country }) => same(country, filter.country))
    case 'attribute':
      return attribute(offer, filter.name).some((value) => filter.anyOf.some((wanted) => same(value, wanted)))
    case 'ids':
      return filter.ids.some((id) => id === offer.id || id === offer.productId)
    case 'excludeIds':
      return !filter.ids.includes(offer.id)
    case 'campaign':
      return campaignIds.includes(filter.campaignId)
    case 'feed':
      return offer.feedId === filter.feedId
    case 'labels':
      return filter.anyOf.some((label) => offer.labels.includes(label))
    case 'sellers':
      return filter.anyOf.some((seller) => offer.externalSellerId === seller)
  }
}

function score(product: IndexedProduct, rank: Rank): number {
  const text = () => {
    const wanted = new Set(words((rank as { text: string }).text))
    return wanted.intersection(new Set(words(textOf(product.offer, 'ALL_FIELDS')))).size / Math.max(wanted.size, 1)
  }
  const categories = () =>
    Math.max(
      0,
      ...(rank as { paths: string[] }).paths.flatMap((wanted) =>
        product.offer.productTypes.map((type) => {
          const levels = path(wanted)
          const common = levels.findIndex((level, i) => path(type)[i] !== level)
          return (common < 0 ? levels.length : common) / levels.length
        }),
      ),
    )
  switch (rank.by) {
    case 'text':
      return text()
    case 'categories':
      return categories()
    case 'textAndCategories':
      return (text() + categories()) / 2
    case 'popularity':
      return product.signals?.popularity ?? 0
    case 'none':
      return 1
  }
}

export interface BruteForceIndex extends ProductIndex {
  products: IndexedProduct[]
  searches: number
  /** Runs before each answer, to delay or fail it. */
  before: () => Promise<void>
}

/** An index that looks at every offer. */
export function bruteForceIndex(products: IndexedProduct[]): BruteForceIndex {
  const unused = () => Promise.reject(new Error('not used by selection'))
  return {
    products,
    searches: 0,
    before: async () => {},
    async search(queries) {
      this.searches++
      await this.before()
      return queries.map(({ shopId, filters, rank, campaigns, priorClickRate, lifts, limit }) => {
        const weightOf = ({ campaignIds }: IndexedProduct) => {
          if (campaigns === null) return 1
          const groups = campaigns.filter((group) => group.campaignIds.some((id) => campaignIds.includes(id)))
          return Math.max(0, ...groups.map(({ weight }) => weight))
        }
        const rankOf = ({ product, relevance }: SearchHit) =>
          relevance *
          liftedClickRate(predictClickRate(product.signals, priorClickRate), lifts?.get(product.offer.id) ?? 1) *
          weightOf(product)
        const found = this.products.filter(
          (product) =>
            product.offer.shopId === shopId &&
            weightOf(product) > 0 &&
            filters.every((filter) => matches(product, filter)),
        )
        const best = Math.max(...found.map((product) => score(product, rank)), 0)
        const hits = found
          .map((product) => ({ product, relevance: best > 0 ? Math.max(score(product, rank) / best, 0.001) : 1 }))
          .sort((a, b) => rankOf(b) - rankOf(a))
        return {
          hits: structuredClone(hits.slice(0, limit)),
          bestFit: best || 1,
          truncated: hits.length > limit,
          runnerUp: null,
        }
      })
    },
    async get(shopId, ids) {
      await this.before()
      return this.products.filter(({ offer }) => offer.shopId === shopId && ids.includes(offer.id))
    },
    async write(_writes: readonly IndexWrite[]) {
      return unused()
    },
    refresh: async () => {},
    revision: () => null,
    count: unused,
    sellers: unused,
    scan: unused,
    similarTerms: unused,
    digests: unused,
    shops: unused,
    clear: unused,
    builds: null,
    close: async () => {},
  }
}
