import { pathLevels } from '../../../../services/domain/catalogue/categories.ts'
import type { Rank } from '../../port.ts'
import {
  ADJACENT_DISTANCE_MAX,
  categoryRelevance,
  RELEVANCE_MIN,
  rarity,
  saturated,
  textRelevance,
} from '../../relevance.ts'
import type { Columns } from './columns.ts'
import type { Phrases } from './phrases.ts'
import { NOT_IN_TITLE, type TextPostings } from './postings.ts'
import { type Docs, forEachCommon, LOOKUP_RATIO } from './sorted-sets.ts'

/** Computes the relevance of documents. */
export class Ranker {
  readonly #columns: Columns
  readonly #phrases: Phrases
  readonly #found = new Found()

  constructor(columns: Columns, phrases: Phrases) {
    this.#columns = columns
    this.#phrases = phrases
  }

  /** The relevance of each of `docs`, above 0 and not yet normalised. */
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
    const asked = this.#phrases.words(text, lang)
    const lists = asked.map(({ any }) => any)
    const words = lists.length
    const rarities = asked.map(({ own }) => rarity(own.docs.length, this.#columns.size))
    const most = rarities.reduce((sum, value) => sum + value, 0)
    const found = this.#found.cleared(this.#columns.size)
    lists.forEach((list, word) => {
      if (docs.length * LOOKUP_RATIO < list.docs.length) {
        forEachCommon(docs, list.docs, (_, place) => found.add(list, place, word, rarities[word]!))
      } else {
        // Adding the whole list is faster than finding the documents in both.
        for (let place = 0; place < list.docs.length; place++) found.add(list, place, word, rarities[word]!)
      }
    })
    return scoreEach(docs, (doc) =>
      textRelevance({
        score: most > 0 ? found.score[doc]! / most : 0,
        words,
        found: found.words[doc]!,
        foundInTitle: found.inTitle[doc]!,
        adjacent: found.adjacent[doc]!,
      }),
    )
  }
}

/** What was found of a phrase, by document number. Reused between searches, because clearing is faster than allocating. */
class Found {
  score = new Float64Array(0)
  words = new Uint16Array(0)
  inTitle = new Uint16Array(0)
  adjacent = new Uint16Array(0)
  /** Place in the title of the last word found there, and the number of that word, from 1. */
  #before = new Uint8Array(0)
  #beforeWord = new Uint16Array(0)

  cleared(size: number): this {
    if (size > this.score.length) {
      const capacity = size * 2
      this.score = new Float64Array(capacity)
      this.words = new Uint16Array(capacity)
      this.inTitle = new Uint16Array(capacity)
      this.adjacent = new Uint16Array(capacity)
      this.#before = new Uint8Array(capacity)
      this.#beforeWord = new Uint16Array(capacity)
      return this
    }
    for (const each of [this.score, this.words, this.inTitle, this.adjacent, this.#before, this.#beforeWord]) {
      each.fill(0, 0, size)
    }
    return this
  }

  add(list: TextPostings, place: number, word: number, rarityOfWord: number): void {
    const doc = list.docs[place]!
    this.score[doc]! += rarityOfWord * saturated(list.occurrences[place]!)
    this.words[doc]!++
    const titleAt = list.titleAt[place]!
    if (titleAt === NOT_IN_TITLE) return
    this.inTitle[doc]!++
    const distance = titleAt - this.#before[doc]!
    if (word > 0 && this.#beforeWord[doc] === word && distance > 0 && distance <= ADJACENT_DISTANCE_MAX) {
      this.adjacent[doc]!++
    }
    this.#before[doc] = titleAt
    this.#beforeWord[doc] = word + 1
  }
}

/** Ten times as fast as `Float64Array.from` with a function. */
function scoreEach(docs: Docs, scoreOf: (doc: number) => number): Float64Array {
  const scores = new Float64Array(docs.length)
  for (let at = 0; at < docs.length; at++) scores[at] = scoreOf(docs[at]!)
  return scores
}
