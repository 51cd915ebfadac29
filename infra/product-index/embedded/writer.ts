import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isUnspaced } from '../../../services/domain/catalogue/segments.ts'
import { textFields } from '../document.ts'
import { type DocumentChanges, type IndexRows, type OfferRow, offerRow, type SignalsRow, type Words } from './rows.ts'

const wordFields = [...textFields, 'facets'] as const

export const databaseFile = (folder: string) => join(folder, 'products.db')

/**
 * To be raised when the terms of texts change, with `hasNewTerms`. Its number is the file's `user_version`.
 * 1: words of scripts without spaces are cut by dictionaries, and keep their marks.
 */
const TERMS_FORMAT = 1
/** Whether the terms of an offer are others in this format than in the one before. */
const hasNewTerms = isUnspaced
const DOCUMENTS_RENEWED_AT_ONCE = 500

/** Words of more changes, about 4 KB each, are not reported; the search thread then drops all its lists. */
const CHANGED_WORDS_MAX = 2_000

/** A document's words before and after a change; null: no offer then. */
export interface ChangedWords {
  doc: number
  before: Words | null
  after: Words | null
}

/** Which state of the index: two that are equal are of the same content. */
export interface IndexState {
  /** Number of write batches since the file was created. */
  changed: number
  /** Number of calls of `clear` since the start. */
  epoch: number
}

/** What changed since the search thread last asked, and the state that this led to. */
export interface Touched extends IndexState {
  /** Ascending by document; null: the words of any document may have changed. */
  words: ChangedWords[] | null
}

/** With 64 MB, which the process kept ever after, 100,000 offers took as long. */
const PAGE_CACHE_KIB = 8_192

/** The only writer of the index of a folder. Each call is one transaction and blocks the thread. */
export function openIndexWriter({ folder }: { folder: string }) {
  mkdirSync(folder, { recursive: true })
  const db = new DatabaseSync(databaseFile(folder))
  // FULL: a batch must be on disk when `write` returns, because its caller then commits its offsets.
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -${PAGE_CACHE_KIB}`)
  db.exec(readFileSync(new URL('./schema.sql', import.meta.url), 'utf8'))
  const sql = prepare(db)
  let changed = (sql.lastChange.get() as { changed: number }).changed
  let epoch = 0
  /** Whether the last document was new. The next is then assumed to be, and is not looked for first. */
  let allNew = true
  /** Since the search thread last asked; null: they are too many to report, or were before. */
  let touched: Map<number, ChangedWords> | null = new Map()
  let touches = 0

  function touch(change: ChangedWords) {
    if (++touches > CHANGED_WORDS_MAX) touched = null
    const earlier = touched?.get(change.doc)
    touched?.set(change.doc, earlier ? { ...change, before: earlier.before } : change)
  }

  function addWords(doc: number, words: Words) {
    sql.addTexts.run(doc, ...textFields.map((field) => words[field]))
    sql.addFacets.run(doc, words.facets)
  }

  /** Null removes the offer. A change of other fields, such as the price, leaves the full-text tables alone. */
  function changeWords(doc: number, after: Words | null) {
    const before = (sql.words.get(doc) as Words | undefined) ?? null
    if (wordFields.every((field) => before?.[field] === after?.[field])) return
    if (before) {
      sql.dropTexts.run(doc)
      sql.dropFacets.run(doc)
    }
    if (after) addWords(doc, after)
    touch({ doc, before, after })
  }

  /** @returns how many of the changes were newer than what is stored. */
  function changeDocument(changes: DocumentChanges): number {
    const { shopId, feedId, id } = changes
    const created = allNew ? createDocument(changes) : null
    if (created !== null) return created
    const known = sql.find.get(shopId, feedId, id) as (PartVersions & { doc: number }) | undefined
    allNew = known === undefined
    return known ? updateDocument(known.doc, changedParts(changes, known)) : createDocument(changes)!
  }

  /** @returns as `changeDocument`; null when the document is there already. */
  function createDocument(changes: DocumentChanges): number | null {
    const { shopId, feedId, id } = changes
    const { offer = null, campaigns = NO_CAMPAIGNS, ...parts } = changedParts(changes, NO_PARTS)
    const columns = [...offerColumns(offer), campaigns, changed] as const
    const row = sql.create.run(shopId, feedId, id, parts.offerVersion, parts.promotionsVersion, ...columns)
    if (row.changes === 0) return null
    if (offer) {
      const doc = Number(row.lastInsertRowid)
      addWords(doc, offer.words)
      touch({ doc, before: null, after: offer.words })
    }
    return parts.applied
  }

  function updateDocument(doc: number, parts: ChangedParts): number {
    const { offerVersion, promotionsVersion, offer, campaigns, applied } = parts
    if (offer !== undefined) {
      changeWords(doc, offer?.words ?? null)
      sql.offer.run(offerVersion, ...offerColumns(offer), changed, doc)
    }
    if (campaigns !== undefined) sql.promotions.run(promotionsVersion, campaigns, changed, doc)
    return applied
  }

  /** @returns whether they are newer than what is stored. */
  function changeSignals({ shopId, id, version, popularity, signals }: SignalsRow): boolean {
    const { changes } = sql.signals.run(shopId, id, version, popularity, signals)
    if (changes > 0) sql.touchProduct.run(changed, shopId, id)
    return changes > 0
  }

  /** Makes the terms of stored offers anew when a version with other terms stored them. A killed renewal begins again. */
  function renewTerms(): void {
    const { user_version: format } = sql.format.get() as { user_version: number }
    if (format === TERMS_FORMAT) return
    for (let after = 0; ; ) {
      const page = sql.stored.all(after, DOCUMENTS_RENEWED_AT_ONCE) as unknown as StoredOffer[]
      if (page.length === 0) break
      inTransaction(() => {
        for (const { doc, offer, details, offerVersion, promotionsVersion } of page) {
          if (!hasNewTerms(offer) && !hasNewTerms(details)) continue
          // The language of the feed is not stored: an offer that names none is taken as English until its feed changes it.
          const row = offerRow({ ...JSON.parse(offer), productDetails: JSON.parse(details) }, null)
          updateDocument(doc, { offerVersion, promotionsVersion, offer: row, applied: 0 })
        }
      })
      after = page.at(-1)!.doc
    }
    db.exec(`PRAGMA user_version = ${TERMS_FORMAT}`)
    touched = null
  }

  function inTransaction<T>(work: () => T): T {
    db.exec('BEGIN IMMEDIATE')
    try {
      changed++
      const result = work()
      db.exec('COMMIT')
      return result
    } catch (error) {
      db.exec('ROLLBACK')
      throw error
    }
  }

  renewTerms()
  return {
    /** @returns how many writes were newer than what is stored. */
    write({ documents, signals }: IndexRows): number {
      return inTransaction(() => {
        let applied = 0
        for (const document of documents) applied += changeDocument(document)
        for (const row of signals) if (changeSignals(row)) applied++
        return applied
      })
    },
    state: (): IndexState => ({ changed, epoch }),
    touched(): Touched {
      const words = touched && [...touched.values()].sort((a, b) => a.doc - b.doc)
      // While a feed is stored, changes are many each time: then words are not kept only to be dropped.
      touched = touches > CHANGED_WORDS_MAX ? null : new Map()
      touches = 0
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

interface StoredOffer extends PartVersions {
  doc: number
  /** JSON, as is the next. */
  offer: string
  details: string
}

const NO_CAMPAIGNS = '[]'

const offerColumns = (row: OfferRow | null) =>
  [row?.offer ?? null, row?.details ?? null, row?.productId ?? null, row?.digest ?? null, row?.summary ?? null] as const

interface PartVersions {
  offerVersion: number
  promotionsVersion: number
}

/** The parts of a document that change, with the versions of both. */
interface ChangedParts extends PartVersions {
  offer?: OfferRow | null
  campaigns?: string
  /** How many changes were newer than the part as it was then. */
  applied: number
}

const NO_PARTS: PartVersions = { offerVersion: 0, promotionsVersion: 0 }

function changedParts({ parts }: DocumentChanges, { offerVersion, promotionsVersion }: PartVersions): ChangedParts {
  const next: ChangedParts = { offerVersion, promotionsVersion, applied: 0 }
  for (const part of parts) {
    const versionOf = 'offer' in part ? 'offerVersion' : 'promotionsVersion'
    if (part.version <= next[versionOf]) continue
    next[versionOf] = part.version
    if ('offer' in part) next.offer = part.offer
    else next.campaigns = part.campaigns
    next.applied++
  }
  return next
}

function prepare(db: DatabaseSync) {
  return {
    lastChange: db.prepare('SELECT coalesce(max(changed), 0) AS changed FROM documents'),
    format: db.prepare('PRAGMA user_version'),
    stored: db.prepare(
      `SELECT doc, offer, details, offerVersion, promotionsVersion FROM documents
       WHERE doc > ? AND offer IS NOT NULL ORDER BY doc LIMIT ?`,
    ),
    find: db.prepare(
      'SELECT doc, offerVersion, promotionsVersion FROM documents WHERE shopId = ? AND feedId = ? AND id = ?',
    ),
    create: db.prepare(
      `INSERT INTO documents (shopId, feedId, id, offerVersion, promotionsVersion, offer, details, productId, digest, summary,
         campaigns, changed)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (shopId, feedId, id) DO NOTHING`,
    ),
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
