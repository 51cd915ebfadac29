import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { connect } from '../../thread.ts'
import { IndexUnavailable, type ProductIndex, type ProductQuery, type SearchHit, type SearchResult } from '../port.ts'
import { ProductCache, parseProduct } from './product-cache.ts'
import type { NumberedQuery, NumberedResult, StoredProduct } from './search/searcher.ts'

/** Lists of campaigns that the search thread remembers for one client. */
const CAMPAIGN_SETS_MAX = 256

/**
 * The index behind a port of `startEmbeddedProductIndex`, for any thread. Products that it returns are shared between
 * calls and must not be changed; so must lists of campaigns that it was given, which it sends once as long as they
 * are the same object.
 */
export function productIndexClient(port: MessagePort): ProductIndex {
  const closed = () => new IndexUnavailable('The product index has been closed')
  const searcher = connect(port, { IndexUnavailable }, closed)
  // Writes go to the writer's thread directly; the search thread only hands the port on.
  const { port1, port2 } = new MessageChannel()
  const writer = connect(port1, { IndexUnavailable }, closed)
  searcher.call('attach', [port2], [port2]).catch(() => writer.close())
  const products = new ProductCache()
  const campaignSets = new CampaignSets((number, groups) => searcher.call('setCampaigns', [number, groups]))

  /** Reads in one call what the cache lacks. */
  async function loadMissing(results: readonly NumberedResult[]): Promise<void> {
    const missing = new Set<number>()
    for (const { docs, changed } of results) {
      docs.forEach((doc, at) => {
        if (!products.get(doc, changed[at]!)) missing.add(doc)
      })
    }
    if (missing.size === 0) return
    for (const stored of await searcher.call<StoredProduct[]>('load', [[...missing]])) products.add(stored)
  }

  return {
    write: (writes) => writer.call('write', [writes]),
    refresh: () => searcher.call('refresh', []),
    async search(queries) {
      const numbered = queries.map(
        ({ campaigns, ...query }): NumberedQuery => ({ ...query, campaignSet: campaignSets.numberOf(campaigns) }),
      )
      const results = await searcher.call<NumberedResult[]>('search', [numbered])
      // Held here, because the cache may drop some of them while it takes in others.
      const held = results.map(({ docs, changed }) => Array.from(docs, (doc, at) => products.get(doc, changed[at]!)))
      await loadMissing(results)
      return results.map(({ hits, docs, relevance, bestFit, truncated }, of): SearchResult => {
        const found = Array.from(docs, (doc, at): SearchHit | null => {
          // Changed since the search: as it is now.
          const product = held[of]![at] ?? products.latest(doc)
          return product ? { product, relevance: relevance[at]! } : null
        })
        const runnerUp = found[hits] ?? null
        return { hits: found.slice(0, hits).filter((hit) => hit !== null), bestFit, truncated, runnerUp }
      })
    },
    async get(shopId, ids) {
      return (await searcher.call<StoredProduct[]>('get', [shopId, ids])).map((stored) => products.add(stored))
    },
    count: (shopId, filters) => searcher.call('count', [shopId, filters]),
    async scan(request) {
      return (await searcher.call<StoredProduct[]>('scan', [request])).map(parseProduct)
    },
    digests: (shopId, feedId, after, limit) => searcher.call('digests', [shopId, feedId, after, limit]),
    async clear() {
      await writer.call('clear', [])
      await searcher.call('refresh', [])
      products.clear()
    },
    async close() {
      searcher.close()
      writer.close()
    },
  }
}

/** Numbers for lists of campaigns, told to the search thread before their first use. */
class CampaignSets {
  readonly #send: (number: number, groups: ProductQuery['campaigns']) => Promise<unknown>
  readonly #numbers = new WeakMap<ProductQuery['campaigns'], number>()
  readonly #holders: ProductQuery['campaigns'][] = []
  #next = 0

  constructor(send: (number: number, groups: ProductQuery['campaigns']) => Promise<unknown>) {
    this.#send = send
  }

  numberOf(groups: ProductQuery['campaigns']): number {
    const known = this.#numbers.get(groups)
    if (known !== undefined && this.#holders[known] === groups) return known
    const number = this.#next++ % CAMPAIGN_SETS_MAX
    this.#numbers.set(groups, number)
    this.#holders[number] = groups
    // Messages keep their order: it arrives before the query. If it cannot, the query fails too.
    this.#send(number, groups).catch(() => {})
    return number
  }
}
