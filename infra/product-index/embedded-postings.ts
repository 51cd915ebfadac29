import type { DatabaseSync } from 'node:sqlite'
import type { TextField } from './document.ts'
import type { Columns } from './embedded-columns.ts'
import { occurrenceWeight } from './relevance.ts'
import type { Docs } from './sorted-sets.ts'

/** Lists kept decoded in memory; the least recently used are read from the full-text index again when needed. */
const CACHE_BYTES_MAX = 64 * 1024 * 1024
const LIST_OVERHEAD_BYTES = 200
const POSTING_BYTES = 9
/** `titleAt` of a document whose title lacks the term, and the last place that is told apart. */
export const NOT_IN_TITLE = 255

/** Where a term stands. */
export interface TextPostings {
  docs: Docs
  /** By position in `docs`: weighted occurrences, see relevance.ts. */
  occurrences: Float32Array
  /** By position in `docs`: place of the first occurrence in the title. */
  titleAt: Uint8Array
  /** Those of `docs` that have it in the title; made when first asked for. */
  inTitle: Docs | null
}

/** Lists of documents by term or facet, read from FTS5 through a cache. */
export class Postings {
  readonly #db: DatabaseSync
  readonly #columns: Columns
  readonly #cached = new Map<string, TextPostings>()
  readonly #instances
  readonly #facets
  #bytes = 0

  constructor(db: DatabaseSync, columns: Columns) {
    this.#db = db
    this.#columns = columns
    this.#instances = this.#db.prepare('SELECT doc, col, offset FROM text_instances WHERE term = ?')
    this.#instances.setReturnArrays(true)
    // One text of all numbers costs a third of a row for each.
    this.#facets = this.#db.prepare('SELECT group_concat(rowid) AS docs FROM facets WHERE facets MATCH ?')
  }

  text(term: string): TextPostings {
    return this.#get(term, () => this.#readText(term))
  }

  facet(token: string): Docs {
    // Facets and terms share the cache; no term holds a space.
    return this.#get(` ${token}`, () => {
      const { docs } = this.#facets.get(`"${token}"`) as { docs: string | null }
      return postingsOf(docs === null ? [] : docs.split(',').map(Number))
    }).docs
  }

  inTitle(term: string): Docs {
    const postings = this.text(term)
    postings.inTitle ??= postings.docs.filter((_, at) => postings.titleAt[at] !== NOT_IN_TITLE)
    return postings.inTitle
  }

  /** Drops the lists that have changed; null: all. Terms and facets alike. */
  forget(terms: readonly string[] | null): void {
    if (terms === null) {
      this.#cached.clear()
      this.#bytes = 0
      return
    }
    for (const term of terms) {
      this.#drop(term)
      this.#drop(` ${term}`)
    }
  }

  #get(key: string, read: () => TextPostings): TextPostings {
    const known = this.#cached.get(key)
    if (known) {
      this.#cached.delete(key)
      this.#cached.set(key, known)
      return known
    }
    const postings = read()
    this.#cached.set(key, postings)
    this.#bytes += bytesOf(postings)
    for (const oldest of this.#cached.keys()) {
      if (this.#bytes <= CACHE_BYTES_MAX || oldest === key) break
      this.#drop(oldest)
    }
    return postings
  }

  #drop(key: string): void {
    const known = this.#cached.get(key)
    if (!known) return
    this.#cached.delete(key)
    this.#bytes -= bytesOf(known)
  }

  #readText(term: string): TextPostings {
    const docs: number[] = []
    const occurrences: number[] = []
    const titleAt: number[] = []
    // Ordered by document, so that the rows of one stand together.
    for (const [doc, field, place] of this.#instances.iterate(term) as unknown as Iterable<
      [number, TextField, number]
    >) {
      if (docs.at(-1) !== doc) {
        docs.push(doc)
        occurrences.push(0)
        titleAt.push(NOT_IN_TITLE)
      }
      const last = docs.length - 1
      occurrences[last]! += occurrenceWeight(field, 1, this.#length(field, doc))
      if (field === 'title') titleAt[last] = Math.min(titleAt[last]!, place, NOT_IN_TITLE - 1)
    }
    return postingsOf(docs, occurrences, titleAt)
  }

  #length(field: TextField, doc: number): number {
    if (field === 'title') return this.#columns.titleLength[doc] ?? 0
    if (field === 'attributes') return this.#columns.attributesLength[doc] ?? 0
    return field === 'description' ? (this.#columns.descriptionLength[doc] ?? 0) : 0
  }
}

const postingsOf = (docs: number[], occurrences: number[] = [], titleAt: number[] = []): TextPostings => ({
  docs: Int32Array.from(docs),
  occurrences: Float32Array.from(occurrences),
  titleAt: Uint8Array.from(titleAt),
  inTitle: null,
})

const bytesOf = ({ docs }: TextPostings) => LIST_OVERHEAD_BYTES + docs.length * POSTING_BYTES
