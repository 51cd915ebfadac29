import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type DocumentTexts, documentFacets, documentTexts, textFields } from '../document.ts'
import type { IndexWrite } from '../port.ts'
import { summarize } from './search/columns.ts'

const wordFields = [...textFields, 'facets'] as const

export const databaseFile = (folder: string) => join(folder, 'products.db')

/** Words of more changed documents, about 4 KB each, are not reported; the search thread then drops all its lists. */
const CHANGED_WORDS_MAX = 2_000

/** The terms of a document's texts and its facets, each joined by spaces. */
export type Words = DocumentTexts & { facets: string }

/** A document's words before and after a change; null: no offer then. */
export interface ChangedWords {
  doc: number
  before: Words | null
  after: Words | null
}

/** What changed since the search thread last asked. */
export interface Touched {
  /** Number of write batches since the file was created. */
  changed: number
  /** Number of calls of `clear` since the start. */
  epoch: number
  /** Ascending by document; null: the words of any document may have changed. */
  words: ChangedWords[] | null
}

/** The only writer of the index of a folder. Each call is one transaction and blocks the thread. */
export function openIndexWriter({ folder }: { folder: string }) {
  mkdirSync(folder, { recursive: true })
  const db = new DatabaseSync(databaseFile(folder))
  // FULL: a batch must be on disk when `write` returns, because its caller then commits its offsets.
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536')
  db.exec(readFileSync(new URL('./schema.sql', import.meta.url), 'utf8'))
  const sql = prepare(db)
  let changed = (sql.lastChange.get() as { changed: number }).changed
  let epoch = 0
  let touched: Map<number, ChangedWords> | null = new Map()

  function documentOf(shopId: string, feedId: string, id: string): DocumentVersions {
    const known = sql.find.get(shopId, feedId, id) as DocumentVersions | undefined
    if (known) return known
    const { lastInsertRowid } = sql.create.run(shopId, feedId, id, changed)
    return { doc: Number(lastInsertRowid), offerVersion: 0, promotionsVersion: 0 }
  }

  function touch(change: ChangedWords) {
    const earlier = touched?.get(change.doc)
    touched?.set(change.doc, earlier ? { ...change, before: earlier.before } : change)
    if (touched && touched.size > CHANGED_WORDS_MAX) touched = null
  }

  /** Null removes the offer. A change of other fields, such as the price, leaves the full-text tables alone. */
  function indexWords(doc: number, after: Words | null) {
    const before = (sql.words.get(doc) as Words | undefined) ?? null
    if (wordFields.every((field) => before?.[field] === after?.[field])) return
    if (before) {
      sql.dropTexts.run(doc)
      sql.dropFacets.run(doc)
    }
    if (after) {
      sql.addTexts.run(doc, ...textFields.map((field) => after[field]))
      sql.addFacets.run(doc, after.facets)
    }
    touch({ doc, before, after })
  }

  /** @returns whether the write was newer than what is stored. */
  function apply(write: IndexWrite): boolean {
    if (write.kind === 'signals') {
      const { shopId, id, popularity } = write.signals
      const { changes } = sql.signals.run(shopId, id, write.version, popularity, JSON.stringify(write.signals))
      if (changes > 0) sql.touchProduct.run(changed, shopId, id)
      return changes > 0
    }
    const { shopId, feedId, id } = write.kind === 'offer' ? write.offer : write
    const { doc, offerVersion, promotionsVersion } = documentOf(shopId, feedId, id)
    if (write.kind === 'promotions') {
      if (write.version <= promotionsVersion) return false
      sql.promotions.run(write.version, JSON.stringify(write.campaignIds), changed, doc)
      return true
    }
    if (write.version <= offerVersion) return false
    if (write.kind === 'remove') {
      indexWords(doc, null)
      sql.offer.run(write.version, null, null, null, null, null, changed, doc)
      return true
    }
    const texts = documentTexts(write.offer, write.textLang ?? null)
    indexWords(doc, { ...texts, facets: documentFacets(write.offer).join(' ') })
    const summary = JSON.stringify(summarize(write.offer, texts))
    const { productDetails, ...offer } = write.offer
    const details = JSON.stringify(productDetails)
    sql.offer.run(write.version, JSON.stringify(offer), details, offer.productId, offer.digest, summary, changed, doc)
    return true
  }

  return {
    write(writes: readonly IndexWrite[]): number {
      db.exec('BEGIN IMMEDIATE')
      try {
        changed++
        let applied = 0
        for (const write of writes) if (apply(write)) applied++
        db.exec('COMMIT')
        return applied
      } catch (error) {
        db.exec('ROLLBACK')
        throw error
      }
    },
    touched(): Touched {
      const words = touched && [...touched.values()].sort((a, b) => a.doc - b.doc)
      touched = new Map()
      return { changed, epoch, words }
    },
    clear(): void {
      db.exec(
        'BEGIN; DELETE FROM documents; DELETE FROM sellers; DELETE FROM signals; DELETE FROM texts; DELETE FROM facets; COMMIT',
      )
      epoch++
      touched = null
    },
    close(): void {
      db.close()
    },
  }
}

interface DocumentVersions {
  doc: number
  offerVersion: number
  promotionsVersion: number
}

function prepare(db: DatabaseSync) {
  return {
    lastChange: db.prepare('SELECT coalesce(max(changed), 0) AS changed FROM documents'),
    find: db.prepare(
      'SELECT doc, offerVersion, promotionsVersion FROM documents WHERE shopId = ? AND feedId = ? AND id = ?',
    ),
    create: db.prepare('INSERT INTO documents (shopId, feedId, id, changed) VALUES (?, ?, ?, ?)'),
    offer: db.prepare(
      `UPDATE documents SET offerVersion = ?, offer = ?, details = ?, productId = ?, digest = ?, summary = ?, changed = ?
       WHERE doc = ?`,
    ),
    promotions: db.prepare('UPDATE documents SET promotionsVersion = ?, campaigns = ?, changed = ? WHERE doc = ?'),
    signals: db.prepare(
      `INSERT INTO signals (shopId, id, version, popularity, signals) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET version = excluded.version, popularity = excluded.popularity, signals = excluded.signals
       WHERE excluded.version > signals.version`,
    ),
    touchProduct: db.prepare('UPDATE documents SET changed = ? WHERE shopId = ? AND id = ?'),
    words: db.prepare(
      `SELECT title, brand, categories, attributes, description, tokens AS facets
       FROM texts JOIN facets ON facets.rowid = texts.rowid WHERE texts.rowid = ?`,
    ),
    dropTexts: db.prepare('DELETE FROM texts WHERE rowid = ?'),
    addTexts: db.prepare(
      'INSERT INTO texts (rowid, title, brand, categories, attributes, description) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    dropFacets: db.prepare('DELETE FROM facets WHERE rowid = ?'),
    addFacets: db.prepare('INSERT INTO facets (rowid, tokens) VALUES (?, ?)'),
  }
}
