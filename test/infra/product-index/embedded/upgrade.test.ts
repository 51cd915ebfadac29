import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FullText } from '../../../../infra/product-index/embedded/full-text.ts'
import { openEmbeddedProductIndex } from '../../../../infra/product-index/embedded/product-index.ts'
import { beginUpgrade, upgradeFile } from '../../../../infra/product-index/embedded/upgrade.ts'
import { databaseFile } from '../../../../infra/product-index/embedded/writer.ts'
import type { IndexWrite, ProductIndex } from '../../../../infra/product-index/port.ts'
import type { ProductOffer } from '../../../../schemas/records/records.ts'
import { anOffer } from '../offer.fixture.ts'

const SCHEMA = readFileSync(new URL('../../../../infra/product-index/embedded/schema.sql', import.meta.url), 'utf8')

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'upgrade-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
})

async function withIndex<T>(work: (index: ProductIndex) => Promise<T>): Promise<T> {
  const index = await openEmbeddedProductIndex({ folder })
  try {
    return await work(index)
  } finally {
    await index.close()
  }
}

const store = (offers: readonly ProductOffer[]) =>
  withIndex((index) => index.write(offers.map((offer) => ({ kind: 'offer', version: 7, offer }))))

/** Converts the full-text tables back to the format from before tokens named their shops. */
function makeEarlier(format: 0 | 1, change = ''): void {
  const db = new DatabaseSync(databaseFile(folder))
  // Here shops have numbers below 10, and no word contains a colon.
  const word = (text: string) =>
    Array.from({ length: 9 }, (_, shop) => shop + 1).reduce((sql, shop) => `replace(${sql}, '${shop}:', '')`, text)
  const texts = ['title', 'brand', 'categories', 'attributes', 'description']
  db.exec(`
    CREATE TABLE t AS SELECT rowid AS doc, ${texts.map((text) => `${word(text)} AS ${text}`).join(', ')} FROM texts;
    CREATE TABLE f AS SELECT rowid AS doc, ${word('tokens')} AS tokens FROM facets;
    DROP TABLE texts; DROP TABLE facets; DROP TABLE terms; DROP TABLE shops;
    CREATE VIRTUAL TABLE texts USING fts5 (${texts.join(', ')}, columnsize = 0, tokenize = "ascii tokenchars '.'");
    CREATE VIRTUAL TABLE facets USING fts5 (tokens, columnsize = 0, detail = none, tokenize = "ascii");
    INSERT INTO texts (rowid, ${texts.join(', ')}) SELECT * FROM t; INSERT INTO facets (rowid, tokens) SELECT * FROM f;
    DROP TABLE t; DROP TABLE f; PRAGMA user_version = ${format}; ${change}`)
  renumberPromotions(db)
  db.close()
}

/** Gives each list of campaigns the one number that it had before it was known what it follows from. */
function renumberPromotions(db: DatabaseSync): void {
  db.exec(`
    ALTER TABLE documents DROP COLUMN promotedVersion; ALTER TABLE documents DROP COLUMN registryVersion;
    ALTER TABLE documents ADD COLUMN promotionsVersion INTEGER NOT NULL DEFAULT 0;
    UPDATE documents SET promotionsVersion = 1000`)
}

const SHOPS = ['shop', 'other']
const KINDS = ['lamp', 'desk', 'shelf']
/** More offers than are stored at a time. */
const offersOfShops = SHOPS.flatMap((shopId) =>
  Array.from({ length: 700 }, (_, at) =>
    anOffer({ shopId, id: `p${at}`, title: `${KINDS[at % 3]} model ${at % 50}`, brand: `Brand${at % 4}` }),
  ),
)

/** The results for words, facets and misspelt words. */
const answers = () =>
  withIndex((index) =>
    Promise.all([
      ...SHOPS.flatMap((shopId) => [
        index.count(shopId, [{ kind: 'brand', anyOf: ['Brand1'] }]),
        index.search(
          [...KINDS, 'lmap', 'model 12'].map((text) => ({
            ...{ shopId, campaigns: null, priorClickRate: 0.01, limit: 20, tieSeed: 1 },
            filters: [{ kind: 'text', text, lang: 'en', minShare: 1, in: 'ALL_FIELDS' }],
            rank: { by: 'text', text, lang: 'en' },
          })),
        ),
      ]),
      index.similarTerms(['lmap', 'shelff']),
    ]),
  )

describe('a file of an earlier version', () => {
  test('answers as before, once its tokens name shops', async () => {
    await store(offersOfShops)
    const before = await answers()
    makeEarlier(1)
    expect(await answers()).toEqual(before)
    expect(await answers()).toEqual(before)
  })

  test('is brought to the present format also when the program was killed meanwhile', async () => {
    await store(offersOfShops)
    const before = await answers()
    makeEarlier(1)
    killedAtSecondPage()
    expect(await answers()).toEqual(before)
  })

  test('keeps its promotions until later ones come', async () => {
    const ids = ['a', 'b']
    const promotion = (id: string, campaignId: string, version: number, offerVersion: number): IndexWrite => ({
      kind: 'promotions',
      ...{ shopId: 'shop', feedId: anOffer().feedId, id, version, offerVersion, campaignIds: [campaignId] },
    })
    await store(ids.map((id) => anOffer({ id })))
    await withIndex((index) => index.write(ids.map((id) => promotion(id, 'early', 1_000, 7))))
    const db = new DatabaseSync(databaseFile(folder))
    renumberPromotions(db)
    db.close()
    await withIndex(async (index) => {
      expect(await index.write([promotion('b', 'later', 1, 7)])).toBe(1)
      await index.refresh()
      const found = await index.get('shop', ids)
      expect(found.map(({ campaignIds }) => campaignIds)).toEqual([['early'], ['later']])
    })
  })

  test('may know shops that have no offer any more', async () => {
    await store([anOffer({ shopId: 'shop', id: 'gone' }), anOffer({ shopId: 'other', id: 'stays' })])
    await withIndex((index) =>
      index.write([{ kind: 'remove', version: 8, shopId: 'shop', feedId: anOffer().feedId, id: 'gone' }]),
    )
    makeEarlier(1)
    await withIndex(async (index) => {
      expect([await index.count('shop', []), await index.count('other', [])]).toEqual([0, 1])
      await index.write([{ kind: 'offer', version: 9, offer: anOffer({ shopId: 'shop', id: 'gone' }) }])
      await index.refresh()
      expect(await index.count('shop', [])).toBe(1)
    })
  })

  test('has the terms of scripts without spaces made anew', async () => {
    const offers = [anOffer({ id: 'ja', title: '無線マウス', lang: 'ja' }), anOffer({ id: 'en', title: 'lamp' })]
    await store(offers)
    makeEarlier(0, "UPDATE texts SET title = '無線マウス' WHERE title = '無線 マウス'")
    await withIndex(async (index) => {
      const count = (text: string) =>
        index.count('shop', [{ kind: 'text', text, lang: null, minShare: 1, in: 'ALL_FIELDS' }])
      expect([await count('マウス'), await count('lamp')]).toEqual([1, 1])
      expect(await index.write([{ kind: 'offer', version: 7, offer: offers[0]! }])).toBe(0)
      expect((await index.get('shop', ['ja']))[0]!.offer).toEqual(offers[0])
    })
  })
})

test('a file of a later format is refused, and left as it is', async () => {
  await store([anOffer()])
  const inFile = <T>(work: (db: DatabaseSync) => T) => {
    const db = new DatabaseSync(databaseFile(folder))
    try {
      return work(db)
    } finally {
      db.close()
    }
  }
  inFile((db) => db.exec('PRAGMA user_version = 99'))
  await expect(store([anOffer({ id: 'later' })])).rejects.toThrow(
    `DATA_DIR: a later version of the program has changed ${databaseFile(folder)}. Start that version, or delete`,
  )
  expect(inFile((db) => db.prepare('PRAGMA user_version').get())).toEqual({ user_version: 99 })
})

/** Interrupts the upgrade after the first page has been copied. */
function killedAtSecondPage(): void {
  const db = new DatabaseSync(databaseFile(folder))
  beginUpgrade(db)
  db.exec(SCHEMA)
  const fullText = new FullText(db)
  let pages = 0
  const inTransaction = (work: () => void) => {
    if (++pages === 2) throw new Error('killed')
    db.exec('BEGIN')
    work()
    fullText.storeCounts()
    db.exec('COMMIT')
  }
  expect(() => upgradeFile({ db, fullText, inTransaction, renew: () => {} })).toThrow('killed')
  db.close()
}
