import { LRUCache } from 'lru-cache'
import { type Phrase, understand } from '../../../../services/domain/catalogue/phrase.ts'
import { createPhraseKeys } from '../../phrase-keys.ts'
import { alternativeEffect, occurrencesOf, rarity, saturated } from '../../relevance.ts'
import { bytesOf, greatest, NOT_IN_TITLE, type TextPostings } from './postings/posting-list.ts'
import type { Postings } from './postings/postings.ts'
import { type Docs, forEachCommon, union } from './sorted-sets.ts'
import type { TermCounts } from './term-counts.ts'

/** Limit of the cache of understood phrases, with the posting lists made for them. */
const CACHE_BYTES_MAX = 8 * 1024 * 1024
const PHRASE_OVERHEAD_BYTES = 500

/** The offers of a shop that have a word of a phrase. */
export interface WordPostings {
  /** The word's rarity among the offers of all shops. */
  rarity: number
  /** The offers with the term itself. */
  own: TextPostings
  /** The offers with an alternative of the term. They count as having it outside the title. */
  alternatives: TextPostings | null
}

/** Caches the words of understood phrases, for all shops. To be cleared when the index changes. */
export const createPhraseCache = () =>
  new LRUCache<string, WordPostings[]>({
    maxSize: CACHE_BYTES_MAX,
    sizeCalculation: (words, key) =>
      words.reduce(
        (bytes, { alternatives }) => bytes + (alternatives ? bytesOf(alternatives) : 0),
        PHRASE_OVERHEAD_BYTES + key.length,
      ),
  })

/** Understands phrases by the terms that offers of all shops have, and finds the offers of one shop that have their words. */
export class Phrases {
  readonly #shop: number
  readonly #postings: Postings
  readonly #terms: TermCounts
  readonly #cached
  readonly #keyOf = createPhraseKeys()

  /** @param shop the shop's number. */
  constructor(shop: number, postings: Postings, terms: TermCounts, cached: ReturnType<typeof createPhraseCache>) {
    this.#shop = shop
    this.#postings = postings
    this.#terms = terms
    this.#cached = cached
  }

  /** The postings of each distinct word. */
  words(phrase: Phrase): WordPostings[] {
    const key = `${this.#shop}:${this.#keyOf(phrase)}`
    const known = this.#cached.get(key)
    if (known) return known
    const words = understand(phrase, (term) => this.#terms.offersWith(term)).map(({ term, alternatives }) => ({
      rarity: rarity(this.#terms.offersWith(term), this.#terms.documents),
      own: this.#postings.text(term),
      alternatives: alternatives.length > 0 ? bestOf(alternatives.map((name) => this.#name(name))) : null,
    }))
    this.#cached.set(key, words)
    return words
  }

  /** The offers that have all terms of an alternative, with its effect on their scores. */
  #name(terms: readonly string[]): Effects {
    const [first, ...others] = terms.map((term) => this.#postings.text(term))
    let docs = first!.docs
    let sums = Array.from(first!.occurrences, saturated)
    for (const list of others) {
      const common: number[] = []
      const sum: number[] = []
      forEachCommon(docs, list.docs, (at, place) => {
        common.push(docs[at]!)
        sum.push(sums[at]! + saturated(list.occurrences[place]!))
      })
      docs = Int32Array.from(common)
      sums = sum
    }
    return { docs, effects: sums.map((sum) => alternativeEffect(sum / terms.length)) }
  }
}

interface Effects {
  docs: Docs
  effects: number[]
}

/** The effect of the best alternative in each document, as occurrences. */
function bestOf(names: readonly Effects[]): TextPostings {
  const docs = union(names.map((name) => name.docs))
  const occurrences = new Float32Array(docs.length)
  for (const { docs: found, effects } of names) {
    forEachCommon(docs, found, (at, place) => {
      occurrences[at] = Math.max(occurrences[at]!, occurrencesOf(effects[place]!))
    })
  }
  const titleAt = new Uint8Array(docs.length).fill(NOT_IN_TITLE)
  return { docs, occurrences, titleAt, most: greatest(occurrences), inTitle: null }
}
