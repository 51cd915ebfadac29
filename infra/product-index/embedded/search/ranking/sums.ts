import { saturated } from '../../../relevance.ts'
import type { TextPostings } from '../postings/posting-list.ts'

/** The offers that have a word of a phrase, or those that have an alternative of it. */
export interface WordList extends TextPostings {
  /** The word's place in the phrase. */
  word: number
  rarity: number
}

/**
 * The score and the number of words of each document, by its number. The arrays are reused between searches, because clearing
 * is faster than allocating.
 */
export class Sums {
  score = new Float64Array(0)
  words = new Uint16Array(0)

  /** Adds up lists, starting from zero. A word counts once for each of its lists. */
  of(lists: readonly WordList[], documents: number): this {
    if (documents > this.score.length) {
      this.score = new Float64Array(documents * 2)
      this.words = new Uint16Array(documents * 2)
    } else {
      this.score.fill(0, 0, documents)
      this.words.fill(0, 0, documents)
    }
    const { score, words } = this
    for (const { docs, occurrences, rarity } of lists) {
      for (let at = 0; at < docs.length; at++) {
        const doc = docs[at]!
        score[doc]! += rarity * saturated(occurrences[at]!)
        words[doc]!++
      }
    }
    return this
  }
}
