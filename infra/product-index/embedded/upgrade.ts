import type { DatabaseSync } from 'node:sqlite'
import { isUnspaced } from '../../../services/domain/catalogue/segments.ts'
import { OperatorError } from '../../../services/domain/errors.ts'
import type { FullText } from './full-text.ts'
import { type OfferRow, offerRow, type Words } from './rows.ts'

/**
 * The format of a file, stored as its `user_version`. Raise it, and adapt `hasNewTerms`, when the terms of texts change.
 * 1: words of scripts without spaces are cut by dictionaries, and keep their marks.
 * 2: the full-text tables hold tokens, each of which belongs to one shop.
 */
const FORMAT = 2
/** Whether format 1 changed the terms of a text. */
const hasNewTerms = isUnspaced
const DOCUMENTS_AT_ONCE = 500

/**
 * The first part of an upgrade, before the tables of the current format are created: adds missing columns, and renames the
 * full-text tables of an earlier format.
 * @throws OperatorError for a file of a later format, which is left as it is.
 */
export function beginUpgrade(db: DatabaseSync): void {
  if (formatOf(db) > FORMAT) {
    throw new OperatorError(
      `DATA_DIR: a later version of the program has changed ${db.location()}. Start that version, or delete every file whose name begins so and run make rebuild`,
    )
  }
  if (hasTable(db, 'documents') && !hasColumn(db, 'documents', 'promotedVersion')) {
    // 0, as if no list of campaigns had been written yet, because earlier versions of the program numbered the lists differently.
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
  /** Stores an offer again in the current format. */
  renew(stored: StoredOffer, offer: OfferRow): void
}

export interface StoredOffer {
  doc: number
  shopId: string
  /** JSON without the product details. */
  offer: string
  /** JSON of the product details. */
  details: string
  offerVersion: number
}

/** Converts the content of a file to the current format. An upgrade that was killed continues at the next start. */
export function upgradeFile({ db, fullText, inTransaction, renew }: Upgrade): void {
  const format = formatOf(db)
  if (format === FORMAT) return
  // This includes shops that have documents but no offers left: `copyTexts` gives them no number.
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

/** Computes the terms again for stored offers whose terms have changed since they were stored. */
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
        // The feed's language is not stored. An offer that names none is treated as English until its feed changes it.
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
