import type { DatabaseSync } from 'node:sqlite'
import { lruCache } from '../../../../services/domain/caches.ts'
import { editsIn, isSimilar, nearestFirst } from '../../../../services/domain/catalogue/spelling.ts'
import { textFields } from '../../document.ts'
import { SIMILAR_TERMS_MAX, type SimilarTerm } from '../../port.ts'
import { type ChangedTokens, listed, wordOf } from '../full-text.ts'
import { KnownTerms } from './known-terms.ts'

/** How many terms' counts are cached, some 100 bytes each. */
const COUNTS_MAX = 50_000

/** How many offers of all shops have each term. Spelling correction and rarity are based on all shops, not only on the one searched. */
export class TermCounts {
  /** About how many documents all shops have together. */
  documents = 0
  readonly #known: KnownTerms
  readonly #counts = lruCache<number>(COUNTS_MAX)
  readonly #offers
  readonly #like

  constructor(db: DatabaseSync) {
    this.#known = new KnownTerms(db)
    this.#offers = db.prepare('SELECT offers FROM terms WHERE term = ?')
    this.#like = db.prepare(
      'SELECT term, offers FROM terms WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ?',
    )
  }

  /** How many offers have a term. Terms that no offer has are not cached. */
  offersWith(term: string): number {
    const known = this.#counts.get(term)
    if (known !== undefined) return known
    if (!this.#known.mayHave(term)) return 0
    const found = this.#offers.get(term) as { offers: number } | undefined
    if (found) this.#counts.set(term, found.offers)
    return found?.offers ?? 0
  }

  /** Terms of which `term` may be a misspelling, nearest first. Takes some 10 ms among 200,000 terms. */
  similarTo(term: string): SimilarTerm[] {
    const edits = editsIn(term)
    if (edits === 0 || this.offersWith(term) > 0) return []
    const first = String.fromCodePoint(term.codePointAt(0)!)
    const next = String.fromCodePoint(first.codePointAt(0)! + 1)
    const found = this.#like.all(first, next, term.length - edits, term.length + edits) as unknown as SimilarTerm[]
    return nearestFirst(
      term,
      found.filter((each) => isSimilar(term, each.term)),
    ).slice(0, SIMILAR_TERMS_MAX)
  }

  /** Reads some terms, so that unknown terms need not be looked up in the file. @returns whether there may be more to read. */
  readSome(): boolean {
    return this.#known.readSome(this.documents)
  }

  update(changes: readonly ChangedTokens[]): void {
    this.#counts.clear()
    for (const { after } of changes) {
      if (!after) continue
      for (const field of textFields) for (const token of listed(after[field])) this.#known.add(wordOf(token))
    }
  }

  forget(): void {
    this.#counts.clear()
    this.#known.forget()
  }
}
