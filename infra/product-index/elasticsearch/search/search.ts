import type { Client, estypes } from '@elastic/elasticsearch'
import { liftedClickRate, predictClickRate } from '../../../../services/domain/auction/click-rate.ts'
import type { CampaignGroups, IndexedProduct, ProductQuery, SearchHit, SearchResult } from '../../port.ts'
import { phrasesOf } from '../../searched-phrases.ts'
import { answeredSearch } from '../client.ts'
import type { ProductDocument } from '../document.ts'
import { type Placed, routingOf } from '../placement.ts'
import { filterQuery } from './filters.ts'
import { rankedWords, rankScript, relevanceOf, textClauses } from './rank.ts'
import type { createVocabulary, Vocabulary } from './vocabulary.ts'

/** The fields of a document that make up a product. */
export const productFields = ['offer', 'campaigns', 'signals'] as const satisfies (keyof ProductDocument)[]
export type StoredFields = Pick<ProductDocument, (typeof productFields)[number]>

const NOTHING: SearchResult = { hits: [], bestFit: 0, truncated: false, runnerUp: null }
/** The server's timeout as a share of the client's: the server gives up late searches, too. */
const SERVER_TIMEOUT_SHARE = 0.9

/** Makes several shards add up their term statistics before scoring, so that they rank offers alike. A single shard skips this. */
const ADDED_UP = 'dfs_query_then_fetch'

export const productOf = ({ offer, campaigns, signals }: StoredFields): IndexedProduct => ({
  offer: JSON.parse(offer!),
  campaignIds: campaigns,
  signals: signals === null ? null : JSON.parse(signals),
})

interface SearchDeps {
  client: Client
  placed: Placed
  timeoutMs: number
  vocabulary: Pick<ReturnType<typeof createVocabulary>, 'ofShops'>
}

/** Returns `search`, which sends all queries of a call in one request. */
export function createSearch({ client, placed, timeoutMs, vocabulary }: SearchDeps) {
  const weights = createWeights()

  return async function search(queries: readonly ProductQuery[]): Promise<SearchResult[]> {
    const asked = queries.filter(({ campaigns, limit }) => campaigns?.length !== 0 && limit > 0)
    if (asked.length === 0) return queries.map(() => NOTHING)
    const phrasesIn = (some: readonly ProductQuery[]) =>
      some.flatMap(({ filters, rank, synonyms }) => phrasesOf(filters, rank, synonyms))
    const byShop = Map.groupBy(asked, ({ shopId }) => shopId)
    const phrases = new Map([...byShop].map(([shopId, ofShop]) => [shopId, phrasesIn(ofShop)]))
    const known = await vocabulary.ofShops(phrases, timeoutMs)
    const bodies = asked.map((query) =>
      searchBody(query, weights(query.campaigns), known.get(query.shopId)!, timeoutMs),
    )
    const answers = await placed.use(async (placement) => {
      const searches = bodies.flatMap((body, at): estypes.MsearchRequestItem[] => [
        { ...routingOf(placement, asked[at]!.shopId), search_type: ADDED_UP },
        body,
      ])
      const { responses } = await client.msearch<StoredFields>(
        { index: placement.index, searches },
        { requestTimeout: timeoutMs },
      )
      return responses.map(answeredSearch)
    })
    const results = new Map(asked.map((query, at) => [query, resultOf(query, weights(query.campaigns), answers[at]!)]))
    return queries.map((query) => results.get(query) ?? NOTHING)
  }
}

/** Returns the best weight by campaign. Results are cached by list, because callers pass the same list again and again. */
function createWeights() {
  const known = new WeakMap<CampaignGroups, ReadonlyMap<string, number>>()
  return (groups: CampaignGroups | null): ReadonlyMap<string, number> | null => {
    if (groups === null) return null
    const remembered = known.get(groups)
    if (remembered) return remembered
    const weights = new Map<string, number>()
    for (const { campaignIds, weight } of groups) {
      for (const id of campaignIds) weights.set(id, Math.max(weight, weights.get(id) ?? 0))
    }
    known.set(groups, weights)
    return weights
  }
}

/** The body of one `_search`. */
export function searchBody(
  query: ProductQuery,
  weights: ReadonlyMap<string, number> | null,
  vocabulary: Vocabulary,
  timeoutMs: number,
) {
  const words = rankedWords(query.rank, vocabulary, query.synonyms)
  const { filter, ...rest } = filterQuery(query.shopId, query.filters, vocabulary.frequency, query.synonyms)
  const promoted = weights === null ? [] : [{ terms: { campaigns: [...weights.keys()] } }]
  const should = textClauses(words, vocabulary)
  return {
    query: {
      script_score: {
        query: { bool: { ...rest, filter: [...(filter as estypes.QueryDslQueryContainer[]), ...promoted], should } },
        script: rankScript(query, words.length, weights),
      },
    },
    sort: [{ _score: { order: 'desc' as const } }, tieSort(query.tieSeed)],
    size: query.limit,
    track_total_hits: query.limit + 1,
    _source: [...productFields],
    timeout: `${Math.floor(timeoutMs * SERVER_TIMEOUT_SHARE)}ms`,
  }
}

/** The finaliser of MurmurHash3 over the offer's hash and the seed, in signed numbers of 32 bits. */
const TIE_ORDER = `int tie = (int) doc['tie'].value ^ params.seed;
  tie = (tie ^ (tie >>> 16)) * ${0x85ebca6b | 0}; tie = (tie ^ (tie >>> 13)) * ${0xc2b2ae35 | 0}; return tie ^ (tie >>> 16);`

const tieSort = (seed: number) => ({
  _script: {
    type: 'number' as const,
    // The multiplication keeps similar seeds from giving similar orders.
    script: { source: TIE_ORDER, params: { seed: Math.imul(seed | 0, 0x9e3779b1) } },
    order: 'asc' as const,
  },
})

function resultOf(
  { rank, priorClickRate, lifts, limit }: ProductQuery,
  weights: ReadonlyMap<string, number> | null,
  { hits: { hits, total } }: estypes.SearchResponse<StoredFields>,
): SearchResult {
  const found = hits.map((hit): SearchHit => {
    const product = productOf(hit._source!)
    const weight =
      weights === null ? 1 : product.campaignIds.reduce((best, id) => Math.max(best, weights.get(id) ?? 0), 0)
    const clickRate = liftedClickRate(
      predictClickRate(product.signals, priorClickRate),
      lifts?.get(product.offer.id) ?? 1,
    )
    return { product, relevance: relevanceOf(rank, product, hit._score ?? 0, clickRate * weight) }
  })
  const bestFit = found.reduce((max, { relevance }) => Math.max(max, relevance), 0)
  for (const hit of found) hit.relevance /= bestFit
  return { hits: found, bestFit, truncated: (total as estypes.SearchTotalHits).value > limit, runnerUp: null }
}
