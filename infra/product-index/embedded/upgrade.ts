import type { DatabaseSync } from 'node:sqlite'
import { isUnspaced } from '../../../services/domain/catalogue/segments.ts'
import type { FullText } from './full-text.ts'
import { type OfferRow, offerRow, type Words } from './rows.ts'

/**
 * The format of a file, which is its `user_version`. To be raised when the terms of texts change, with `hasNewTerms`.
 * 1: words of scripts without spaces are cut by dictionaries, and keep their marks.
 * 2: the full-text tables hold tokens, each of one shop.
 */
const FORMAT = 2
/** Whether the terms of an offer are others since format 1. */
const hasNewTerms = isUnspaced
const DOCUMENTS_AT_ONCE = 500

/** Before the tables of the present format are made: renames the full-text tables of an earlier one, and adds the columns that it lacks. */
export function beginUpgrade(db: DatabaseSync): void {
  if (hasTable(db, 'documents') && !hasColumn(db, 'documents', 'promotedVersion')) {
    // As if no list of campaigns had come: those of earlier versions were numbered otherwise.
    for (const column of ['promotedVersion', 'registryVersion']) {
      db.exec(`ALTER TABLE documents ADD COLUMN ${column} INTEGER NOT NULL DEFAULT 0`)
    }
  }
  if (formatOf(db) >= FORMAT || !hasTable(db, 'texts') || hasTable(db, 'texts_before')) return
  db.exec('BEGIN; ALTER TABLE texts RENAME TO texts_before; ALTER TABLE facets RENAME TO facets_before; COMMIT')
}

export interface Upgrade {
  db: DatabaseSync
  fullText: FullText
  inTransaction(work: () => void): void
  /** Stores what an offer is in the present format. */
  renew(stored: StoredOffer, offer: OfferRow): void
}

export interface StoredOffer {
  doc: number
  shopId: string
  /** JSON, as is the next. */
  offer: string
  details: string
  offerVersion: number
}

/** Brings what a file holds to the present format. One that is killed goes on at the next start. */
export function upgradeFile({ db, fullText, inTransaction, renew }: Upgrade): void {
  const format = formatOf(db)
  if (format === FORMAT) return
  // Also those that have no offer any more, of which no words are copied.
  db.exec('INSERT OR IGNORE INTO shops (shopId) SELECT DISTINCT shopId FROM documents')
  if (hasTable(db, 'texts_before')) copyTexts(db, fullText, inTransaction)
  if (format < 1) renewTerms(db, inTransaction, renew)
  db.exec(
    `BEGIN; DROP TABLE IF EXISTS texts_before; DROP TABLE IF EXISTS facets_before; PRAGMA user_version = ${FORMAT}; COMMIT`,
  )
}

function copyTexts(db: DatabaseSync, fullText: FullText, inTransaction: Upgrade['inTransaction']): void {
  const last = db.prepare('SELECT rowid FROM texts ORDER BY rowid DESC LIMIT 1')
  const next = db.prepare(
    `SELECT doc, shopId, title, brand, categories, attributes, description, tokens AS facets
     FROM texts_before t JOIN facets_before f ON f.rowid = t.rowid JOIN documents ON doc = t.rowid
     WHERE t.rowid > ? ORDER BY t.rowid LIMIT ?`,
  )
  let after = (last.get() as { rowid: number } | undefined)?.rowid ?? 0
  for (;;) {
    const page = next.all(after, DOCUMENTS_AT_ONCE) as unknown as (Words & { doc: number; shopId: string })[]
    if (page.length === 0) return
    inTransaction(() => {
      for (const { doc, shopId, ...words } of page) fullText.add(doc, shopId, words)
    })
    after = page.at(-1)!.doc
  }
}

/** Makes the terms of stored offers anew when a version with other terms stored them. */
function renewTerms(db: DatabaseSync, inTransaction: Upgrade['inTransaction'], renew: Upgrade['renew']): void {
  const next = db.prepare(
    `SELECT doc, shopId, offer, details, offerVersion FROM documents
     WHERE doc > ? AND offer IS NOT NULL ORDER BY doc LIMIT ?`,
  )
  for (let after = 0; ; ) {
    const page = next.all(after, DOCUMENTS_AT_ONCE) as unknown as StoredOffer[]
    if (page.length === 0) return
    inTransaction(() => {
      for (const stored of page) {
        const { offer, details } = stored
        if (!hasNewTerms(offer) && !hasNewTerms(details)) continue
        // The language of the feed is not stored: an offer that names none is taken as English until its feed changes it.
        renew(stored, offerRow({ ...JSON.parse(offer), productDetails: JSON.parse(details) }, null))
      }
    })
    after = page.at(-1)!.doc
  }
}

function formatOf(db: DatabaseSync): number {
  return (db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version
}

function hasColumn(db: DatabaseSync, table: string, name: string): boolean {
  return db.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?').get(table, name) !== undefined
}

function hasTable(db: DatabaseSync, name: string): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined
}
