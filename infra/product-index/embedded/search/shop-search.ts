import type { SynonymRules } from '../../../../services/domain/catalogue/shop-synonyms.ts'
import type { Filter, ProductQuery } from '../../port.ts'
import { Columns, tieOrder } from './columns.ts'
import { type prepareIds, ShopIds } from './ids.ts'
import { Matcher } from './matcher.ts'
import { type createPhraseCache, Phrases } from './phrases.ts'
import type { Lists } from './postings/lists.ts'
import { Postings } from './postings/postings.ts'
import { bestOffers } from './ranking/best-offers.ts'
import { ClickRates } from './ranking/click-rates.ts'
import { Ranker } from './ranking/ranker.ts'
import type { Sums } from './ranking/sums.ts'
import type { Scored } from './ranking/top.ts'
import { type CampaignSet, Weights } from './ranking/weights.ts'
import type { Docs } from './sorted-sets.ts'
import type { TermCounts } from './term-counts.ts'

/** A query without the lists that the client sends ahead of it. */
export type PlainQuery = Omit<ProductQuery, 'campaigns' | 'synonyms'>

/** A result as rowids of documents; the client loads the products that it has not cached. */
export interface NumberedResult {
  /** How many of `rowids` are hits; one more is the runner-up. */
  hits: number
  rowids: Int32Array
  /** For each of `rowids`: a number that differs whenever the document's content does. */
  changed: Uint32Array
  relevance: Float64Array
  bestFit: number
  truncated: boolean
}

/** The parts that all shops of a file share. */
export interface SharedByShops {
  terms: TermCounts
  lists: Lists
  phraseCache: ReturnType<typeof createPhraseCache>
  ids: ReturnType<typeof prepareIds>
  sums: Sums
}

/** The documents of one shop, and searches in them. The cost of a search does not depend on other shops. */
export class ShopSearch {
  readonly shopId: string
  readonly columns = new Columns()
  readonly postings: Postings
  readonly #ids: ShopIds
  readonly #clickRates: ClickRates
  readonly #matcher: Matcher
  readonly #ranker: Ranker

  /** @param number the shop's number in the tokens of the file. */
  constructor(shopId: string, number: number, { terms, lists, phraseCache, ids, sums }: SharedByShops) {
    const { columns } = this
    this.shopId = shopId
    this.postings = new Postings(number, columns, lists)
    const phrases = new Phrases(number, this.postings, terms, phraseCache)
    this.#ids = new ShopIds(shopId, number, columns, ids)
    this.#clickRates = new ClickRates(columns)
    this.#matcher = new Matcher(columns, this.postings, phrases, this.#ids)
    this.#ranker = new Ranker(columns, this.postings, phrases, sums)
  }

  matching(filters: readonly Filter[]): Docs {
    return this.#matcher.match(filters).docs()
  }

  rowidsOf(docs: readonly number[] | Docs): Int32Array {
    return Int32Array.from(docs, (doc) => this.columns.rowid[doc]!)
  }

  /** @param set null to find any offer, each with the weight 1. */
  search(query: PlainQuery, set: CampaignSet | null, synonyms?: SynonymRules): NumberedResult {
    const { columns } = this
    const matching = this.#matcher.match(query.filters, synonyms)
    const fit = this.#ranker.fit(query.rank, synonyms)
    const tieOf = (doc: number) => tieOrder(columns.idHash[doc]!, query.tieSeed)
    const wanted = { set, priorClickRate: query.priorClickRate, lifts: this.#ids.lifts(query.lifts) }
    const weights = new Weights(this.#clickRates, columns, wanted)
    // One more than wanted, to learn whether there are more.
    const best = bestOffers({ matching, fit, weights, tieOf, limit: query.limit + 1 })
    const hits = best.slice(0, query.limit)
    const next = best[query.limit] ?? null

    /** The best offer that is not a hit, without the campaign that the last hit belongs to. */
    const runnerUpOf = (next: Scored): Scored | null => {
      const leading = weights.leadingCampaign(hits.at(-1)!.doc)
      if (leading === null || !columns.campaignsOf(next.doc).includes(leading)) return next
      const without = new Weights(this.#clickRates, columns, { ...wanted, except: leading })
      const except = new Set(hits.map(({ doc }) => doc))
      return bestOffers({ matching, fit, weights: without, tieOf, limit: 1, except })[0] ?? null
    }
    const runnerUp = set === null || hits.length === 0 || next === null ? null : runnerUpOf(next)
    const listed = runnerUp ? [...hits, runnerUp] : hits
    const bestFit = listed.reduce((max, { relevance }) => Math.max(max, relevance), 0)
    return {
      hits: hits.length,
      rowids: this.rowidsOf(listed.map(({ doc }) => doc)),
      changed: Uint32Array.from(listed, ({ doc }) => columns.changed[doc]!),
      relevance: Float64Array.from(listed, ({ relevance }) => relevance / bestFit),
      bestFit,
      truncated: next !== null,
    }
  }
}

/** The result for a shop without documents. */
export const nothingFound = (): NumberedResult => ({
  hits: 0,
  rowids: new Int32Array(0),
  changed: new Uint32Array(0),
  relevance: new Float64Array(0),
  bestFit: 0,
  truncated: false,
})
