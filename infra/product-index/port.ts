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
  /**
   * While this number stays the same, a search of the shop finds what it found before, unless it depends on how rare a word is among
   * the offers of other shops. Null when the engine cannot tell without being asked.
   */
  revision(shopId: string): number | null
  /** Offers of a shop whose id in the feed is in `ids`, in the order of their keys; at most 1,000 ids. */
  get(shopId: string, ids: readonly string[]): Promise<IndexedProduct[]>
  /** The number of offers of a shop that satisfy all filters. */
  count(shopId: string, filters: readonly Filter[]): Promise<number>
  /**
   * The sellers named by offers of a shop, with the number of their offers: most offers first, ties by id. With more than one
   * shard, an engine may leave out or undercount sellers that have few offers.
   */
  sellers(request: SellersRequest): Promise<SellerCount[]>
  /**
   * For each term, at most 5 known terms of which it may be a misspelling (`isSimilar`): nearest first, then by number of offers.
   * The list is empty for a term that some offer has. Offers of all shops count. Takes at most 200 terms.
   */
  similarTerms(terms: readonly string[]): Promise<SimilarTerm[][]>
  /** One page of the offers of a shop that satisfy all filters, ordered by document key. `after` is null for the first page. */
  scan(request: ScanRequest): Promise<ScannedProduct[]>
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
  /** Builds a new index next to this one. Null when the engine cannot do that while this index is open. */
  readonly builds: IndexBuilds | null
  close(): Promise<void>
}

/** At most one new index is filled next to the serving one. Every process sees it. */
export interface IndexBuilds {
  look(): Promise<{
    /** False when the index is lost or was never created; calls of `ProductIndex` then throw IndexUnavailable. */
    serving: boolean
    build: IndexBuild | null
  }>
  /** Begins a new, empty index, and drops an unfinished earlier one. */
  begin(): Promise<IndexBuild>
}

export interface IndexBuild {
  readonly id: string
  /** The state of the fill when `look` or `begin` returned this build. */
  readonly fill: IndexFill
  /** Reads and writes the new index. */
  readonly index: ProductIndex
  /** Stores how far the fill is, for later calls of `look`. */
  note(fill: IndexFill): Promise<void>
  /** Makes this the serving index, in one step, and removes the old one. */
  serve(): Promise<void>
  drop(): Promise<void>
}

/** How far a new index has been filled from the log. */
export interface IndexFill {
  /** The run of the indexer that fills it; null while there is none. */
  by: string | null
  records: number
  of: number
  /** Whether the index holds every record that the indexer had processed when the fill began. The indexer adds all later ones. */
  complete: boolean
}

/** Versions are positions in the log: any safe integer that grows with each change. */
export type IndexWrite =
  /** `textLang` is the language of the texts when the offer names none; default: English. */
  | { kind: 'offer'; version: number; offer: ProductOffer; textLang?: string }
  | { kind: 'remove'; version: number; shopId: string; feedId: string; id: string }
  | { kind: 'signals'; version: number; signals: ProductSignals }
  /**
   * Replaces the complete list of campaigns that promote an offer. The list was computed from the offer of `offerVersion` and the
   * registry of `version`. Of two lists, the one for the newer offer wins; for the same offer, the one of the newer registry version.
   */
  | {
      kind: 'promotions'
      version: number
      offerVersion: number
      shopId: string
      feedId: string
      id: string
      campaignIds: string[]
    }

export interface IndexedProduct {
  offer: ProductOffer
  /** Campaigns that promote the offer, whatever their state. */
  campaignIds: string[]
  signals: ProductSignals | null
}

export interface ScannedProduct extends IndexedProduct {
  offerVersion: number
}

export interface ProductQuery {
  shopId: string
  /** All must hold. */
  filters: Filter[]
  rank: Rank
  /**
   * Only offers promoted by one of these campaigns are found. `weight`, above 0, is a factor in the order of the result, so that
   * higher bids can decide which offers make the list. When several campaigns promote an offer, the greatest weight counts.
   * Do not change the array after passing it. Pass the same array while its content stays the same: an engine may recognise
   * it, so that it need not be sent again. Null finds any offer, promoted or not, with equal weights.
   */
  campaigns: CampaignGroups | null
  /** The shop's synonyms, for the texts of filters and rank. As with `campaigns`, pass the same array while they do not change. */
  synonyms?: SynonymRules | undefined
  /** The predicted click rate of offers without impressions; in (0, 1). */
  priorClickRate: number
  /** No lifts when absent. */
  lifts?: Lifts | undefined
  limit: number
  /** Breaks ties: the same seed gives the same order. */
  tieSeed: number
}

/** By offer id in the feed: the factor, above 0, for the offer's predicted click rate in a query. A few dozen entries at most. */
export type Lifts = ReadonlyMap<string, number>

export type CampaignGroups = readonly { campaignIds: readonly string[]; weight: number }[]

export type Rank =
  /**
   * How well the text fits (BM25 over title, brand, categories, attributes and description). It filters nothing. Offers that
   * have only an alternative of a word rank below those that have the word.
   */
  | { by: 'text'; text: string; lang: string | null }
  /** How well the categories fit: how many levels the offer's path shares with a given path, by the depth of the deepest given path. */
  | { by: 'categories'; paths: string[] }
  /** Text and categories, weighed equally. */
  | { by: 'textAndCategories'; text: string; lang: string | null; paths: string[] }
  | { by: 'popularity' }
  /** All offers are equally relevant. */
  | { by: 'none' }

export type Filter =
  | { kind: 'available' }
  /**
   * Words of `text` (stemmed, accents and units folded; `services/domain/catalogue/text.ts`) found anywhere in title, brand,
   * categories, attributes or description: at least `minShare` of the distinct words, 1 for all, 0 for any one.
   * Unknown words are corrected to terms that the index has. Unless the filter is for titles only, a word is also found by its
   * alternatives (`services/domain/catalogue/phrase.ts`).
   */
  | { kind: 'text'; text: string; lang: string | null; minShare: number; in: 'ALL_FIELDS' | 'TITLE' }
  /** A product_type equals one of the paths or lies below it. */
  | { kind: 'categoryPaths'; paths: string[] }
  /** All nodes of one of the lists occur in a single product_type, in the order of the list; other nodes may lie between them. */
  | { kind: 'categoryNodes'; anyOf: (readonly string[])[] }
  /** Sale price when present, else price; inclusive. */
  | { kind: 'price'; minMicros: number | null; maxMicros: number | null }
  | { kind: 'brand'; anyOf: string[] }
  | { kind: 'currency'; currency: string }
  /** The offer has this language, or names none. */
  | { kind: 'lang'; lang: string }
  /** The offer's shipping lists the country, or the offer states no shipping. */
  | { kind: 'country'; country: string }
  /**
   * A feed field (age_group, color, gtin …) or product detail has one of the values. Case, accents and surrounding spaces do not
   * matter.
   */
  | { kind: 'attribute'; name: string; anyOf: string[] }
  | { kind: 'labels'; anyOf: string[] }
  | { kind: 'sellers'; anyOf: string[] }
  | { kind: 'feed'; feedId: string }
  /** The offer's id in the feed, or its productId, is one of these. */
  | { kind: 'ids'; ids: string[] }
  /** The offer's id in the feed is none of these. */
  | { kind: 'excludeIds'; ids: string[] }
  | { kind: 'campaign'; campaignId: string }

export interface SearchHit {
  product: IndexedProduct
  /** In (0, 1]; the best fit in the result of this query has 1. */
  relevance: number
}

export interface SearchResult {
  hits: SearchHit[]
  /** The score that corresponds to relevance 1, comparable between queries with the same rank; 0 when there are no hits. */
  bestFit: number
  /** True when more offers matched than `limit`. */
  truncated: boolean
  /**
   * The best offer beyond a truncated list, by the weights of all campaigns except that of the last hit. So the best competitor
   * of that campaign is either in the list or here. Null when there is none, or when the engine would need another search to
   * find it.
   */
  runnerUp: SearchHit | null
}

export interface SellersRequest {
  shopId: string
  /** Only sellers whose id contains this text, ignoring the case of A to Z; '' for all. */
  contains: string
  /** Only these seller ids; null for all. */
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
  /** About how many offers have the term. */
  offers: number
}

export interface ScanRequest {
  shopId: string
  filters: Filter[]
  /** The last key of the previous page: feedId/id. */
  after: string | null
  limit: number
}

/** Thrown when the index is unavailable; the call may be retried. */
export class IndexUnavailable extends EngineUnavailable {
  override readonly name = 'IndexUnavailable'
}
