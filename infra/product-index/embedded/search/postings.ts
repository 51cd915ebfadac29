import type { DatabaseSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import { type TextField, textFields } from '../../document.ts'
import { occurrenceWeight } from '../../relevance.ts'
import type { ChangedWords } from '../writer.ts'
import type { Columns } from './columns.ts'
import type { KnownTerms } from './known-terms.ts'
import type { Docs } from './sorted-sets.ts'

/** Decoded lists in memory. One that was evicted is read from the full-text index again. */
const CACHE_BYTES_MAX = 64 * 1024 * 1024
const LIST_OVERHEAD_BYTES = 200
const POSTING_BYTES = 9
/** `titleAt` of a document whose title lacks the term. Places from 254 on count as 254. */
export const NOT_IN_TITLE = 255

/**
 * Every occurrence of a term as one number, all in one string, because a row for each takes three times as long. The lowest
 * three bits are the field's index in `textFields`, the next eight the place in it, the rest the document.
 */
const OCCURRENCES = `SELECT group_concat(
  (doc * 256 + min(offset, ${NOT_IN_TITLE - 1})) * 8 + CASE col ${textFields.map((field, at) => `WHEN '${field}' THEN ${at}`).join(' ')} END
) AS occurrences FROM text_instances WHERE term = ?`

export const bytesOf = ({ docs }: TextPostings) => LIST_OVERHEAD_BYTES + docs.length * POSTING_BYTES

/** The occurrences of a term. */
export interface TextPostings {
  docs: Docs
  /** For each of `docs`: weighted occurrences, see relevance.ts. */
  occurrences: Float32Array
  /** For each of `docs`: place of the first occurrence in the title. */
  titleAt: Uint8Array
  /** No document has more weighted occurrences. */
  most: number
  /** The documents with the term in their title; computed on first use. */
  inTitle: Docs | null
}

export function docsInTitle(postings: TextPostings): Docs {
  postings.inTitle ??= postings.docs.filter((_, at) => postings.titleAt[at] !== NOT_IN_TITLE)
  return postings.inTitle
}

/** Lists of documents by term or facet, read from FTS5 through a cache that both share: no term contains a space. */
export class Postings {
  readonly #columns: Columns
  readonly #known: KnownTerms
  readonly #cached = new LRUCache<string, TextPostings>({ maxSize: CACHE_BYTES_MAX, sizeCalculation: bytesOf })
  readonly #occurrences
  readonly #facets

  constructor(db: DatabaseSync, columns: Columns, known: KnownTerms) {
    this.#columns = columns
    this.#known = known
    this.#occurrences = db.prepare(OCCURRENCES)
    this.#facets = db.prepare('SELECT group_concat(rowid) AS docs FROM facets WHERE facets MATCH ?')
  }

  text(term: string): TextPostings {
    return this.#get(term, () => this.#readText(term))
  }

  /** Reads the list of a term before it is asked for, as long as most of the cache is left to what is. */
  readAhead(term: string): void {
    if (this.#cached.calculatedSize < CACHE_BYTES_MAX / 4) this.text(term)
  }

  /** How many documents have a term. Asking for terms that no document has keeps nothing in memory. */
  frequency(term: string): number {
    const known = this.#cached.get(term)
    if (known) return known.docs.length
    if (!this.#known.mayHave(term)) return 0
    const read = this.#readText(term)
    if (read.docs.length > 0) this.#cached.set(term, read)
    return read.docs.length
  }

  facet(token: string): Docs {
    return this.#get(facetKey(token), () => {
      const { docs } = this.#facets.get(`"${token}"`) as { docs: string | null }
      const postings = new PostingsBuilder()
      for (const doc of numbersOf(docs)) postings.add(doc)
      return postings.build()
    }).docs
  }

  /** Drops every list. */
  forget(): void {
    this.#cached.clear()
    this.#known.forget()
  }

  /**
   * Updates the cached lists in place, because reading a common word again takes tens of milliseconds. `changes` must be
   * ascending by document, one for each. The columns must have been updated before.
   */
  update(changes: readonly ChangedWords[]): void {
    const changed = new Set(changes.map(({ doc }) => doc))
    const stale = new Map<string, PostingsBuilder>()
    const builderOf = (key: string) => {
      if (!this.#cached.has(key)) return null
      const builder = stale.get(key) ?? new PostingsBuilder()
      stale.set(key, builder)
      return builder
    }
    for (const { doc, before, after } of changes) {
      if (before) {
        for (const field of textFields) for (const term of wordsOf(before[field])) builderOf(term)
        for (const token of wordsOf(before.facets)) builderOf(facetKey(token))
      }
      if (!after) continue
      for (const [at, field] of textFields.entries()) {
        for (const [place, term] of wordsOf(after[field]).entries()) {
          this.#known.add(term)
          this.#addOccurrence(builderOf(term), doc, at, place)
        }
      }
      for (const token of wordsOf(after.facets)) builderOf(facetKey(token))?.add(doc)
    }
    for (const [key, builder] of stale) {
      // A list may have been evicted by one that has grown.
      const known = this.#cached.peek(key)
      if (known) this.#cached.set(key, merged(known, changed, builder.build()))
    }
  }

  #get(key: string, read: () => TextPostings): TextPostings {
    const known = this.#cached.get(key)
    if (known) return known
    const postings = read()
    this.#cached.set(key, postings)
    return postings
  }

  #readText(term: string): TextPostings {
    const { occurrences } = this.#occurrences.get(term) as { occurrences: string | null }
    const postings = new PostingsBuilder()
    // Ordered by document.
    for (const packed of numbersOf(occurrences)) {
      this.#addOccurrence(postings, Math.floor(packed / 2048), packed % 8, Math.floor(packed / 8) % 256)
    }
    return postings.build()
  }

  #addOccurrence(postings: PostingsBuilder | null, doc: number, fieldAt: number, place: number): void {
    if (!postings) return
    const field = textFields[fieldAt]!
    postings.add(doc)
    postings.occurs(occurrenceWeight(field, 1, this.#length(field, doc)), field === 'title' ? place : NOT_IN_TITLE)
  }

  #length(field: TextField, doc: number): number {
    if (field === 'title') return this.#columns.titleLength[doc] ?? 0
    if (field === 'attributes') return this.#columns.attributesLength[doc] ?? 0
    return field === 'description' ? (this.#columns.descriptionLength[doc] ?? 0) : 0
  }
}

/** Builds a list from documents in ascending order. */
class PostingsBuilder {
  readonly #docs: number[] = []
  readonly #occurrences: number[] = []
  readonly #titleAt: number[] = []

  add(doc: number): void {
    if (this.#docs.at(-1) === doc) return
    this.#docs.push(doc)
    this.#occurrences.push(0)
    this.#titleAt.push(NOT_IN_TITLE)
  }

  /** Adds an occurrence in the document that was added last. */
  occurs(weight: number, titleAt: number): void {
    const last = this.#docs.length - 1
    this.#occurrences[last]! += weight
    this.#titleAt[last] = Math.min(
      this.#titleAt[last]!,
      titleAt === NOT_IN_TITLE ? titleAt : Math.min(titleAt, NOT_IN_TITLE - 1),
    )
  }

  build(): TextPostings {
    // Rounded to 32 bits, upwards too: the greatest is one of these.
    const occurrences = Float32Array.from(this.#occurrences)
    return {
      docs: Int32Array.from(this.#docs),
      occurrences,
      titleAt: Uint8Array.from(this.#titleAt),
      most: greatest(occurrences),
      inTitle: null,
    }
  }
}

/** `known` with its entries of the `changed` documents replaced by those of `now`. */
function merged(known: TextPostings, changed: ReadonlySet<number>, now: TextPostings): TextPostings {
  const size = known.docs.length + now.docs.length
  const docs = new Int32Array(size)
  const occurrences = new Float32Array(size)
  const titleAt = new Uint8Array(size)
  let length = 0
  const take = (from: TextPostings, at: number) => {
    docs[length] = from.docs[at]!
    occurrences[length] = from.occurrences[at]!
    titleAt[length++] = from.titleAt[at]!
  }
  let next = 0
  for (let at = 0; at < known.docs.length; at++) {
    const doc = known.docs[at]!
    if (changed.has(doc)) continue
    while (next < now.docs.length && now.docs[next]! < doc) take(now, next++)
    take(known, at)
  }
  while (next < now.docs.length) take(now, next++)
  // Copied, so that the larger buffers can be freed.
  return {
    docs: docs.slice(0, length),
    occurrences: occurrences.slice(0, length),
    titleAt: titleAt.slice(0, length),
    most: Math.max(known.most, now.most),
    inTitle: null,
  }
}

/** At least 0. */
export function greatest(values: ArrayLike<number>): number {
  let most = 0
  for (let at = 0; at < values.length; at++) if (values[at]! > most) most = values[at]!
  return most
}

const facetKey = (token: string) => ` ${token}`
const wordsOf = (text: string) => (text === '' ? [] : text.split(' '))
const numbersOf = (list: string | null) => (list === null ? [] : list.split(',').map(Number))
