import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openEmbeddedProductIndex } from '../../../../infra/product-index/embedded/product-index.ts'
import { databaseFile } from '../../../../infra/product-index/embedded/writer.ts'
import type { IndexWrite, ProductIndex } from '../../../../infra/product-index/port.ts'
import { tries } from '../../../effort.ts'
import { anOffer } from '../offer.fixture.ts'

const IDS = ['a', 'b', 'c']
const TITLES = ['lamp', 'chair', 'lamp chair', 'table']

/** While this stands, the search thread cannot read what is written, and each of its refreshes fails. */
const UNREADABLE = ['INSERT', 'UPDATE OF offer'].map(
  (change, at) => `CREATE TRIGGER unreadable_${at} AFTER ${change} ON documents WHEN NEW.summary IS NOT NULL
    BEGIN UPDATE documents SET summary = '!' || summary WHERE doc = NEW.doc; END`,
)
const READABLE = `DROP TRIGGER unreadable_0; DROP TRIGGER unreadable_1;
  UPDATE documents SET summary = substr(summary, 2) WHERE summary LIKE '!%'`
/** The second offer of a batch whose first one was stored. */
const REFUSED = 'refused'

let folder: string
let index: ProductIndex
let db: DatabaseSync
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'index-refresh-'))
  index = await openEmbeddedProductIndex({ folder })
  db = new DatabaseSync(databaseFile(folder), { timeout: 120_000 })
  db.exec(`CREATE TRIGGER refused BEFORE INSERT ON documents WHEN NEW.id = '${REFUSED}'
    BEGIN SELECT RAISE(ABORT, 'refused'); END`)
})
afterAll(async () => {
  db.close()
  await index.close()
  rmSync(folder, { recursive: true })
})
beforeEach(() => index.clear())

const offerOf = (id: string, title: string, version: number): IndexWrite => ({
  kind: 'offer',
  version,
  offer: anOffer({ id, title, brand: title }),
})
const removalOf = (id: string, version: number): IndexWrite => ({
  kind: 'remove',
  version,
  ...{ shopId: 'shop', feedId: 'feed', id },
})

/** The ids that a search for each word finds, and those of a brand. */
async function found(): Promise<string[][]> {
  const all = {
    shopId: 'shop',
    campaigns: null,
    rank: { by: 'none' },
    limit: 100,
    priorClickRate: 0.01,
    tieSeed: 1,
  } as const
  const results = await index.search(
    ['lamp', 'chair', 'table'].flatMap((word) => [
      { ...all, filters: [{ kind: 'text', text: word, lang: 'en', minShare: 1, in: 'ALL_FIELDS' }] },
      { ...all, filters: [{ kind: 'brand', anyOf: [word] }] },
    ]),
  )
  return results.map(({ hits }) => hits.map(({ product }) => product.offer.id).sort())
}

function expected(titles: ReadonlyMap<string, string>): string[][] {
  const ids = (holds: (title: string) => boolean) =>
    [...titles].flatMap(([id, title]) => (holds(title) ? [id] : [])).sort()
  return ['lamp', 'chair', 'table'].flatMap((word) => [
    ids((title) => title.split(' ').includes(word)),
    ids((title) => title === word),
  ])
}

const step = fc.record({
  id: fc.constantFrom(...IDS),
  title: fc.option(fc.constantFrom(...TITLES)),
  how: fc.constantFrom('REFRESHED', 'REFRESH_FAILS', 'REFRESH_FAILS', 'WRITE_FAILS', 'CLEARED' as const),
})

test('whatever a failed refresh or write has left, the next refresh shows what is stored', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      await index.clear()
      const titles = new Map<string, string>()
      for (const [at, { id, title, how }] of steps.entries()) {
        const write = title === null ? removalOf(id, at + 1) : offerOf(id, title, at + 1)
        if (how === 'WRITE_FAILS') {
          await expect(index.write([write, offerOf(REFUSED, 'lamp', 1)])).rejects.toThrow('refused')
        } else {
          if (how === 'REFRESH_FAILS') for (const trigger of UNREADABLE) db.exec(trigger)
          if (how === 'CLEARED') {
            await index.clear()
            titles.clear()
          }
          await index.write([write])
          if (title === null) titles.delete(id)
          else titles.set(id, title)
        }
        if (how === 'REFRESH_FAILS') {
          if (title !== null) await expect(index.refresh()).rejects.toThrow('JSON')
          db.exec(READABLE)
        }
        await index.refresh()
        expect(await found()).toEqual(expected(titles))
      }
    }),
    { numRuns: tries(30, 300) },
  )
})
