import type { ProductOffer, ProductSignals } from '../../schemas/records/records.ts'
import type { SynonymRules } from '../../services/domain/catalogue/shop-synonyms.ts'
import { EngineUnavailable } from '../engine-unavailable.ts'

/** The search engine over offers. A document is an offer, the campaigns that promote it, and its signals. */
export interface ProductIndex {
  /**
   * Applies writes. A write whose version is not newer than that of the same part of the document is ignored, so a repeated
   * or late batch changes nothing. Writes become visible to `search` after `refresh`, or within a second.
   * @returns how many writes were applied.
   */
  write(writes: readonly IndexWrite[]): Promise<number>
  /** Makes everything written before the call visible to `search`, `get` and `scan`. */
  refresh(): Promise<void>
  /**
   * The best candidates of each query, by relevance x predicted click rate (`services/domain/auction/click-rate.ts`, with the query's
   * lifts) x the weight of the campaign group, ties by `tieSeed`.
   */
  search(queries: readonly ProductQuery[]): Promise<SearchResult[]>
  /** Offers of a shop whose id or productId is one of these; at most 1,000 ids. */
  get(shopId: string, ids: readonly string[]): Promise<IndexedProduct[]>
  /** The number of offers of a shop that satisfy all filters. */
  count(shopId: string, filters: readonly Filter[]): Promise<number>
  /**
   * The sellers that offers of a shop name, with the number of their offers, most first, ties by id. With more than one shard,
   * an engine may leave out or undercount sellers of few offers.
   */
  sellers(request: SellersRequest): Promise<SellerCount[]>
  /**
   * For each of at most 200 terms that no offer has: terms that one is a misspelling of (`isSimilar`), nearest first, then those
   * that more offers have, at most 5. None for a term that offers have. Offers of all shops count.
   */
  similarTerms(terms: readonly string[]): Promise<SimilarTerm[][]>
  /** Pages through offers of a shop that satisfy all filters, ordered by document key; `after` null starts. */
  scan(request: ScanRequest): Promise<IndexedProduct[]>
  /** Id and digest of every offer of a feed, in pages ordered by id. A feed run compares them with the new content. */
  digests(
    shopId: string,
    feedId: string,
    after: string | null,
    limit: number,
  ): Promise<{ id: string; digest: string }[]>
  /** The ids of the shops that have offers, in order. */
  shops(): Promise<string[]>
  /** Removes everything. */
  clear(): Promise<void>
  /** New indices beside this one; null: while this one is open, the engine has none. */
  readonly builds: IndexBuilds | null
  close(): Promise<void>
}

/** At most one new index is filled beside the one that serves. Every process sees it. */
export interface IndexBuilds {
  look(): Promise<{
    /** False: the index is lost, or was never made, and calls of `ProductIndex` throw IndexUnavailable. */
    serving: boolean
    build: IndexBuild | null
  }>
  /** Begins a new index, which is empty; one that was begun before is dropped. */
  begin(): Promise<IndexBuild>
}

export interface IndexBuild {
  readonly id: string
  /** As of the look that has found it. */
  readonly fill: IndexFill
  /** Reads and writes the new index. */
  readonly index: ProductIndex
  note(fill: IndexFill): Promise<void>
  /** Makes it the index that serves, in one step, and removes the one before. */
  serve(): Promise<void>
  drop(): Promise<void>
}

/** How far a new index has been filled from the log. */
export interface IndexFill {
  /** The run of the indexer that fills it; null: none yet. */
  by: string | null
  records: number
  of: number
  /** It holds all that was in the log when the fill began, and the indexer writes to it whatever has come since. */
  complete: boolean
}

/** Versions are positions in the log: any safe integer that grows with each change. */
export type IndexWrite =
  /** `textLang` is the language of the texts when the offer names none; default: English. */
  | { kind: 'offer'; version: number; offer: ProductOffer; textLang?: string }
  | { kind: 'remove'; version: number; shopId: string; feedId: string; id: string }
  | { kind: 'signals'; version: number; signals: ProductSignals }
  /**
   * Replaces the whole list of campaigns that promote an offer. `version` says how much of the registry the list follows from. One that
   * comes with its offer names the offer's version: of two lists that of the newer offer counts, of one offer that of the newer registry.
   */
  | {
      kind: 'promotions'
      version: number
      offerVersion?: number
      shopId: string
      feedId: string
      id: string
      campaignIds: string[]
    }

export interface IndexedProduct {
  offer: ProductOffer
  /** Campaigns that promote it, whatever their state. */
  campaignIds: string[]
  signals: ProductSignals | null
}

export interface ProductQuery {
  shopId: string
  /** All must hold. */
  filters: Filter[]
  rank: Rank
  /**
   * Only offers promoted by one of these campaigns are found. `weight` > 0 multiplies in the order of the result (the best
   * weight counts when several promote an offer), so that what a campaign bids decides who is kept.
   * The list must not be changed once it was passed. While it stays the same, pass the same array: an engine may
   * recognise it, instead of being sent it again. Null: any offer is found, promoted or not, and all weigh the same.
   */
  campaigns: CampaignGroups | null
  /** Of the shop, for the texts of filters and rank. As with `campaigns`, the same array while they stay the same. */
  synonyms?: SynonymRules | undefined
  /** Of offers that nobody has seen; in (0, 1). */
  priorClickRate: number
  /** Absent: none. */
  lifts?: Lifts | undefined
  limit: number
  /** Orders equals: the same seed gives the same order. */
  tieSeed: number
}

/** By feed id, what the predicted click rate of these offers is multiplied by in a query, above 0; a few dozen at most. */
export type Lifts = ReadonlyMap<string, number>

export type CampaignGroups = readonly { campaignIds: readonly string[]; weight: number }[]

export type Rank =
  /**
   * How well the text fits (BM25 over title, brand, categories, attributes and description); it filters nothing. Offers that
   * say a word otherwise come after those that have it.
   */
  | { by: 'text'; text: string; lang: string | null }
  /** How well the categories fit: the share of the deepest given path that the offer's path has in common. */
  | { by: 'categories'; paths: string[] }
  /** Text and categories, weighed equally. */
  | { by: 'textAndCategories'; text: string; lang: string | null; paths: string[] }
  | { by: 'popularity' }
  /** All alike. */
  | { by: 'none' }

export type Filter =
  | { kind: 'available' }
  /**
   * Words of `text` (stemmed, accents and units folded; `services/domain/catalogue/text.ts`) found anywhere in title, brand,
   * categories, attributes or description: at least `minShare` of the distinct words, 1 for all, 0 for any one.
   * Unknown words are corrected by the terms that the index has, and outside titles a word is also found by what says the
   * same (`services/domain/catalogue/phrase.ts`).
   */
  | { kind: 'text'; text: string; lang: string | null; minShare: number; in: 'ALL_FIELDS' | 'TITLE' }
  /** A product_type equals one of the paths or lies below it. */
  | { kind: 'categoryPaths'; paths: string[] }
  /** For one of the lists: each node stands in one product_type in that order, gaps allowed. */
  | { kind: 'categoryNodes'; anyOf: (readonly string[])[] }
  /** Sale price when present, else price; inclusive. */
  | { kind: 'price'; minMicros: number | null; maxMicros: number | null }
  | { kind: 'brand'; anyOf: string[] }
  | { kind: 'currency'; currency: string }
  /** The offer's language, or an offer without one. */
  | { kind: 'lang'; lang: string }
  /** Shipping lists the country, or the offer gives no shipping. */
  | { kind: 'country'; country: string }
  /** A feed field (age_group, color, gtin …) or product detail has one of the values; case, accents, outer space do not matter. */
  | { kind: 'attribute'; name: string; anyOf: string[] }
  | { kind: 'labels'; anyOf: string[] }
  | { kind: 'sellers'; anyOf: string[] }
  | { kind: 'feed'; feedId: string }
  /** Feed id or productId is one of these. */
  | { kind: 'ids'; ids: string[] }
  /** Feed id is none of these. */
  | { kind: 'excludeIds'; ids: string[] }
  | { kind: 'campaign'; campaignId: string }

export interface SearchHit {
  product: IndexedProduct
  /** In (0, 1]; the best fit in the result of this query has 1. */
  relevance: number
}

export interface SearchResult {
  hits: SearchHit[]
  /** The score behind relevance 1, comparable between queries with the same rank. 0: no hits. */
  bestFit: number
  /** True when more offers matched than `limit`. */
  truncated: boolean
  /**
   * The best offer that a cut list lacks, by the weights of all campaigns but the one that the last hit belongs to. So the
   * best competitor of that campaign is either on the list or here. Null: there is none, or the engine cannot tell without
   * another search.
   */
  runnerUp: SearchHit | null
}

export interface SellersRequest {
  shopId: string
  /** Only sellers whose id contains this, in either case of A to Z; '' for all. */
  contains: string
  /** Only these; null for all. */
  anyOf: readonly string[] | null
  /** At most 1,000. */
  limit: number
}

export interface SellerCount {
  sellerId: string
  offers: number
}

export const SIMILAR_TERMS_MAX = 5

export interface SimilarTerm {
  term: string
  /** About how many have it. */
  offers: number
}

export interface ScanRequest {
  shopId: string
  filters: Filter[]
  /** The last key of the page before: feedId/id. */
  after: string | null
  limit: number
}

/** Thrown when the index is unavailable; the call may be retried. */
export class IndexUnavailable extends EngineUnavailable {
  override readonly name = 'IndexUnavailable'
}
