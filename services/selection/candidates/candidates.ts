import { LRUCache } from 'lru-cache'
import {
  type IndexedProduct,
  IndexUnavailable,
  type ProductIndex,
  type ProductQuery,
} from '../../../infra/product-index/port.ts'
import { createSlices } from '../../../infra/threads/slices.ts'
import { hashOf, shuffledHash } from '../../domain/auction/auction.ts'
import type { Traffic } from '../../replicas/traffic-follower.ts'
import { createCircuitBreaker } from '../circuit-breaker.ts'
import type { MaybePromise } from '../deadline.ts'
import type { Campaigns, RunningCampaigns } from '../eligibility/campaigns.ts'
import { createBestsellerFallback } from './bestseller-fallback.ts'
import { type Candidate, createCandidates } from './candidate.ts'
import { createIndexBatch } from './index-batch.ts'
import { type Basis, createStaleWhileRevalidateCache } from './stale-while-revalidate.ts'

export interface CandidateList {
  candidates: readonly Candidate[]
  /** The fit that relevance 1 stands for. Two lists with the same rank and the same `bestFit` have comparable relevances. */
  bestFit: number
  /** True when more candidates matched than were asked for. */
  truncated: boolean
  /** Set when the list stands in for one that the index did not return. */
  isFallback?: true
}

export type CandidateQuery = Pick<ProductQuery, 'shopId' | 'filters' | 'rank' | 'limit' | 'synonyms' | 'lifts'> & {
  campaigns: RunningCampaigns
}

/** Candidates by query, as they were at most two seconds ago. An index that fails or is slow is only tried once a second. */
export interface CandidateSource {
  find(query: CandidateQuery): MaybePromise<CandidateList>
  /**
   * Stands in for what the index does not return in time: the last result of this query, if at most ten minutes old, or else
   * the shop's bestsellers that pass the query's filters. Null when neither is known.
   */
  fallback(query: CandidateQuery): MaybePromise<CandidateList | null>
  /** Offers of a shop with this offer id or productId. */
  reference(shopId: string, id: string): MaybePromise<IndexedProduct[]>
  /** The last result of `reference`, if at most ten minutes old; otherwise null. */
  lastReference(shopId: string, id: string): IndexedProduct[] | null
  /** Keeps bestsellers in memory until closed. */
  start(onError: (error: unknown) => void): void
  close(): void
  /** Fetches the bestsellers of the shops requested so far, without waiting for the next refresh. */
  refreshFallback(): Promise<void>
}

/** A page decides how long its query and the list for it are, so the caches are limited by memory and not by entries. */
const LISTS_BYTES_MAX = 64 * 1024 * 1024
const REFERENCES_BYTES_MAX = 16 * 1024 * 1024
/** Offers of one product that are read as a reference. */
const REFERENCES_MAX = 100
const PRODUCT_BYTES = 2_000
const ENTRY_BYTES = 500
const bytesOf = (products: readonly unknown[], key: string): number =>
  ENTRY_BYTES + 2 * key.length + PRODUCT_BYTES * products.length
/** How long the last answers of the index are kept for when it does not answer. */
const LAST_KNOWN_MS = 600_000
const EMPTY: CandidateList = { candidates: [], bestFit: 0, truncated: false }

export function createCandidateSource(deps: {
  index: ProductIndex
  campaigns: Pick<Campaigns, 'handle' | 'running'>
  traffic: Pick<Traffic, 'clickRate'>
  now: () => number
  /** A clock for durations, which is never set back. */
  elapsedMs: () => number
  /** An index that takes longer counts as slow. */
  deadlineMs: number
}): CandidateSource {
  const { index, campaigns: allCampaigns, traffic, now } = deps
  const batch = createIndexBatch(index)
  const breaker = createCircuitBreaker({ now, slowMs: deps.deadlineMs, Unavailable: IndexUnavailable })
  const unavailable = () => new IndexUnavailable('The product index fails or is slow: it is not queried for a moment')
  // Nobody else waits for a call that has already taken too long: every request for a page would wait until its deadline.
  const join = <T>(underWay: Promise<T>) => (breaker.isHealthy() ? underWay : Promise.reject(unavailable()))
  const lists = createStaleWhileRevalidateCache<CandidateList>({
    now,
    join,
    bytesMax: LISTS_BYTES_MAX,
    bytesOf: ({ candidates }, key) => bytesOf(candidates, key),
  })
  const references = createStaleWhileRevalidateCache<IndexedProduct[]>({
    now,
    join,
    bytesMax: REFERENCES_BYTES_MAX,
    bytesOf,
  })
  const clock = { ttlResolution: 0, perf: { now: deps.elapsedMs } }
  const lastKnown = { ttl: LAST_KNOWN_MS, sizeCalculation: bytesOf, ...clock }
  const lastLists = new LRUCache<string, readonly Candidate[]>({ maxSize: LISTS_BYTES_MAX, ...lastKnown })
  const lastReferences = new LRUCache<string, IndexedProduct[]>({ maxSize: REFERENCES_BYTES_MAX, ...lastKnown })
  const candidatesOf = createCandidates({ campaigns: allCampaigns, traffic })
  const bestsellers = createBestsellerFallback({
    campaigns: allCampaigns,
    traffic,
    search: (queries) => index.search(queries),
    candidatesOf,
  })

  const slices = createSlices()
  let lastFiltered: Promise<unknown> = Promise.resolve()

  /** In turn and in slices: the filters of a page may take milliseconds to check, and all of its slots fall back at once. */
  function filteredBestsellers({ shopId, filters, limit }: CandidateQuery): Promise<Candidate[] | null> {
    const filtered = lastFiltered.then(async () => {
      if (slices.isOver()) await slices.next()
      return bestsellers.bestsellers(shopId, filters, limit)
    })
    lastFiltered = filtered.catch(() => {})
    return filtered
  }

  /** What the index answers about a shop follows from its offers, their campaigns and signals, and from `parts`. */
  function basisOf(shopId: string, ...parts: unknown[]): Basis | null {
    const revision = index.revision(shopId)
    return revision === null ? null : [revision, ...parts]
  }

  const throughBreaker = <T>(call: () => Promise<T>): Promise<T> =>
    breaker.isOpen() ? Promise.reject(unavailable()) : breaker.watch(call())

  /** Offers with this id, then others with this productId. A feed may give one productId to all of its offers. */
  async function readReference(shopId: string, id: string): Promise<IndexedProduct[]> {
    const { hits, truncated } = await batch.search({
      ...{ shopId, filters: [{ kind: 'ids', ids: [id] }], rank: { by: 'none' }, campaigns: null },
      ...{ priorClickRate: traffic.clickRate(shopId), limit: REFERENCES_MAX, tieSeed: 0 },
    })
    const found = hits.map(({ product }) => product)
    // A truncated list may lack offers with this id.
    const named = truncated ? await index.get(shopId, [id]) : found.filter(({ offer }) => offer.id === id).sort(byFeed)
    return [...named, ...found.filter(({ offer }) => offer.id !== id)]
  }

  return {
    find(query) {
      const { shopId, filters, rank, limit, campaigns, synonyms, lifts } = query
      if (campaigns.groups.length === 0) return EMPTY
      bestsellers.note(shopId)
      const page = keyOfPage(query)
      const key = `${campaigns.key} ${page}`
      const priorClickRate = traffic.clickRate(shopId)
      return lists.get(key, basisOf(shopId, priorClickRate, synonyms, lifts), async () => {
        // Equal offers are ordered differently at each refresh, so that none is cut off every time.
        const tieSeed = shuffledHash(hashOf(key), now() | 0)
        const groups = campaigns.groups
        const wanted = { shopId, filters, rank, limit, campaigns: groups, synonyms, priorClickRate, lifts, tieSeed }
        const found = await throughBreaker(() => batch.search(wanted))
        const candidates = candidatesOf(found.runnerUp ? [...found.hits, found.runnerUp] : found.hits, lifts)
        lastLists.set(page, candidates)
        return { candidates, bestFit: found.bestFit, truncated: found.truncated }
      })
    },
    fallback(query) {
      const instead = <T extends readonly Candidate[] | null>(candidates: T) =>
        candidates && ({ candidates, bestFit: 1, truncated: false, isFallback: true } as const)
      const last = lastLists.get(keyOfPage(query))
      return last ? instead(last) : filteredBestsellers(query).then(instead)
    },
    reference: (shopId, id) =>
      references.get(`${shopId}/${id}`, basisOf(shopId), async () => {
        const found = await throughBreaker(() => readReference(shopId, id))
        lastReferences.set(`${shopId}/${id}`, found)
        return found
      }),
    lastReference: (shopId, id) => lastReferences.get(`${shopId}/${id}`) ?? null,
    start: bestsellers.start,
    close: bestsellers.close,
    refreshFallback: bestsellers.refresh,
  }
}

const byFeed = ({ offer: a }: IndexedProduct, { offer: b }: IndexedProduct) => (a.feedId < b.feedId ? -1 : 1)

/** The key of a query, whichever campaigns run now: candidates of campaigns that do not run are dropped as ineligible later. */
function keyOfPage({ shopId, filters, rank, limit, campaigns }: CandidateQuery): string {
  return JSON.stringify([shopId, campaigns.kind, campaigns.except, limit, rank, filters])
}
