import { textFields } from '../../../document.ts'
import { type ChangedTokens, listed, tokenOf } from '../../full-text.ts'
import type { Columns } from '../columns.ts'
import type { Docs } from '../sorted-sets.ts'
import type { Lists } from './lists.ts'
import { merged, PostingsBuilder, type TextPostings } from './posting-list.ts'

/** How many tokens one call looks at, which takes some 5 ms. */
const TOKENS_PER_CALL = 2_000
/** From this many occurrences on, a token is common. Reading a list takes a millisecond for this many occurrences. */
const COMMON_OCCURRENCES = 1_000

/** The documents of a shop by term or facet. Lists are read once, and cached together with those of all other shops. */
export class Postings {
  readonly #shop: number
  readonly #columns: Columns
  readonly #lists: Lists
  /** The last token that was looked at. Null when all have been, or when common terms are not wanted. */
  #lookedAtTo: string | null = null
  /** Common tokens whose lists are read next. */
  readonly #common: string[] = []

  /** @param shop the shop's number. */
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

  /** Makes `readAhead` read the lists of common terms, from the beginning. */
  wantCommon(): void {
    if (this.#columns.size >= COMMON_OCCURRENCES) this.#lookedAtTo = tokenOf(this.#shop, '')
  }

  /**
   * Looks for some of the common terms, or reads the list of one. Lists are read ahead only while they leave most of the cache free for
   * the lists that searches ask for.
   * @returns whether there may be more to do.
   */
  readAhead(): boolean {
    const token = this.#common.pop()
    if (token !== undefined) {
      if (this.#lists.hasRoom) this.#text(token)
      return true
    }
    if (this.#lookedAtTo === null) return false
    // `;` is the next character after the colon, so this bound comes after all tokens of the shop.
    const page = this.#lists.tokens(this.#lookedAtTo, `${this.#shop};`, TOKENS_PER_CALL)
    this.#lookedAtTo = page.length < TOKENS_PER_CALL ? null : page.at(-1)!.token
    for (const { token, occurrences } of page) if (occurrences >= COMMON_OCCURRENCES) this.#common.push(token)
    return true
  }

  /**
   * Updates the cached lists in place, because reading a common word again takes tens of milliseconds. `changes` must have one
   * entry per document, in ascending order of documents. The columns must have been updated before.
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

/** The cache key of a facet's list. It differs from that of any term, because no token contains a space. */
const facetKey = (token: string) => ` ${token}`
