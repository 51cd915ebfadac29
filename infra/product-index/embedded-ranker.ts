import { pathLevels } from '../../services/domain/categories.ts'
import { analyze } from '../../services/domain/text.ts'
import type { Columns } from './embedded-columns.ts'
import { NOT_IN_TITLE, type Postings } from './embedded-postings.ts'
import type { Rank } from './port.ts'
import {
  ADJACENT_DISTANCE_MAX,
  categoryRelevance,
  RELEVANCE_MIN,
  rarity,
  saturated,
  textRelevance,
} from './relevance.ts'
import { type Docs, forEachCommon } from './sorted-sets.ts'

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
        return scoreEach(docs, (doc) => this.#columns.popularity[doc]!)
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
    return scoreEach(docs, (doc) => {
      const list = this.#columns.paths[doc]!
      known[list] ??= categoryRelevance(this.#columns.pathLists.values[list] ?? [], wanted)
      return known[list]
    })
  }

  #text(docs: Docs, text: string, lang: string | null): Float64Array {
    const lists = analyze(text, lang).map((term) => this.#postings.text(term))
    const words = lists.length
    const rarities = lists.map((list) => rarity(list.docs.length, this.#columns.size))
    const most = rarities.reduce((sum, value) => sum + value, 0)
    const scores = new Float64Array(docs.length)
    const found = new Uint16Array(docs.length)
    const foundInTitle = new Uint16Array(docs.length)
    const adjacent = new Uint16Array(docs.length)
    /** Place in the title of the word before, and which word that was. */
    const before = new Uint8Array(docs.length)
    const beforeWord = new Uint16Array(docs.length)
    lists.forEach((list, word) => {
      forEachCommon(docs, list.docs, (at, place) => {
        scores[at]! += rarities[word]! * saturated(list.occurrences[place]!)
        found[at]!++
        const titleAt = list.titleAt[place]!
        if (titleAt === NOT_IN_TITLE) return
        foundInTitle[at]!++
        const distance = titleAt - before[at]!
        if (word > 0 && beforeWord[at] === word && distance > 0 && distance <= ADJACENT_DISTANCE_MAX) adjacent[at]!++
        before[at] = titleAt
        beforeWord[at] = word + 1
      })
    })
    for (let at = 0; at < docs.length; at++) {
      scores[at] = textRelevance({
        score: most > 0 ? scores[at]! / most : 0,
        words,
        found: found[at]!,
        foundInTitle: foundInTitle[at]!,
        adjacent: adjacent[at]!,
      })
    }
    return scores
  }
}

/** `Float64Array.from` with a function takes ten times as long. */
function scoreEach(docs: Docs, scoreOf: (doc: number) => number): Float64Array {
  const scores = new Float64Array(docs.length)
  for (let at = 0; at < docs.length; at++) scores[at] = scoreOf(docs[at]!)
  return scores
}
