import { pathLevels } from '../../services/domain/categories.ts'
import { analyze } from '../../services/domain/text.ts'
import type { Columns } from './embedded-columns.ts'
import { NOT_IN_TITLE, type Postings } from './embedded-postings.ts'
import type { Rank } from './port.ts'
import {
  ADJACENT_DISTANCE_MAX,
  categoryRelevance,
  popularityRelevance,
  RELEVANCE_MIN,
  rarity,
  saturated,
  textRelevance,
} from './relevance.ts'
import { type Docs, lowerBound } from './sorted-sets.ts'

/** Scores documents for a rank. */
export class Ranker {
  readonly #columns: Columns
  readonly #postings: Postings

  constructor(columns: Columns, postings: Postings) {
    this.#columns = columns
    this.#postings = postings
  }

  /** Relevance of each document, in the order of `docs`, above 0 and not yet normalised. */
  score(docs: Docs, rank: Rank): Float64Array {
    const scores = this.#scores(docs, rank)
    for (let at = 0; at < scores.length; at++) scores[at] = Math.max(scores[at]!, RELEVANCE_MIN)
    return scores
  }

  #scores(docs: Docs, rank: Rank): Float64Array {
    switch (rank.by) {
      case 'none':
        return new Float64Array(docs.length).fill(1)
      case 'popularity':
        return Float64Array.from(docs, (doc) => popularityRelevance(this.#columns.popularity[doc]!))
      case 'categories':
        return this.#categories(docs, rank.paths)
      case 'text':
        return this.#text(docs, rank.text, rank.lang)
      case 'textAndCategories': {
        const categories = this.#categories(docs, rank.paths)
        return this.#text(docs, rank.text, rank.lang).map((text, at) => (text + categories[at]!) / 2)
      }
    }
  }

  #categories(docs: Docs, paths: readonly string[]): Float64Array {
    const wanted = paths.map(pathLevels)
    const known: number[] = []
    return Float64Array.from(docs, (doc) => {
      const list = this.#columns.paths[doc]!
      known[list] ??= categoryRelevance(this.#columns.pathLists.values[list] ?? [], wanted)
      return known[list]
    })
  }

  #text(docs: Docs, text: string, lang: string | null): Float64Array {
    const lists = analyze(text, lang).map((term) => this.#postings.text(term))
    const rarities = lists.map((list) => rarity(list.docs.length, this.#columns.size))
    const most = rarities.reduce((sum, value) => sum + value, 0)
    const next = lists.map(() => 0)
    const scores = new Float64Array(docs.length)
    for (let at = 0; at < docs.length; at++) {
      const doc = docs[at]!
      const match = { score: 0, words: lists.length, found: 0, foundInTitle: 0, adjacent: 0 }
      let before = NOT_IN_TITLE
      for (let word = 0; word < lists.length; word++) {
        const { docs: holding, occurrences, titleAt } = lists[word]!
        const place = lowerBound(holding, doc, next[word]!)
        next[word] = place
        let inTitle = NOT_IN_TITLE
        if (holding[place] === doc) {
          match.score += rarities[word]! * saturated(occurrences[place]!)
          match.found++
          inTitle = titleAt[place]!
          if (inTitle !== NOT_IN_TITLE) match.foundInTitle++
          const distance = inTitle - before
          if (inTitle !== NOT_IN_TITLE && distance > 0 && distance <= ADJACENT_DISTANCE_MAX) match.adjacent++
        }
        before = inTitle
      }
      match.score = most > 0 ? match.score / most : 0
      scores[at] = match.found > 0 ? textRelevance(match) : 0
    }
    return scores
  }
}
