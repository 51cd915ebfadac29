import { pathLevels } from '../../../../../services/domain/catalogue/categories.ts'
import type { SynonymRules } from '../../../../../services/domain/catalogue/shop-synonyms.ts'
import { pathFacet } from '../../../document.ts'
import type { Rank } from '../../../port.ts'
import { categoryRelevance, RELEVANCE_MIN } from '../../../relevance.ts'
import type { Columns } from '../columns.ts'
import type { Phrases } from '../phrases.ts'
import type { Postings } from '../postings/postings.ts'
import { type Docs, union } from '../sorted-sets.ts'
import { PhraseMatch } from './phrase-match.ts'
import type { Sums } from './sums.ts'

/** How well documents fit a rank, and lists by which the best are found without computing the relevance of each document. */
export interface Fit {
  /** Shortest first. */
  readonly lists: readonly Docs[]
  /** Upper bound of the relevance of documents that are in none of the first `passed` lists. */
  most(passed: number): number
  /** Starts a new pass, in which documents must be asked for in ascending order. */
  rewind(): void
  /**
   * The relevance of a document, above 0 and not yet normalised. It is 0 when the relevance is less than `least`, or when the document
   * is in one of the first `passed` lists.
   */
  of(doc: number, least: number, passed: number): number
}

/** Computes the relevance of documents. */
export class Ranker {
  readonly #columns: Columns
  readonly #postings: Postings
  readonly #phrases: Phrases
  readonly #sums: Sums

  constructor(columns: Columns, postings: Postings, phrases: Phrases, sums: Sums) {
    this.#columns = columns
    this.#postings = postings
    this.#phrases = phrases
    this.#sums = sums
  }

  fit(rank: Rank, synonyms?: SynonymRules): Fit {
    switch (rank.by) {
      case 'none':
        return fitByValue(() => 1)
      case 'popularity':
        return fitByValue((doc) => this.#columns.popularity[doc]!)
      case 'categories':
        return fitByParts(null, this.#categories(rank.paths))
      case 'text':
        return fitByParts(this.#phrase({ ...rank, synonyms }), null)
      case 'textAndCategories':
        return fitByParts(this.#phrase({ ...rank, synonyms }), this.#categories(rank.paths))
    }
  }

  #phrase(phrase: Parameters<Phrases['words']>[0]): PhraseMatch {
    return new PhraseMatch(this.#phrases.words(phrase), this.#columns.size, this.#sums)
  }

  #categories(paths: readonly string[]): CategoryMatch {
    const { paths: pathsOf, pathLists } = this.#columns
    const wanted = paths.map(pathLevels)
    const known: number[] = []
    const deepest = Math.max(0, ...wanted.map((levels) => levels.length))
    const levels = Array.from({ length: deepest }, (_, above) => {
      const tokens = wanted.filter((path) => path.length > above).map((path) => path.slice(0, above + 1).join('>'))
      return {
        docs: union([...new Set(tokens)].map((path) => this.#postings.facet(pathFacet(path)))),
        relevance: (above + 1) / deepest,
      }
    })
    return {
      levels: levels.reverse(),
      of(doc) {
        const list = pathsOf[doc]!
        known[list] ??= categoryRelevance(pathLists.values[list] ?? [], wanted)
        return known[list]
      },
    }
  }
}

/** How well the categories of documents fit. */
interface CategoryMatch {
  /** For each relevance, best first: the documents that fit at least that well. Each list is part of the next. */
  levels: readonly { docs: Docs; relevance: number }[]
  of(doc: number): number
}

function fitByValue(relevanceOf: (doc: number) => number): Fit {
  return {
    lists: [],
    most: () => Number.POSITIVE_INFINITY,
    rewind() {},
    of: (doc) => Math.max(relevanceOf(doc), RELEVANCE_MIN),
  }
}

/** How documents fit by text, by categories, or by the mean of both. */
function fitByParts(phrase: PhraseMatch | null, categories: CategoryMatch | null): Fit {
  const parts = (phrase ? 1 : 0) + (categories ? 1 : 0)
  const lists = [
    ...(phrase?.lists ?? []).map(({ docs }) => ({ docs, words: 1, relevance: Number.POSITIVE_INFINITY })),
    ...(categories?.levels ?? []).map((level) => ({ ...level, words: 0 })),
  ].sort((a, b) => a.docs.length - b.docs.length)
  /** By number of lists passed: how many are of the text, and from which category relevance on a document is in a list of categories. */
  const wordsPassed = [0]
  const categoryPassed = [Number.POSITIVE_INFINITY]
  for (const [at, { words, relevance }] of lists.entries()) {
    wordsPassed.push(wordsPassed[at]! + words)
    categoryPassed.push(Math.min(categoryPassed[at]!, relevance))
  }
  return {
    lists: lists.map(({ docs }) => docs),
    most(passed) {
      const text = phrase?.most(wordsPassed[passed]!) ?? 0
      const better = categories?.levels.findIndex(({ relevance }) => relevance < categoryPassed[passed]!) ?? -1
      const category = better === -1 ? 0 : categories!.levels[better]!.relevance
      return Math.max((text + category) / parts, RELEVANCE_MIN)
    },
    rewind: () => phrase?.rewind(),
    of(doc, least, passed) {
      const category = categories?.of(doc) ?? 0
      if (category >= categoryPassed[passed]!) return 0
      const leastOfText = least <= RELEVANCE_MIN ? 0 : least * parts - category
      const text = phrase ? phrase.of(doc, leastOfText, wordsPassed[passed]!) : 0
      return text === null ? 0 : Math.max((text + category) / parts, RELEVANCE_MIN)
    },
  }
}
