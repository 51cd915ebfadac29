import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rowsOf } from '../../../../infra/product-index/embedded/rows.ts'
import { databaseFile, openIndexWriter } from '../../../../infra/product-index/embedded/writer.ts'
import { anOffer } from '../offer.fixture.ts'

const OFFERS = 100

let folder: string
let writer: ReturnType<typeof openIndexWriter>
let db: DatabaseSync
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'index-writer-'))
  writer = openIndexWriter({ folder })
  db = new DatabaseSync(databaseFile(folder), { readOnly: true })
})
afterAll(() => {
  db.close()
  writer.close()
  rmSync(folder, { recursive: true })
})

const offers = (version: number, title: string) =>
  Array.from({ length: OFFERS }, (_, at) => {
    const offer = anOffer({ id: `p${at}`, title: `${title} ${at}`, externalSellerId: `${title}-${at % 3}` })
    return { kind: 'offer', version, offer } as const
  })

function segments(table: 'texts' | 'facets'): number {
  const { count } = db.prepare(`SELECT count(DISTINCT segid) AS count FROM ${table}_idx`).get() as { count: number }
  return count
}

test('each batch, of new offers and of changed ones, adds one segment to the full-text tables', () => {
  expect(writer.write(rowsOf(offers(1, 'lamp')))).toBe(OFFERS)
  expect([segments('texts'), segments('facets')]).toEqual([1, 1])
  expect(writer.write(rowsOf(offers(2, 'chair')))).toBe(OFFERS)
  expect([segments('texts'), segments('facets')]).toEqual([2, 2])
})

test('a batch that fails changes no count of offers by seller', () => {
  const counts = () => db.prepare('SELECT sellerId, offers FROM sellers ORDER BY sellerId').all()
  const before = counts()
  const rows = rowsOf(offers(3, 'table'))
  const [, second] = rows.documents
  second!.id = null as never
  expect(() => writer.write(rows)).toThrow('NOT NULL')
  expect(writer.write(rowsOf([{ kind: 'remove', version: 4, shopId: 'nowhere', feedId: 'f', id: 'p' }]))).toBe(1)
  expect(counts()).toEqual(before)
})
