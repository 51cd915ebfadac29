import type { IndexedProduct, ProductIndex, ProductQuery, SearchHit } from '../../infra/product-index/port.ts'
import { hashOf, shuffledHash } from '../domain/auction.ts'
import { predictClickRate } from '../domain/click-rate.ts'
import { dedupeKey } from '../domain/dedupe-key.ts'
import type { CampaignHandle, Campaigns, RunningCampaigns } from './campaigns.ts'
import { FreshCache, type MaybePromise } from './fresh-cache.ts'
import { createSearchBatch } from './search-batch.ts'

/** A product that may be shown, with what does not depend on who asks. */
export interface Candidate {
  product: IndexedProduct
  adId: string
  relevance: number
  clickRate: number
  dedupeKey: string
  /** The campaigns that promote it, each with a hash of the two that orders equals. */
  promotions: readonly { campaign: CampaignHandle; hash: number }[]
}

export interface CandidateList {
  candidates: readonly Candidate[]
  /** More matched than were asked for. */
  truncated: boolean
}

export type CandidateQuery = Pick<ProductQuery, 'shopId' | 'filters' | 'rank' | 'limit'> & {
  campaigns: RunningCampaigns
}

/** Candidates by query, at most a second old. */
export interface CandidateSource {
  find(query: CandidateQuery): MaybePromise<CandidateList>
  /** Offers of a shop with this feed id or productId. */
  reference(shopId: string, id: string): MaybePromise<IndexedProduct[]>
}

/** About 2 KB a candidate and 30 candidates a list. */
const LISTS_CACHED_MAX = 1000
const REFERENCES_CACHED_MAX = 5000
const EMPTY: CandidateList = { candidates: [], truncated: false }

export function createCandidateSource(deps: {
  index: ProductIndex
  campaigns: Pick<Campaigns, 'handle'>
  now: () => number
}): CandidateSource {
  const { index, now } = deps
  const search = createSearchBatch(index)
  const lists = new FreshCache<CandidateList>({ now, entriesMax: LISTS_CACHED_MAX })
  const references = new FreshCache<IndexedProduct[]>({ now, entriesMax: REFERENCES_CACHED_MAX })

  return {
    find({ shopId, filters, rank, limit, campaigns }) {
      if (campaigns.groups.length === 0) return EMPTY
      const key = JSON.stringify([shopId, campaigns.key, limit, rank, filters])
      return lists.get(key, async () => {
        // Another order of equals with each refresh: none is cut off for good.
        const tieSeed = shuffledHash(hashOf(key), now() | 0)
        const query = { shopId, filters, rank, limit, campaigns: campaigns.groups, tieSeed }
        const { hits, truncated } = await search(query)
        return { candidates: hits.map((hit) => candidateOf(hit, deps.campaigns)), truncated }
      })
    },
    reference: (shopId, id) => references.get(`${shopId}/${id}`, () => index.get(shopId, [id])),
  }
}

function candidateOf({ product, relevance }: SearchHit, campaigns: Pick<Campaigns, 'handle'>): Candidate {
  const { offer, campaignIds, signals } = product
  return {
    product,
    adId: offer.id,
    relevance,
    clickRate: predictClickRate(signals),
    dedupeKey: dedupeKey(offer),
    promotions: campaignIds.map((id) => ({
      campaign: campaigns.handle(offer.shopId, id),
      hash: hashOf(`${id}/${offer.id}`),
    })),
  }
}
