import type { estypes } from '@elastic/elasticsearch'
import { pathLevels } from '../../../../services/domain/catalogue/categories.ts'
import { primaryLang } from '../../../../services/domain/catalogue/languages.ts'
import { type Phrase, type PhraseWord, understand } from '../../../../services/domain/catalogue/phrase.ts'
import type { SynonymRules } from '../../../../services/domain/catalogue/shop-synonyms.ts'
import type { Frequency } from '../../../../services/domain/catalogue/spelling.ts'
import { attributeFacet, brandFacet, facetToken, pathFacet } from '../../document.ts'
import type { Filter } from '../../port.ts'
import { wordsNeeded } from '../../relevance.ts'
import { ANY, nodeToken, shortToken } from '../document.ts'
import { PATH_SLOP } from '../mapping.ts'

type Query = estypes.QueryDslQueryContainer

const nothing: Query = { match_none: {} }

/**
 * The offers of a shop that satisfy all filters.
 * @param frequency how many offers have a term; texts are understood by it.
 */
export function filterQuery(
  shopId: string,
  filters: readonly Filter[],
  frequency: Frequency,
  synonyms?: SynonymRules,
): estypes.QueryDslBoolQuery {
  const clauses = filters.map((filter) =>
    filterClause(filter, (phrase) => understand({ ...phrase, synonyms }, frequency)),
  )
  const unwanted = filters.flatMap((filter) => (filter.kind === 'excludeIds' ? [{ terms: { id: filter.ids } }] : []))
  return {
    filter: [
      { term: { shop: shopId } },
      { term: { live: true } },
      ...clauses.filter((clause): clause is Query => clause !== null),
    ],
    ...(unwanted.length > 0 ? { must_not: unwanted } : {}),
  }
}

/** Null for `excludeIds`, which `filterQuery` turns into `must_not`. */
function filterClause(filter: Filter, wordsOf: (phrase: Phrase) => PhraseWord[]): Query | null {
  switch (filter.kind) {
    case 'available':
      return { term: { available: true } }
    case 'text':
      return textClause(filter, wordsOf)
    case 'categoryPaths':
      return anyFacet(filter.paths.map(pathFacet))
    case 'categoryNodes':
      return nodesClause(filter.anyOf)
    case 'price':
      return { range: { priceMicros: { gte: filter.minMicros ?? undefined, lte: filter.maxMicros ?? undefined } } }
    case 'brand':
      return anyFacet(filter.anyOf.map(brandFacet))
    case 'currency':
      return { term: { currency: filter.currency.toUpperCase() } }
    case 'lang':
      return { terms: { lang: [primaryLang(filter.lang), ANY] } }
    case 'country':
      return { terms: { countries: [filter.country.toUpperCase(), ANY] } }
    case 'attribute':
      return anyFacet(filter.anyOf.map((value) => attributeFacet(filter.name, value)))
    case 'labels':
      return anyFacet(filter.anyOf.map((label) => facetToken('label', label)))
    case 'sellers':
      return anyFacet(filter.anyOf.map((seller) => facetToken('seller', seller)))
    case 'feed':
      return { term: { feed: filter.feedId } }
    case 'ids':
      return { terms: { ids: filter.ids } }
    case 'excludeIds':
      return null
    case 'campaign':
      return { term: { campaigns: filter.campaignId } }
  }
}

const anyFacet = (tokens: readonly string[]): Query => ({ terms: { facets: [...new Set(tokens.map(shortToken))] } })

/** A text without words matches nothing. */
function textClause(
  { text, lang, minShare, in: where }: Extract<Filter, { kind: 'text' }>,
  wordsOf: (phrase: Phrase) => PhraseWord[],
): Query {
  const words = wordsOf({ text, lang })
  const clauses = words.map((word): Query => (where === 'TITLE' ? { term: { title: word.term } } : wordClause(word)))
  const needed = wordsNeeded(minShare, words.length)
  if (words.length < needed) return nothing
  return needed === words.length
    ? { bool: { filter: clauses } }
    : { bool: { should: clauses, minimum_should_match: needed } }
}

/** The offers that have a word or an alternative of it. */
export function wordClause({ term, alternatives }: PhraseWord): Query {
  const itself = { term: { words: term } }
  if (alternatives.length === 0) return itself
  const names = alternatives.map((terms) => ({ bool: { filter: terms.map((each) => ({ term: { words: each } })) } }))
  return { bool: { should: [itself, ...names], minimum_should_match: 1 } }
}

function nodesClause(anyOf: readonly (readonly string[])[]): Query {
  const sequences = anyOf.map((nodes) => nodes.flatMap(pathLevels)).filter((nodes) => nodes.length > 0)
  if (sequences.length === 0) return nothing
  const inOrder = sequences.map((nodes): Query => {
    const clauses = nodes.map((node) => ({ span_term: { nodes: nodeToken(node) } }))
    return clauses.length === 1 ? clauses[0]! : { span_near: { clauses, slop: PATH_SLOP, in_order: true } }
  })
  return { bool: { should: inOrder, minimum_should_match: 1 } }
}
