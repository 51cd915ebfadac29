import { textFields } from '../../../document.ts'
import { type ChangedTokens, listed, tokenOf } from '../../full-text.ts'
import type { Columns } from '../columns.ts'
import type { Docs } from '../sorted-sets.ts'
import type { Lists } from './lists.ts'
import { merged, PostingsBuilder, type TextPostings } from './posting-list.ts'

/** Tokens looked at in one call, which takes some 5 ms. */
const TOKENS_PER_CALL = 2_000
/** Reading the list of a token takes a millisecond for so many occurrences. */
const COMMON_OCCURRENCES = 1_000

/** The documents of a shop by term or facet. Lists are read once and kept with those of all shops; no token contains a space. */
export class Postings {
  readonly #shop: number
  readonly #columns: Columns
  readonly #lists: Lists
  /** The last token that was looked at; null: all have been, or none is to be. */
  #lookedAtTo: string | null = null
  /** Tokens whose lists are read next. */
  readonly #common: string[] = []

  /** @param shop its number. */
  constructor(shop: number, columns: Columns, lists: Lists) {
    this.#shop = shop
    this.#columns = columns
    this.#lists = lists
  }

  text(term: string): TextPostings {
    return this.#text(tokenOf(this.#shop, term))
  }

  facet(facet: string): Docs {
    const token = tokenOf(this.#shop, facet)
    return this.#get(facetKey(token), (list) => {
      const next = this.#columns.docsInOrder()
      for (const rowid of this.#lists.rowids(token)) {
        const doc = next(rowid)
        if (doc !== null) list.add(doc)
      }
    }).docs
  }

  /** Asks for the lists of common terms, from now on or anew. */
  wantCommon(): void {
    if (this.#columns.size >= COMMON_OCCURRENCES) this.#lookedAtTo = tokenOf(this.#shop, '')
  }

  /**
   * Looks for some of the common terms, or reads the list of one, as long as most of the cache is left to what is asked for.
   * @returns whether there may be more to do.
   */
  readAhead(): boolean {
    const token = this.#common.pop()
    if (token !== undefined) {
      if (this.#lists.hasRoom) this.#text(token)
      return true
    }
    if (this.#lookedAtTo === null) return false
    // The next character after the colon of the shop's tokens.
    const page = this.#lists.tokens(this.#lookedAtTo, `${this.#shop};`, TOKENS_PER_CALL)
    this.#lookedAtTo = page.length < TOKENS_PER_CALL ? null : page.at(-1)!.token
    for (const { token, occurrences } of page) if (occurrences >= COMMON_OCCURRENCES) this.#common.push(token)
    return true
  }

  /**
   * Updates the cached lists in place, because reading a common word again takes tens of milliseconds. `changes` must be
   * ascending by document, one for each. The columns must have been updated before.
   */
  update(changes: readonly ChangedTokens[]): void {
    const changed = new Set<number>()
    const stale = new Map<string, PostingsBuilder>()
    const builderOf = (key: string) => {
      if (!this.#lists.cached.has(key)) return null
      const builder = stale.get(key) ?? new PostingsBuilder()
      stale.set(key, builder)
      return builder
    }
    for (const { rowid, before, after } of changes) {
      const doc = this.#columns.docOf(rowid)!
      changed.add(doc)
      if (before) {
        for (const field of textFields) for (const token of listed(before[field])) builderOf(token)
        for (const token of listed(before.facets)) builderOf(facetKey(token))
      }
      if (!after) continue
      for (const [at, field] of textFields.entries()) {
        for (const [place, token] of listed(after[field]).entries()) {
          builderOf(token)?.addOccurrence(this.#columns, doc, at, place)
        }
      }
      for (const token of listed(after.facets)) builderOf(facetKey(token))?.add(doc)
    }
    for (const [key, builder] of stale) {
      // A list may have been evicted by one that has grown.
      const known = this.#lists.cached.peek(key)
      if (known) this.#lists.cached.set(key, merged(known, changed, builder.build()))
    }
  }

  #text(token: string): TextPostings {
    return this.#get(token, (list) => {
      const next = this.#columns.docsInOrder()
      this.#lists.occurrences(token, (rowid, fieldAt, place) => {
        const doc = next(rowid)
        if (doc !== null) list.addOccurrence(this.#columns, doc, fieldAt, place)
      })
    })
  }

  #get(key: string, fill: (list: PostingsBuilder) => void): TextPostings {
    const known = this.#lists.cached.get(key)
    if (known) return known
    const list = new PostingsBuilder()
    fill(list)
    const postings = list.build()
    this.#lists.cached.set(key, postings)
    return postings
  }
}

const facetKey = (token: string) => ` ${token}`
