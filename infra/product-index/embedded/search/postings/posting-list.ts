import { textFields } from '../../../document.ts'
import { occurrenceWeight } from '../../../relevance.ts'
import type { Columns } from '../columns.ts'
import type { Docs } from '../sorted-sets.ts'

const LIST_OVERHEAD_BYTES = 200
const POSTING_BYTES = 9
/** `titleAt` of a document whose title lacks the term. Places from 254 on count as 254. */
export const NOT_IN_TITLE = 255

/** The occurrences of a term in the documents of a shop. */
export interface TextPostings {
  docs: Docs
  /** For each of `docs`: weighted occurrences, see relevance.ts. */
  occurrences: Float32Array
  /** For each of `docs`: place of the first occurrence in the title. */
  titleAt: Uint8Array
  /** Upper bound of `occurrences`. */
  most: number
  /** The documents with the term in their title; computed on first use. */
  inTitle: Docs | null
}

export const bytesOf = ({ docs }: TextPostings) => LIST_OVERHEAD_BYTES + docs.length * POSTING_BYTES

export function docsInTitle(postings: TextPostings): Docs {
  postings.inTitle ??= postings.docs.filter((_, at) => postings.titleAt[at] !== NOT_IN_TITLE)
  return postings.inTitle
}

/** Builds a list from documents in ascending order. */
export class PostingsBuilder {
  readonly #docs: number[] = []
  readonly #occurrences: number[] = []
  readonly #titleAt: number[] = []

  add(doc: number): void {
    if (this.#docs.at(-1) === doc) return
    this.#docs.push(doc)
    this.#occurrences.push(0)
    this.#titleAt.push(NOT_IN_TITLE)
  }

  /** Adds an occurrence in the last document of the list or in a later one. */
  addOccurrence(columns: Columns, doc: number, fieldAt: number, place: number): void {
    this.add(doc)
    const field = textFields[fieldAt]!
    const last = this.#docs.length - 1
    this.#occurrences[last]! += occurrenceWeight(field, 1, columns.textLength(field, doc))
    if (field === 'title') this.#titleAt[last] = Math.min(this.#titleAt[last]!, place, NOT_IN_TITLE - 1)
  }

  build(): TextPostings {
    // Rounding to 32 bits may increase a value, so `most` is taken from the rounded ones.
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
export function merged(known: TextPostings, changed: ReadonlySet<number>, now: TextPostings): TextPostings {
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
