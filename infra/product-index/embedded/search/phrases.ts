import { LRUCache } from 'lru-cache'
import { type Phrase, understand } from '../../../../services/domain/catalogue/phrase.ts'
import { createPhraseKeys } from '../../phrase-keys.ts'
import { alternativeEffect, occurrencesOf, saturated } from '../../relevance.ts'
import { bytesOf, greatest, NOT_IN_TITLE, type Postings, type TextPostings } from './postings.ts'
import { type Docs, forEachCommon, union } from './sorted-sets.ts'

/** Understood phrases in memory, with the lists made for them. */
const CACHE_BYTES_MAX = 8 * 1024 * 1024
const PHRASE_OVERHEAD_BYTES = 500

/** The offers that have a word of a phrase. */
export interface WordPostings {
  /** Those with the term itself. */
  own: TextPostings
  /** Those with an alternative of it, which is no place in the title. */
  alternatives: TextPostings | null
}

/** Understands phrases by the terms of the index, and remembers what it made of them until the index changes. */
export class Phrases {
  readonly #postings: Postings
  readonly #keyOf = createPhraseKeys()
  readonly #cached = new LRUCache<string, WordPostings[]>({
    maxSize: CACHE_BYTES_MAX,
    sizeCalculation: (words, key) =>
      words.reduce(
        (bytes, { alternatives }) => bytes + (alternatives ? bytesOf(alternatives) : 0),
        PHRASE_OVERHEAD_BYTES + key.length,
      ),
  })

  constructor(postings: Postings) {
    this.#postings = postings
  }

  /** One for each distinct word. */
  words(phrase: Phrase): WordPostings[] {
    const key = this.#keyOf(phrase)
    const known = this.#cached.get(key)
    if (known) return known
    const words = understand(phrase, (term) => this.#postings.frequency(term)).map(({ term, alternatives }) => ({
      own: this.#postings.text(term),
      alternatives: alternatives.length > 0 ? bestOf(alternatives.map((name) => this.#name(name))) : null,
    }))
    this.#cached.set(key, words)
    return words
  }

  forget(): void {
    this.#cached.clear()
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
