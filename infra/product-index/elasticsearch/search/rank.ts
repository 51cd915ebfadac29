import type { estypes } from '@elastic/elasticsearch'
import { PRIOR_CLICKS } from '../../../../services/domain/auction/click-rate.ts'
import { pathLevels } from '../../../../services/domain/catalogue/categories.ts'
import { type PhraseWord, understand } from '../../../../services/domain/catalogue/phrase.ts'
import type { SynonymRules } from '../../../../services/domain/catalogue/shop-synonyms.ts'
import type { IndexedProduct, ProductQuery, Rank } from '../../port.ts'
import {
  ADJACENT_BONUS,
  ADJACENT_DISTANCE_MAX,
  ALL_IN_TITLE_BONUS,
  alternativeEffect,
  categoryRelevance,
  popularityRelevance,
  RELEVANCE_MIN,
  SATURATION,
} from '../../relevance.ts'
import { wordClause } from './filters.ts'
import type { Vocabulary } from './vocabulary.ts'

type Query = estypes.QueryDslQueryContainer

/**
 * Step between numbers of words found in `_score`. A query computes the relevance of relevance.ts: the sum of its clauses carries two
 * numbers to the script, which are the number of words found, times FOUND, plus the score with its bonuses, which never reach FOUND.
 */
const FOUND = 2
/** Words of a text beyond this number do not count in ranking. */
const RANKED_WORDS_MAX = 64
/** Scores are 32-bit numbers that are added up in any order, so finer differences mean nothing. */
const PRECISION = 1e6

/** The words that a rank compares with texts. */
export const rankedWords = (rank: Rank, { frequency }: Vocabulary, synonyms?: SynonymRules): PhraseWord[] =>
  rank.by === 'text' || rank.by === 'textAndCategories'
    ? understand({ text: rank.text, lang: rank.lang, synonyms }, frequency).slice(0, RANKED_WORDS_MAX)
    : []

/** Clauses that add to the score without being required. */
export function textClauses(words: readonly PhraseWord[], { rarity }: Vocabulary): Query[] {
  const terms = words.map(({ term }) => term)
  const most = terms.reduce((sum, term) => sum + rarity(term), 0)
  // Elasticsearch multiplies by the rarity itself, and by 1 + k1 as in the original form of BM25.
  const boost = 1 / (most * (1 + SATURATION))
  const constant = (boost: number, filter: Query): Query => ({ constant_score: { filter, boost } })
  const pairs = terms.slice(1).map((term, at) => `${terms[at]} ${term}`)
  return [
    ...words.map((word) => constant(FOUND, wordClause(word))),
    ...(most > 0 ? words.map((word) => effectClause(word, boost, rarity)) : []),
    ...(terms.length > 0
      ? [constant(ALL_IN_TITLE_BONUS, { bool: { filter: terms.map((term) => ({ term: { title: term } })) } })]
      : []),
    ...pairs.map((query) =>
      constant(ADJACENT_BONUS / pairs.length, { match_phrase: { title: { query, slop: ADJACENT_DISTANCE_MAX - 1 } } }),
    ),
  ]
}

/** The best of a word and its alternatives. An alternative counts as being as rare as the word. */
function effectClause({ term, alternatives }: PhraseWord, boost: number, rarity: Vocabulary['rarity']): Query {
  const itself = { term: { words: { value: term, boost } } }
  if (alternatives.length === 0) return itself
  const names = alternatives.map((terms): Query => {
    const effect = (boost * alternativeEffect(rarity(term))) / terms.length
    return {
      bool: { must: terms.map((each) => ({ term: { words: { value: each, boost: effect / rarity(each) } } })) },
    }
  })
  return { dis_max: { queries: [itself, ...names], tie_breaker: 0 } }
}

const sources = {
  text: `double found = Math.floor(_score / ${FOUND}); double text = (_score - ${FOUND} * found) * found * params.perWord;`,
  categories: `double common = 0;
    for (String path : doc['paths']) for (def above : params.above) {
      String key = above.key;
      if (path.startsWith(key) && (path.length() == key.length() || path.charAt(key.length()) == (char) '>')) {
        common = Math.max(common, above.share); break;
      }
    }`,
  // An index that has yet to be rebuilt has neither number.
  clickRate: `double views = doc.containsKey('views') && doc['views'].size() > 0 ? doc['views'].value : 0;
    double clicks = doc.containsKey('clicks') && doc['clicks'].size() > 0 ? doc['clicks'].value : 0;
    double clickRate = (Math.min(clicks, views) + ${PRIOR_CLICKS}) / (views + ${PRIOR_CLICKS} / params.priorClickRate);`,
  lifted: `def lift = params.lifts.get(doc['id'].value); if (lift != null) clickRate = Math.min(1, clickRate * lift);`,
  promoted: `double weight = 0;
    for (String campaign : doc['campaigns']) {
      def each = params.weights.get(campaign);
      if (each != null) weight = Math.max(weight, ((Number) each).doubleValue());
    }`,
  unpromoted: 'double weight = 1;',
}

/** How relevance is computed, by rank. */
const formulas: Record<Rank['by'], { uses: ('text' | 'categories')[]; relevance: string }> = {
  none: { uses: [], relevance: '1' },
  popularity: { uses: [], relevance: "Math.log1p(Math.max(0, doc['popularity'].value))" },
  text: { uses: ['text'], relevance: 'text' },
  categories: { uses: ['categories'], relevance: 'common' },
  textAndCategories: { uses: ['text', 'categories'], relevance: '(text + common) / 2' },
}

/**
 * Relevance x predicted click rate x the best weight of an offer's campaigns. Scripts differ in few ways, so that Elasticsearch
 * compiles each only once.
 */
export function rankScript(
  { rank, priorClickRate, lifts }: Pick<ProductQuery, 'rank' | 'priorClickRate' | 'lifts'>,
  words: number,
  weights: ReadonlyMap<string, number> | null,
) {
  const { uses, relevance } = formulas[rank.by]
  const lifted = lifts === undefined || lifts.size === 0 ? null : Object.fromEntries(lifts)
  const parts = [
    ...uses.map((part) => sources[part]),
    sources.clickRate,
    ...(lifted === null ? [] : [sources.lifted]),
    weights === null ? sources.unpromoted : sources.promoted,
  ]
  const source = `${parts.join('\n')}
    return Math.max(Math.rint(${PRECISION} * (${relevance})) / ${PRECISION}, ${RELEVANCE_MIN}) * clickRate * weight;`
  return {
    source,
    params: {
      priorClickRate,
      ...(lifted === null ? {} : { lifts: lifted }),
      ...(weights === null ? {} : { weights: Object.fromEntries(weights) }),
      ...(uses.includes('text')
        ? { perWord: words === 0 ? 0 : 1 / (words * (1 + ALL_IN_TITLE_BONUS + ADJACENT_BONUS)) }
        : {}),
      ...('paths' in rank ? { above: pathsAbove(rank.paths) } : {}),
    },
  }
}

/** Every level of the wanted paths, with its share of the deepest one, deepest first. */
function pathsAbove(paths: readonly string[]): { key: string; share: number }[] {
  const wanted = paths.map(pathLevels)
  const deepest = Math.max(1, ...wanted.map((levels) => levels.length))
  return wanted
    .flatMap((levels) => levels.map((_, at) => ({ key: levels.slice(0, at + 1).join('>'), share: (at + 1) / deepest })))
    .sort((a, b) => b.share - a.share)
}

/**
 * Relevance of a hit, not yet normalised. It is computed from the score when only the index knows it.
 * @param factor click rate x weight; the score is the relevance times this factor.
 */
export function relevanceOf(rank: Rank, { offer, signals }: IndexedProduct, score: number, factor: number): number {
  switch (rank.by) {
    case 'none':
      return 1
    case 'popularity':
      return Math.max(RELEVANCE_MIN, popularityRelevance(signals?.popularity ?? 0))
    case 'categories':
      return Math.max(RELEVANCE_MIN, categoryRelevance(offer.productTypes.map(pathLevels), rank.paths.map(pathLevels)))
    case 'text':
    case 'textAndCategories':
      return Math.max(RELEVANCE_MIN, Math.round((score / factor) * PRECISION) / PRECISION)
  }
}
