import { pathLevels } from '../../../../services/domain/catalogue/categories.ts'
import type { Phrase } from '../../../../services/domain/catalogue/phrase.ts'
import type { SynonymRules } from '../../../../services/domain/catalogue/shop-synonyms.ts'
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
  score(docs: Docs, rank: Rank, synonyms?: SynonymRules): Float64Array {
    const scores = this.#scores(docs, rank, synonyms)
    for (let at = 0; at < scores.length; at++) scores[at] = Math.max(scores[at]!, RELEVANCE_MIN)
    return scores
  }

  #scores(docs: Docs, rank: Rank, synonyms: SynonymRules | undefined): Float64Array {
    switch (rank.by) {
      case 'none':
        return new Float64Array(docs.length).fill(1)
      case 'popularity':
        return scoreEach(docs, (doc) => this.#columns.popularity[doc]!)
      case 'categories':
        return this.#categories(docs, rank.paths)
      case 'text':
        return this.#text(docs, { ...rank, synonyms })
      case 'textAndCategories': {
        const categories = this.#categories(docs, rank.paths)
        const scores = this.#text(docs, { ...rank, synonyms })
        for (let at = 0; at < scores.length; at++) scores[at] = (scores[at]! + categories[at]!) / 2
        return scores
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

  #text(docs: Docs, phrase: Phrase): Float64Array {
    const asked = this.#phrases.words(phrase)
    const lists = asked.map(({ any }) => any)
    const words = lists.length
    const rarities = asked.map(({ own }) => rarity(own.docs.length, this.#columns.size))
    const most = rarities.reduce((sum, value) => sum + value, 0)
    const found = this.#found.cleared(this.#columns.size)
    lists.forEach((list, word) => {
      // Adding the whole list is faster than finding the documents in both, unless these are few.
      const places = docs.length * LOOKUP_RATIO < list.docs.length ? placesIn(list.docs, docs) : null
      found.add(list, places, word, rarities[word]!)
    })
    const scores = new Float64Array(docs.length)
    for (let at = 0; at < docs.length; at++) {
      const doc = docs[at]!
      scores[at] = textRelevance({
        score: most > 0 ? found.score[doc]! / most : 0,
        words,
        found: found.words[doc]!,
        foundInTitle: found.inTitle[doc]!,
        adjacent: found.adjacent[doc]!,
      })
    }
    return scores
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

  /**
   * Adds the occurrences of a word at some places of its list; null: at all. The columns are read into variables first, because a list
   * may have as many places as there are offers.
   */
  add(list: TextPostings, places: Int32Array | null, word: number, rarityOfWord: number): void {
    const { docs, occurrences, titleAt } = list
    const { score, words, inTitle, adjacent } = this
    const before = this.#before
    const beforeWord = this.#beforeWord
    const length = places === null ? docs.length : places.length
    for (let at = 0; at < length; at++) {
      const place = places === null ? at : places[at]!
      const doc = docs[place]!
      score[doc]! += rarityOfWord * saturated(occurrences[place]!)
      words[doc]!++
      const placeInTitle = titleAt[place]!
      if (placeInTitle === NOT_IN_TITLE) continue
      inTitle[doc]!++
      const distance = placeInTitle - before[doc]!
      if (word > 0 && beforeWord[doc] === word && distance > 0 && distance <= ADJACENT_DISTANCE_MAX) adjacent[doc]!++
      before[doc] = placeInTitle
      beforeWord[doc] = word + 1
    }
  }
}

/** Where `docs` are in a list. */
function placesIn(list: Docs, docs: Docs): Int32Array {
  const places = new Int32Array(docs.length)
  let length = 0
  forEachCommon(docs, list, (_, place) => {
    places[length++] = place
  })
  return places.subarray(0, length)
}

/** Ten times as fast as `Float64Array.from` with a function. */
function scoreEach(docs: Docs, scoreOf: (doc: number) => number): Float64Array {
  const scores = new Float64Array(docs.length)
  for (let at = 0; at < docs.length; at++) scores[at] = scoreOf(docs[at]!)
  return scores
}
