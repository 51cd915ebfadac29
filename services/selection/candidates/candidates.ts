import {
  type IndexedProduct,
  IndexUnavailable,
  type ProductIndex,
  type ProductQuery,
  type SearchHit,
} from '../../../infra/product-index/port.ts'
import { hashOf, shuffledHash } from '../../domain/auction/auction.ts'
import type { Traffic } from '../../replicas/traffic-follower.ts'
import type { Campaigns, RunningCampaigns } from '../eligibility/campaigns.ts'
import { createStandby } from './bestseller-fallback.ts'
import { type Candidate, candidateOf } from './candidate.ts'
import { createRest } from './circuit-breaker.ts'
import { FreshCache, type MaybePromise } from './fresh-cache.ts'
import { LastKnown } from './last-known.ts'
import { createSearchBatch } from './search-batch.ts'

export interface CandidateList {
  candidates: readonly Candidate[]
  /** What relevance 1 stands for: of two lists with one rank, the same is the same. */
  bestFit: number
  /** More matched than were asked for. */
  truncated: boolean
  /** Stands in for what the index did not give. */
  isStandby?: true
}

export type CandidateQuery = Pick<ProductQuery, 'shopId' | 'filters' | 'rank' | 'limit'> & {
  campaigns: RunningCampaigns
}

/** Candidates by query, at most two seconds old. An index that fails or is slow is left alone for a second at a time. */
export interface CandidateSource {
  find(query: CandidateQuery): MaybePromise<CandidateList>
  /**
   * In place of what the index does not give in time: what it last gave for this query, up to ten minutes ago, else the
   * shop's bestsellers that hold the query's filters; null when neither is known.
   */
  standby(query: CandidateQuery): CandidateList | null
  /** Offers of a shop with this feed id or productId. */
  reference(shopId: string, id: string): MaybePromise<IndexedProduct[]>
  /** The same, as it was known up to ten minutes ago; null: it is not. */
  lastReference(shopId: string, id: string): IndexedProduct[] | null
  /** Keeps bestsellers at hand, until closed. */
  start(onError: (error: unknown) => void): void
  close(): void
  /** Fetches the bestsellers of the shops asked for now. */
  refreshStandby(): Promise<void>
}

/** About 2 KB a candidate and 30 candidates a list. */
const LISTS_CACHED_MAX = 1000
const REFERENCES_CACHED_MAX = 5000
const LISTS_KNOWN_MAX = 1000
const REFERENCES_KNOWN_MAX = 5000
const EMPTY: CandidateList = { candidates: [], bestFit: 0, truncated: false }

export function createCandidateSource(deps: {
  index: ProductIndex
  campaigns: Pick<Campaigns, 'handle' | 'running'>
  traffic: Pick<Traffic, 'clickRate'>
  now: () => number
  /** An index that takes longer is slow. */
  deadlineMs: number
}): CandidateSource {
  const { index, now } = deps
  const search = createSearchBatch(index)
  const rest = createRest({ now, slowMs: deps.deadlineMs })
  const lists = new FreshCache<CandidateList>({ now, entriesMax: LISTS_CACHED_MAX })
  const references = new FreshCache<IndexedProduct[]>({ now, entriesMax: REFERENCES_CACHED_MAX })
  const knownLists = new LastKnown<readonly Candidate[]>({ now, entriesMax: LISTS_KNOWN_MAX })
  const knownReferences = new LastKnown<IndexedProduct[]>({ now, entriesMax: REFERENCES_KNOWN_MAX })
  const candidatesOf = (hits: readonly SearchHit[]) => hits.map((hit) => candidateOf(hit, deps))
  const standby = createStandby({ ...deps, search: (queries) => index.search(queries), candidatesOf })

  const asked = <T>(call: () => Promise<T>): Promise<T> =>
    rest.resting() ? Promise.reject(new IndexUnavailable('The index is left alone for a moment')) : rest.watch(call())

  return {
    find(query) {
      const { shopId, filters, rank, limit, campaigns } = query
      if (campaigns.groups.length === 0) return EMPTY
      standby.ask(shopId)
      const key = JSON.stringify([shopId, campaigns.key, limit, rank, filters])
      return lists.get(key, async () => {
        // Another order of equals with each refresh: none is cut off for good.
        const tieSeed = shuffledHash(hashOf(key), now() | 0)
        const priorClickRate = deps.traffic.clickRate(shopId)
        const wanted = { shopId, filters, rank, limit, campaigns: campaigns.groups, priorClickRate, tieSeed }
        const found = await asked(() => search(wanted))
        const candidates = candidatesOf(found.runnerUp ? [...found.hits, found.runnerUp] : found.hits)
        knownLists.keep(pageOf(query), candidates)
        return { candidates, bestFit: found.bestFit, truncated: found.truncated }
      })
    },
    standby(query) {
      const { shopId, filters, limit } = query
      const candidates = knownLists.get(pageOf(query)) ?? standby.bestsellers(shopId, filters, limit)
      return candidates && { candidates, bestFit: 1, truncated: false, isStandby: true }
    },
    reference: (shopId, id) =>
      references.get(`${shopId}/${id}`, async () => {
        const found = await asked(() => index.get(shopId, [id]))
        knownReferences.keep(`${shopId}/${id}`, found)
        return found
      }),
    lastReference: (shopId, id) => knownReferences.get(`${shopId}/${id}`),
    start: standby.start,
    close: standby.close,
    refreshStandby: standby.refresh,
  }
}

/** What a page asks for, whichever campaigns run at the moment: those that do not are left out when the slot is filled. */
function pageOf({ shopId, filters, rank, limit, campaigns }: CandidateQuery): string {
  return JSON.stringify([shopId, campaigns.kind, campaigns.except, limit, rank, filters])
}
