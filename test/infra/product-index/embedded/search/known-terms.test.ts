import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { rowsOf } from '../../../../../infra/product-index/embedded/rows.ts'
import { KnownTerms } from '../../../../../infra/product-index/embedded/search/known-terms.ts'
import { databaseFile, openIndexWriter } from '../../../../../infra/product-index/embedded/writer.ts'
import { anOffer } from '../../offer.fixture.ts'

let folder: string
let writer: ReturnType<typeof openIndexWriter>
let db: DatabaseSync
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'known-terms-'))
  writer = openIndexWriter({ folder })
  db = new DatabaseSync(databaseFile(folder), { readOnly: true })
})
afterEach(() => {
  db.close()
  writer.close()
  rmSync(folder, { recursive: true })
})

const OFFERS = 1_000
const WORDS_PER_OFFER = 10
/** The terms in the index, too many for one call of `readSome`. */
const there = Array.from({ length: OFFERS * WORDS_PER_OFFER }, (_, i) => `w${i}`)
const absent = Array.from({ length: 10_000 }, (_, i) => `v${i}`)

function storeOffers() {
  const offers = Array.from({ length: OFFERS }, (_, i) => {
    const words = there.slice(i * WORDS_PER_OFFER, (i + 1) * WORDS_PER_OFFER)
    return anOffer({ id: String(i), title: words.join(' ') })
  })
  writer.write(rowsOf(offers.map((offer) => ({ kind: 'offer', version: 1, offer }))))
}

/** Reads all terms. @returns the share of absent terms that seem to be present. */
function readAll(known: KnownTerms): number {
  known.mayHave('')
  for (let call = 0; call < 20; call++) known.readSome(OFFERS)
  return absent.filter((term) => known.mayHave(term)).length / absent.length
}

describe('the terms that the index may have', () => {
  it('are all terms until they have been read, which begins when one is asked for', () => {
    storeOffers()
    const known = new KnownTerms(db)
    expect(known.readSome(OFFERS)).toBe(false)
    expect(known.mayHave('v1')).toBe(true)
    expect(known.readSome(OFFERS)).toBe(true)
    expect(known.mayHave('v1')).toBe(true)
  })

  it('are every term that it has, and few others', () => {
    storeOffers()
    const known = new KnownTerms(db)
    expect(readAll(known)).toBeLessThan(0.02)
    expect(there.every((term) => known.mayHave(term))).toBe(true)
  })

  it('take in terms that come later, however many', () => {
    const known = new KnownTerms(db)
    readAll(known)
    const added = Array.from({ length: 100_000 }, (_, i) => `a${i}`)
    for (const [at, term] of added.entries()) {
      known.add(term)
      if (at % 10_000 === 0) expect(added.slice(0, at + 1).every((each) => known.mayHave(each))).toBe(true)
    }
    expect(known.mayHave('v1')).toBe(true)
    storeOffers()
    expect(readAll(known)).toBeLessThan(0.02)
  })
})
