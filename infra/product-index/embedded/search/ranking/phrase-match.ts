import { ADJACENT_DISTANCE_MAX, saturated, textRelevance } from '../../../relevance.ts'
import type { WordPostings } from '../phrases.ts'
import { NOT_IN_TITLE } from '../postings/posting-list.ts'
import { lowerBound } from '../sorted-sets.ts'
import type { Sums, WordList } from './sums.ts'

/** Allowance for rounding: scores and the bounds that they are compared with are added up in different orders. */
const ROUNDING = 1e-9
const NOT_FOUND = -1
/** Looking up one document takes as long as adding up this many entries of a list. */
const ENTRIES_PER_LOOKUP = 8
/** Setting the sums of this many documents to zero takes as long as adding up one entry. */
const CLEARED_PER_ENTRY = 8

/** The best case for some words: the most that they can add to the score, and how many words they are. */
interface BestCase {
  score: number
  words: number
}

/** How well the texts of documents fit a phrase. */
export class PhraseMatch {
  /** Shortest first. */
  readonly lists: readonly WordList[]
  readonly #words: number
  readonly #rarities: number
  /** At index n: the best case for the words of all lists except the first n. */
  readonly #rests: readonly BestCase[]
  readonly #bounds: Bounds
  /** For each list, the index from which the next document is looked up. */
  readonly #next: Int32Array
  /** For the current document, by the word's place in the phrase: the effect of the word, and its place in the title. */
  readonly #effects: Float64Array
  readonly #titleAt: Int16Array
  readonly #documents: number
  readonly #sums: Sums
  /** The sums over all lists for every document. Made once lookups have taken as long as adding up all lists takes. */
  #summed: Sums | null = null
  #lookupsLeft: number

  constructor(phrase: readonly WordPostings[], documents: number, sums: Sums) {
    this.lists = phrase
      .flatMap(({ own, alternatives, rarity }, word) =>
        [own, ...(alternatives ? [alternatives] : [])].map((list) => ({ ...list, word, rarity })),
      )
      .sort((a, b) => a.docs.length - b.docs.length)
    this.#words = phrase.length
    this.#rarities = phrase.reduce((sum, { rarity }) => sum + rarity, 0)
    this.#rests = restsOf(this.lists)
    this.#bounds = new Bounds(phrase.length)
    this.#next = new Int32Array(this.lists.length)
    this.#effects = new Float64Array(phrase.length)
    this.#titleAt = new Int16Array(phrase.length)
    this.#documents = documents
    this.#sums = sums
    const entries = this.lists.reduce((sum, { docs }) => sum + docs.length, documents / CLEARED_PER_ENTRY)
    this.#lookupsLeft = entries / ENTRIES_PER_LOOKUP
  }

  /** Starts a new pass, in which documents must be asked for in ascending order. */
  rewind(): void {
    this.#next.fill(0)
  }

  /** Upper bound of the relevance of documents that are in none of the first `passed` lists. */
  most(passed: number): number {
    const { score, words } = this.#rests[passed]!
    return this.#bound(score, words)
  }

  /** The relevance of a document; null when it is less than `least`, or when the document is in one of the first `passed` lists. */
  of(doc: number, least: number, passed: number): number | null {
    if (this.#lookupsLeft <= 0) {
      this.#summed ??= this.#sums.of(this.lists, this.#documents)
      if (this.#bound(this.#summed.score[doc]!, this.#summed.words[doc]!) < least) return null
    }
    return this.#lookUp(doc, least, passed)
  }

  #lookUp(doc: number, least: number, passed: number): number | null {
    // For so few entries, the loop takes half the time of `fill`.
    for (let word = 0; word < this.#words; word++) {
      this.#effects[word] = 0
      this.#titleAt[word] = NOT_FOUND
    }
    let score = 0
    let found = 0
    for (let at = 0; at < this.lists.length; at++) {
      const { docs, occurrences, titleAt, word, rarity } = this.lists[at]!
      const place = lowerBound(docs, doc, this.#next[at]!)
      this.#next[at] = place
      this.#lookupsLeft--
      if (docs[place] === doc) {
        if (at < passed) return null
        const gain = rarity * saturated(occurrences[place]!) - this.#effects[word]!
        if (gain > 0) {
          score += gain
          this.#effects[word]! += gain
        }
        if (this.#titleAt[word] === NOT_FOUND) found++
        if (this.#titleAt[word] === NOT_FOUND || titleAt[place] !== NOT_IN_TITLE) this.#titleAt[word] = titleAt[place]!
      } else {
        const rest = this.#rests[at + 1]!
        if (this.#bound(score + rest.score, found + rest.words) < least) return null
      }
    }
    return this.#relevance(found)
  }

  #bound(score: number, found: number): number {
    return this.#bounds.of(this.#share(score), Math.min(found, this.#words)) * (1 + ROUNDING)
  }

  #share(score: number): number {
    return this.#rarities > 0 ? score / this.#rarities : 0
  }

  #relevance(found: number): number {
    const words = this.#words
    let score = 0
    let foundInTitle = 0
    let adjacent = 0
    /** Place in the title of the last word found there, and the place of that word in the phrase. */
    let before = 0
    let wordBefore = NOT_FOUND
    for (let word = 0; word < words; word++) {
      score += this.#effects[word]!
      const place = this.#titleAt[word]!
      if (place === NOT_FOUND || place === NOT_IN_TITLE) continue
      foundInTitle++
      const distance = place - before
      if (wordBefore === word - 1 && word > 0 && distance > 0 && distance <= ADJACENT_DISTANCE_MAX) adjacent++
      before = place
      wordBefore = word
    }
    return textRelevance({ score: this.#share(score), words, found, foundInTitle, adjacent })
  }
}

/** The greatest relevance that a text can have, by its score and how many of the phrase's words it has. */
class Bounds {
  /** By number of words found: the greatest relevance for the score 0, and what the score 1 adds to it. */
  readonly #bases: number[] = []
  readonly #slopes: number[] = []

  constructor(words: number) {
    for (let found = 0; found <= words; found++) {
      const all = { words, found, foundInTitle: found, adjacent: Math.max(0, found - 1) }
      const base = textRelevance({ score: 0, ...all })
      this.#bases.push(base)
      this.#slopes.push(textRelevance({ score: 1, ...all }) - base)
    }
  }

  of(score: number, found: number): number {
    return this.#bases[found]! + this.#slopes[found]! * score
  }
}

function restsOf(lists: readonly WordList[]): BestCase[] {
  const rests = [{ score: 0, words: 0 }]
  const effects = new Map<number, number>()
  for (const { word, rarity, most } of lists.toReversed()) {
    const { score, words } = rests.at(-1)!
    const known = effects.get(word)
    const effect = Math.max(rarity * saturated(most), known ?? 0)
    effects.set(word, effect)
    rests.push({ score: score + effect - (known ?? 0), words: known === undefined ? words + 1 : words })
  }
  return rests.reverse()
}
