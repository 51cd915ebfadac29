import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { notWritten } from '../../engine-unavailable.ts'
import { NO_PARTS, type PartVersions, takePromotions } from '../part-versions.ts'
import { IndexUnavailable } from '../port.ts'
import { type ChangedTokens, FullText } from './full-text.ts'
import type { DocumentChanges, IndexRows, OfferRow, SignalsRow } from './rows.ts'
import { createSellerCounts } from './seller-counts.ts'
import { beginUpgrade, upgradeFile } from './upgrade.ts'

export const databaseFile = (folder: string) => join(folder, 'products.db')

/** Above this many changes, their tokens (about 4 KB each) are not reported, and the search thread drops all its posting lists. */
const CHANGES_REPORTED_MAX = 2_000

/** Identifies a state of the index: equal states have the same content. */
export interface IndexState {
  /** Number of write batches since the file was created. */
  changed: number
  /** Number of calls of `clear` since the start. */
  epoch: number
}

export const sameState = (a: IndexState, b: IndexState) => a.changed === b.changed && a.epoch === b.epoch

/** The changes since the state that the search thread has seen, and the state after them. */
export interface Touched extends IndexState {
  /** In ascending order of documents, one entry per document. Null when the tokens of any document may have changed. */
  tokens: ChangedTokens[] | null
}

/** A cache of 64 MB stores 100,000 offers no faster, and the process never frees it. */
const PAGE_CACHE_KIB = 8_192

/** The only writer of the index of a folder. Each call is one transaction and blocks the thread. */
export function openIndexWriter({ folder }: { folder: string }) {
  mkdirSync(folder, { recursive: true })
  const db = new DatabaseSync(databaseFile(folder))
  // FULL: a batch must be on disk when `write` returns, because its caller then commits its offsets.
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -${PAGE_CACHE_KIB}`)
  beginUpgrade(db)
  db.exec(readFileSync(new URL('./schema.sql', import.meta.url), 'utf8'))
  const sql = prepare(db)
  const fullText = new FullText(db)
  const sellers = createSellerCounts(db)
  let changed = (sql.lastChange.get() as { changed: number }).changed
  let epoch = 0
  /** Whether the last document was new. The next is then assumed to be new, too, and inserted without a lookup. */
  let allNew = true
  /** The state that was reported last. */
  let reported: IndexState = { changed, epoch }
  /** By rowid, the changes since `reported`. Null while they are not collected: now or before there were too many, or one was undone. */
  let touched: Map<number, ChangedTokens> | null = new Map()
  let touches = 0

  function touch(change: ChangedTokens) {
    if (++touches > CHANGES_REPORTED_MAX) touched = null
    const earlier = touched?.get(change.rowid)
    touched?.set(change.rowid, earlier ? { ...change, before: earlier.before } : change)
  }

  function changeSeller(doc: number, shopId: string, after: string | null) {
    const { sellerId: before } = sql.seller.get(doc) as { sellerId: string | null }
    if (before === after) return
    sellers.add(shopId, before, -1)
    sellers.add(shopId, after, 1)
  }

  /** @returns how many of the changes were newer than what is stored. */
  function changeDocument(changes: DocumentChanges): number {
    const { shopId, feedId, id } = changes
    const created = allNew ? createDocument(changes) : null
    if (created !== null) return created
    const known = sql.find.get(shopId, feedId, id) as (PartVersions & { doc: number }) | undefined
    allNew = known === undefined
    return known ? updateDocument(known.doc, shopId, changedParts(changes, known)) : createDocument(changes)!
  }

  /** @returns as `changeDocument`; null when the document exists already. */
  function createDocument(changes: DocumentChanges): number | null {
    const { shopId, feedId, id } = changes
    const { offer = null, campaigns = NO_CAMPAIGNS, ...parts } = changedParts(changes, NO_PARTS)
    const { offerVersion, promotedVersion, registryVersion } = parts
    const versions = [offerVersion, promotedVersion, registryVersion] as const
    const columns = [...offerColumns(offer), campaigns, changed] as const
    // A document without an offer needs its shop's number, too: the search thread reads the document and looks the number up.
    fullText.shopNumber(shopId)
    const row = sql.create.run(shopId, feedId, id, ...versions, ...columns)
    if (row.changes === 0) return null
    if (offer) {
      sellers.add(shopId, offer.sellerId, 1)
      touch(fullText.add(Number(row.lastInsertRowid), shopId, offer.words))
    }
    return parts.applied
  }

  function updateDocument(doc: number, shopId: string, parts: ChangedParts): number {
    const { offerVersion, promotedVersion, registryVersion, offer, campaigns, applied } = parts
    if (offer !== undefined) {
      const change = fullText.replace(doc, shopId, offer?.words ?? null)
      if (change) touch(change)
      changeSeller(doc, shopId, offer?.sellerId ?? null)
      sql.offer.run(offerVersion, ...offerColumns(offer), changed, doc)
    }
    if (campaigns !== undefined) sql.promotions.run(promotedVersion, registryVersion, campaigns, changed, doc)
    return applied
  }

  /** @returns whether the signals are newer than the stored ones. */
  function changeSignals({ shopId, id, version, popularity, signals }: SignalsRow): boolean {
    const { changes } = sql.signals.run(shopId, id, version, popularity, signals)
    if (changes > 0) sql.touchProduct.run(changed, shopId, id)
    return changes > 0
  }

  function inTransaction<T>(work: () => T): T {
    db.exec('BEGIN IMMEDIATE')
    try {
      changed++
      const result = work()
      fullText.storeCounts()
      sellers.store()
      db.exec('COMMIT')
      return result
    } catch (error) {
      // After some errors, such as a full disk, SQLite has already rolled back.
      if (db.isTransaction) db.exec('ROLLBACK')
      fullText.forget()
      sellers.forget()
      // `touched` may list changes that were rolled back.
      touched = null
      throw notWritten(error as Error, 'The product index', IndexUnavailable)
    }
  }

  upgradeFile({
    ...{ db, fullText, inTransaction },
    renew: ({ doc, shopId, offerVersion }, offer) =>
      updateDocument(doc, shopId, { ...NO_PARTS, offerVersion, offer, applied: 0 }),
  })
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
    /** @param seen when it is not the state reported last, the search thread has missed a report, and `tokens` is null. */
    touched(seen: IndexState): Touched {
      const listed = touches === 0 ? [] : touched?.values()
      const tokens = sameState(seen, reported) && listed ? [...listed].sort((a, b) => a.rowid - b.rowid) : null
      // While a feed is being stored, every report has too many changes, so their tokens are not collected in the first place.
      touched = touches > CHANGES_REPORTED_MAX ? null : new Map()
      touches = 0
      reported = { changed, epoch }
      return { ...reported, tokens }
    },
    clear(): void {
      inTransaction(() => {
        for (const table of TABLES) db.exec(`DELETE FROM ${table}`)
      })
      fullText.forget()
      epoch++
      touched = null
      touches = Number.POSITIVE_INFINITY
    },
    close(): void {
      db.close()
    },
  }
}

const TABLES = ['documents', 'sellers', 'signals', 'texts', 'facets', 'terms', 'shops']
const NO_CAMPAIGNS = '[]'

const offerColumns = (row: OfferRow | null) =>
  [row?.offer ?? null, row?.details ?? null, row?.productId ?? null, row?.digest ?? null, row?.summary ?? null] as const

/** The changed parts of a document, and the versions of all its parts after the change. */
interface ChangedParts extends PartVersions {
  offer?: OfferRow | null
  campaigns?: string
  /** How many changes were newer than their part at that point. */
  applied: number
}

function changedParts({ parts }: DocumentChanges, { offerVersion, promotedVersion, registryVersion }: PartVersions) {
  const next: ChangedParts = { offerVersion, promotedVersion, registryVersion, applied: 0 }
  for (const part of parts) {
    if ('offer' in part) {
      if (part.version <= next.offerVersion) continue
      next.offerVersion = part.version
      next.offer = part.offer
    } else {
      if (!takePromotions(part, next)) continue
      next.campaigns = part.campaigns
    }
    next.applied++
  }
  return next
}

function prepare(db: DatabaseSync) {
  return {
    lastChange: db.prepare('SELECT coalesce(max(changed), 0) AS changed FROM documents'),
    find: db.prepare(
      `SELECT doc, offerVersion, promotedVersion, registryVersion FROM documents
       WHERE shopId = ? AND feedId = ? AND id = ?`,
    ),
    create: db.prepare(
      `INSERT INTO documents (shopId, feedId, id, offerVersion, promotedVersion, registryVersion, offer, details, productId, digest,
         summary, campaigns, changed)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (shopId, feedId, id) DO NOTHING`,
    ),
    offer: db.prepare(
      `UPDATE documents SET offerVersion = ?, offer = ?, details = ?, productId = ?, digest = ?, summary = ?, changed = ?
       WHERE doc = ?`,
    ),
    promotions: db.prepare(
      'UPDATE documents SET promotedVersion = ?, registryVersion = ?, campaigns = ?, changed = ? WHERE doc = ?',
    ),
    signals: db.prepare(
      `INSERT INTO signals (shopId, id, version, popularity, signals) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET version = excluded.version, popularity = excluded.popularity, signals = excluded.signals
       WHERE excluded.version > signals.version`,
    ),
    touchProduct: db.prepare('UPDATE documents SET changed = ? WHERE shopId = ? AND id = ?'),
    seller: db.prepare("SELECT offer ->> 'externalSellerId' AS sellerId FROM documents WHERE doc = ?"),
  }
}
