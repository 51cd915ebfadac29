import { mkdirSync } from 'node:fs'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { SynonymRules } from '../../../services/domain/catalogue/shop-synonyms.ts'
import { connect } from '../../threads/calls.ts'
import { type Served, soleClient, startWorker } from '../../threads/worker.ts'
import {
  type CampaignGroups,
  type IndexedProduct,
  IndexUnavailable,
  type IndexWrite,
  type ProductIndex,
  type SearchHit,
  type SearchResult,
} from '../port.ts'
import { createProductCache, parseProduct } from './product-cache.ts'
import { rowsOf } from './rows.ts'
import { Revisions } from './search/revisions.ts'
import type { NumberedQuery, StoredProduct } from './search/searcher.ts'
import type { Found } from './search/worker.ts'

/**
 * Starts the two threads of the index in `folder`. One writes and one searches, so that a feed of a hundred thousand offers
 * does not delay a search. Each `connect()` makes a port for `productIndexClient`.
 * @throws when the folder cannot be written.
 */
export async function startEmbeddedProductIndex({ folder }: { folder: string }): Promise<Served> {
  mkdirSync(folder, { recursive: true })
  const writer = await startWorker('index-writer', new URL('./writer-worker.ts', import.meta.url), { folder })
  const searcher = await startWorker('index-search', new URL('./search/worker.ts', import.meta.url), { folder })
  const link = connect(searcher.connect(), {}, () => new Error('The product index has been closed'))
  const toWriter = writer.connect()
  await link.call('follow', [toWriter], [toWriter])
  return {
    connect: () => searcher.connect(),
    async stop() {
      await searcher.stop()
      await writer.stop()
    },
    failed: Promise.race([writer.failed, searcher.failed]),
  }
}

/** Opens the index of `folder` for a single user; `close` also stops the threads. */
export async function openEmbeddedProductIndex(options: { folder: string }): Promise<ProductIndex> {
  const served = await startEmbeddedProductIndex(options)
  return soleClient(served, productIndexClient(served.connect()))
}

/** How many writes one transaction stores. */
const WRITES_AT_ONCE = 1_000
/** How many transactions may be running or waiting while the rows of the next one are made. */
const TRANSACTIONS_AHEAD = 2
/** How many lists of campaigns, and how many lists of synonyms, the search thread remembers for each client. */
const LISTS_REMEMBERED_MAX = 256

/**
 * A client of the index, for any thread. It is given a port of `startEmbeddedProductIndex`. The products that it returns are shared
 * between calls and must not be changed. A list of campaigns or synonyms must not be changed after a call either, because the same
 * array is sent only once.
 */
export function productIndexClient(port: MessagePort): ProductIndex {
  const closed = () => new IndexUnavailable('The product index has been closed')
  const searcher = connect(port, { IndexUnavailable }, closed)
  // Writes go straight to the writer's thread: the search thread only hands the port over to it.
  const { port1, port2 } = new MessageChannel()
  const writer = connect(port1, { IndexUnavailable }, closed)
  searcher.call('attach', [port2], [port2]).catch(() => writer.close())
  const products = createProductCache()
  let revisions: Revisions | null = null
  const keepRevisions = (counts: Int32Array) => {
    revisions = new Revisions(counts)
  }
  searcher.call<Int32Array>('revisions', []).then(keepRevisions, () => {})
  const campaignSets = new ListsSent<CampaignGroups>((number, groups) =>
    searcher.call('setCampaigns', [number, groups]),
  )
  const synonymSets = new ListsSent<SynonymRules>((number, rules) => searcher.call('setSynonyms', [number, rules]))

  /** By rowid, the products that a search found: cached ones, those that were sent with its results, and the rest by one more call. */
  async function productsOf({ results, products: sent }: Found): Promise<ReadonlyMap<number, IndexedProduct>> {
    const held = new Map<number, IndexedProduct>()
    const missing = new Set<number>()
    // The cached products are taken before others are added, which may evict some of them.
    for (const { rowids, changed } of results) {
      rowids.forEach((rowid, at) => {
        const known = products.get(rowid, changed[at]!)
        if (known) held.set(rowid, known)
        else missing.add(rowid)
      })
    }
    // A product that changed after the search is returned in its newer version.
    const hold = (stored: StoredProduct) => {
      held.set(stored.rowid, products.add(stored))
      missing.delete(stored.rowid)
    }
    sent.forEach(hold)
    if (missing.size > 0) (await searcher.call<StoredProduct[]>('load', [[...missing]])).forEach(hold)
    return held
  }

  /** Makes the next rows in this thread while the writer's thread stores the previous ones. */
  async function write(writes: readonly IndexWrite[]): Promise<number> {
    const storing: Promise<number>[] = []
    let applied = 0
    for (let from = 0; from === 0 || from < writes.length; from += WRITES_AT_ONCE) {
      const rows = rowsOf(writes.slice(from, from + WRITES_AT_ONCE))
      if (storing.length === TRANSACTIONS_AHEAD) applied += await storing.shift()!
      const stored = writer.call<number>('write', [rows])
      stored.catch(() => {})
      storing.push(stored)
    }
    for (const stored of storing) applied += await stored
    return applied
  }

  return {
    write,
    refresh: () => searcher.call('refresh', []),
    async search(queries) {
      const numbered = queries.map(
        ({ campaigns, synonyms, ...query }): NumberedQuery => ({
          ...query,
          campaignSet: campaigns && campaignSets.numberOf(campaigns),
          ...(synonyms && synonyms.length > 0 ? { synonymSet: synonymSets.numberOf(synonyms) } : {}),
        }),
      )
      const found = await searcher.call<Found>('search', [numbered])
      const held = await productsOf(found)
      return found.results.map(({ hits, rowids, relevance, bestFit, truncated }): SearchResult => {
        const listed = Array.from(rowids, (rowid, at): SearchHit | null => {
          const product = held.get(rowid)
          return product ? { product, relevance: relevance[at]! } : null
        })
        const runnerUp = listed[hits] ?? null
        return { hits: listed.slice(0, hits).filter((hit) => hit !== null), bestFit, truncated, runnerUp }
      })
    },
    revision: (shopId) => revisions?.of(shopId) ?? null,
    async get(shopId, ids) {
      return (await searcher.call<StoredProduct[]>('get', [shopId, ids])).map((stored) => products.add(stored))
    },
    count: (shopId, filters) => searcher.call('count', [shopId, filters]),
    similarTerms: (terms) => searcher.call('similarTerms', [terms]),
    sellers: (request) => searcher.call('sellers', [request]),
    async scan(request) {
      const page = await searcher.call<StoredProduct[]>('scan', [request])
      return page.map((stored) => ({ ...parseProduct(stored), offerVersion: stored.offerVersion }))
    },
    digests: (shopId, feedId, after, limit) => searcher.call('digests', [shopId, feedId, after, limit]),
    shops: () => searcher.call('shops', []),
    builds: null,
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

/** Gives lists numbers, and sends each list to the search thread before its first use. */
class ListsSent<T extends readonly unknown[]> {
  readonly #send: (number: number, list: T) => Promise<unknown>
  readonly #numbers = new WeakMap<T, number>()
  readonly #holders: T[] = []
  #next = 0

  constructor(send: (number: number, list: T) => Promise<unknown>) {
    this.#send = send
  }

  numberOf(list: T): number {
    const known = this.#numbers.get(list)
    if (known !== undefined && this.#holders[known] === list) return known
    const number = this.#next++ % LISTS_REMEMBERED_MAX
    this.#numbers.set(list, number)
    this.#holders[number] = list
    // Messages keep their order, so the list arrives before the query. If it fails, so does the query.
    this.#send(number, list).catch(() => {})
    return number
  }
}
