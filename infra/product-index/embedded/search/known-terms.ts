import type { DatabaseSync } from 'node:sqlite'

/** How many terms one call reads, which takes some 5 ms. */
const TERMS_PER_CALL = 5_000
/** With 16 bits per term, of which 4 are set, one unknown term in 400 seems known. */
const BITS_PER_TERM = 16
const BITS_SET = 4
const BITS_MIN = 2 ** 18
/** An estimate for the first size of the filter. Offers with long descriptions bring more terms. */
const TERMS_PER_DOCUMENT = 4

/**
 * A Bloom filter of the terms in the full-text index (Bloom: Space/time trade-offs in hash coding, 1970). Spelling correction asks
 * for hundreds of terms that no offer has, and each lookup in SQLite takes 1 to 2 µs. Terms that leave the index stay in the filter
 * until it is rebuilt.
 */
export class KnownTerms {
  readonly #page
  #bits = new Uint32Array(0)
  #terms = 0
  /** The last term that was read; null when all have been. */
  #readTo: string | null = ''
  #isWanted = false

  constructor(db: DatabaseSync) {
    this.#page = db.prepare('SELECT term FROM terms WHERE term > ? ORDER BY term LIMIT ?')
  }

  /** False when the index does not have the term. Until all terms have been read, it is true for any term. */
  mayHave(term: string): boolean {
    this.#isWanted = true
    if (this.#readTo !== null) return true
    const [first, step] = hashes(term)
    for (let i = 0; i < BITS_SET; i++) if (!this.#isSet(first + i * step)) return false
    return true
  }

  add(term: string): void {
    if (this.#bits.length === 0) return
    const [first, step] = hashes(term)
    let isNew = false
    for (let i = 0; i < BITS_SET; i++) {
      isNew ||= !this.#isSet(first + i * step)
      this.#set(first + i * step)
    }
    if (isNew && ++this.#terms * BITS_PER_TERM > this.#bits.length * 32) this.forget()
  }

  /**
   * Reads some of the terms.
   * @param documents about how many there are.
   * @returns whether there may be more to read. Also false until `mayHave` has been called: nothing is read before.
   */
  readSome(documents: number): boolean {
    if (this.#readTo === null || !this.#isWanted) return false
    if (this.#readTo === '') {
      const terms = Math.max(documents * TERMS_PER_DOCUMENT, this.#terms * 2)
      const bits = Math.max(BITS_MIN, 2 ** Math.ceil(Math.log2(terms * BITS_PER_TERM)))
      this.#bits = new Uint32Array(bits / 32)
      this.#terms = 0
    }
    const page = this.#page.all(this.#readTo, TERMS_PER_CALL) as { term: string }[]
    this.#readTo = page.length < TERMS_PER_CALL ? null : page.at(-1)!.term
    for (const { term } of page) this.add(term)
    return true
  }

  /** Reads all terms again. */
  forget(): void {
    this.#readTo = ''
  }

  #isSet(hash: number): boolean {
    const bit = (hash >>> 0) & (this.#bits.length * 32 - 1)
    return (this.#bits[bit >>> 5]! & (1 << (bit & 31))) !== 0
  }

  #set(hash: number): void {
    const bit = (hash >>> 0) & (this.#bits.length * 32 - 1)
    this.#bits[bit >>> 5]! |= 1 << (bit & 31)
  }
}

/** FNV-1a, and an odd number made from it by the finaliser of MurmurHash3. The other hashes are computed from these two. */
function hashes(term: string): [first: number, step: number] {
  let first = 0x811c9dc5
  for (let i = 0; i < term.length; i++) first = Math.imul(first ^ term.charCodeAt(i), 0x01000193)
  let step = Math.imul(first ^ (first >>> 16), 0x85ebca6b)
  step = Math.imul(step ^ (step >>> 13), 0xc2b2ae35)
  return [first, step | 1]
}
