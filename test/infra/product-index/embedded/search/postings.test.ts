import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rowsOf } from '../../../../../infra/product-index/embedded/rows.ts'
import { Columns, type DocumentRow } from '../../../../../infra/product-index/embedded/search/columns.ts'
import { Lists } from '../../../../../infra/product-index/embedded/search/postings/lists.ts'
import { Postings } from '../../../../../infra/product-index/embedded/search/postings/postings.ts'
import { openIndexSearcher } from '../../../../../infra/product-index/embedded/search/searcher.ts'
import { databaseFile, openIndexWriter } from '../../../../../infra/product-index/embedded/writer.ts'
import type { IndexWrite } from '../../../../../infra/product-index/port.ts'
import { tries } from '../../../../effort.ts'
import { anOffer, promotedOffer } from '../../offer.fixture.ts'

const SHOP = 'shop'
const EVERYTHING = -1
const vocabulary = ['red', 'blue', 'lamp', 'desk', 'oak', 'shelf']

const words = fc.array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 12 }).map((list) => list.join(' '))
const id = fc.integer({ min: 0, max: 11 }).map(String)
const change = fc.oneof(
  { weight: 4, arbitrary: fc.record({ id, title: words, description: words, brand: fc.constantFrom('Acme', 'Brio') }) },
  { weight: 1, arbitrary: fc.record({ id }) },
)

describe('lists of documents kept in memory', () => {
  it('stay what a searcher that has just opened reads', () => {
    const folder = mkdtempSync(join(tmpdir(), 'postings-'))
    const writer = openIndexWriter({ folder })
    const kept = openIndexSearcher({ folder })
    let version = 1
    try {
      fc.assert(
        fc.property(fc.array(fc.array(change, { maxLength: 5 }), { minLength: 1, maxLength: 6 }), (batches) => {
          kept.refresh(writer.touched(kept.seen()))
          answers(kept)
          for (const batch of batches) {
            writer.write(rowsOf(batch.flatMap((each) => writesOf(each, version++))))
            kept.refresh(writer.touched(kept.seen()))
            while (kept.readAhead());
          }
          const opened = openIndexSearcher({ folder })
          opened.refresh({ changed: EVERYTHING, epoch: 0, tokens: null })
          expect(answers(kept)).toEqual(answers(opened))
          opened.close()
        }),
        { numRuns: tries(60, 600) },
      )
    } finally {
      kept.close()
      writer.close()
      rmSync(folder, { recursive: true })
    }
  })

  it('are dropped after more changes than are reported, and follow each change again once there are few', () => {
    const folder = mkdtempSync(join(tmpdir(), 'postings-'))
    const writer = openIndexWriter({ folder })
    const kept = openIndexSearcher({ folder })
    const entitle = (ids: Iterable<number>, title: string, version: number) => {
      const titled = [...ids].map((id) => ({ id: `${id}`, title, description: title, brand: 'Acme' }))
      writer.write(rowsOf(titled.flatMap((each) => writesOf(each, version))))
    }
    const many = [...Array(2_500).keys()]
    const rounds: [ids: number[], isReported: boolean][] = [
      [many, false],
      [[1, 2], false],
      [[2, 3], true],
      [many, false],
      [[], true],
      [[1], true],
    ]
    for (const [at, [ids, isReported]] of rounds.entries()) {
      entitle(ids, vocabulary[at]!, at + 1)
      const touched = writer.touched(kept.seen())
      expect(touched.tokens !== null).toBe(isReported)
      kept.refresh(touched)
      const opened = openIndexSearcher({ folder })
      opened.refresh({ changed: EVERYTHING, epoch: 0, tokens: null })
      expect(answers(kept)).toEqual(answers(opened))
      opened.close()
    }
    kept.close()
    writer.close()
    rmSync(folder, { recursive: true })
  })
})

describe('lists of common terms', () => {
  it('are read ahead in shops of many documents, and no others', () => {
    const folder = mkdtempSync(join(tmpdir(), 'postings-'))
    const writer = openIndexWriter({ folder })
    const offersOf = (shopId: string, count: number) =>
      Array.from({ length: count }, (_, at) => anOffer({ shopId, id: `${at}`, title: `lamp w${at}` }))
    const offers = [...offersOf('large', 1_000), ...offersOf('small', 999)]
    writer.write(rowsOf(offers.map((offer) => ({ kind: 'offer', version: 1, offer }))))
    const db = new DatabaseSync(databaseFile(folder), { readOnly: true })
    const rows = db.prepare(
      `SELECT doc AS rowid, shopId, id, summary, campaigns, changed, 0 AS popularity, 0 AS views, 0 AS clicks
       FROM documents WHERE shopId = ? ORDER BY doc`,
    )
    const lists = new Lists(db)
    for (const [at, shopId] of ['large', 'small'].entries()) {
      const columns = new Columns()
      for (const row of rows.all(shopId)) columns.set(row as unknown as DocumentRow)
      const postings = new Postings(at + 1, columns, lists)
      expect(postings.readAhead()).toBe(false)
      postings.wantCommon()
      while (postings.readAhead());
    }
    // Analysis separates a letter from the number after it.
    expect([...lists.cached.keys()].sort()).toEqual(['1:lamp', '1:w'])
    expect(lists.cached.get('1:lamp')!.docs.length).toBe(1_000)
    db.close()
    writer.close()
    rmSync(folder, { recursive: true })
  })
})

type Change = { id: string } | { id: string; title: string; description: string; brand: string }

function writesOf(each: Change, version: number): IndexWrite[] {
  if (!('title' in each)) return [{ kind: 'remove', version, shopId: SHOP, feedId: 'feed', id: each.id }]
  const offer = anOffer({ shopId: SHOP, feedId: 'feed', ...each })
  return promotedOffer(offer, ['campaign'], version)
}

/** Documents and scores for every word and some misspelt ones, in any field and in titles, and for every brand. */
function answers(searcher: ReturnType<typeof openIndexSearcher>) {
  const set = searcher.campaignSet([{ campaignIds: ['campaign'], weight: 1 }])
  const ask = (filters: Parameters<typeof searcher.count>[1], text: string) => {
    const rank = { by: 'text', text, lang: 'en' } as const
    const { rowids, relevance } = searcher.search(
      { shopId: SHOP, filters: [...filters], rank, priorClickRate: 0.004, limit: 100, tieSeed: 1 },
      set,
    )
    return [...rowids].map((rowid, at) => [rowid, relevance[at]])
  }
  return [
    ...[...vocabulary, 'shlef', 'shelff', 'bluelamp'].flatMap((text) => [
      ask([{ kind: 'text', text, lang: 'en', minShare: 1, in: 'ALL_FIELDS' }], text),
      ask([{ kind: 'text', text, lang: 'en', minShare: 1, in: 'TITLE' }], `${text} lamp`),
    ]),
    ...['Acme', 'Brio'].map((brand) => ask([{ kind: 'brand', anyOf: [brand] }], 'oak')),
  ]
}
