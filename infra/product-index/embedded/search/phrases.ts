import { LRUCache } from 'lru-cache'
import { type Phrase, understand } from '../../../../services/domain/catalogue/phrase.ts'
import { createPhraseKeys } from '../../phrase-keys.ts'
import { alternativeEffect, occurrencesOf, rarity, saturated } from '../../relevance.ts'
import { bytesOf, greatest, NOT_IN_TITLE, type TextPostings } from './postings/posting-list.ts'
import type { Postings } from './postings/postings.ts'
import { type Docs, forEachCommon, union } from './sorted-sets.ts'
import type { TermCounts } from './term-counts.ts'

/** Understood phrases in memory, with the lists made for them. */
const CACHE_BYTES_MAX = 8 * 1024 * 1024
const PHRASE_OVERHEAD_BYTES = 500

/** The offers of a shop that have a word of a phrase. */
export interface WordPostings {
  /** Among the offers of all shops. */
  rarity: number
  /** Those with the term itself. */
  own: TextPostings
  /** Those with an alternative of it, which is no place in the title. */
  alternatives: TextPostings | null
}

/** What was made of phrases, of all shops; to be cleared when the index changes. */
export const createPhraseCache = () =>
  new LRUCache<string, WordPostings[]>({
    maxSize: CACHE_BYTES_MAX,
    sizeCalculation: (words, key) =>
      words.reduce(
        (bytes, { alternatives }) => bytes + (alternatives ? bytesOf(alternatives) : 0),
        PHRASE_OVERHEAD_BYTES + key.length,
      ),
  })

/** Understands phrases by the terms that the offers of all shops have, and finds those of one shop. */
export class Phrases {
  readonly #shop: number
  readonly #postings: Postings
  readonly #terms: TermCounts
  readonly #cached
  readonly #keyOf = createPhraseKeys()

  /** @param shop its number. */
  constructor(shop: number, postings: Postings, terms: TermCounts, cached: ReturnType<typeof createPhraseCache>) {
    this.#shop = shop
    this.#postings = postings
    this.#terms = terms
    this.#cached = cached
  }

  /** One for each distinct word. */
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

  /** The offers that have all terms of an alternative, with what it adds to their score. */
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

/** The best alternative in each document. */
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
