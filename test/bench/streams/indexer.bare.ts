import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from '@elastic/elasticsearch'
import { textFields } from '../../../infra/product-index/document.ts'
import { documentKey } from '../../../infra/product-index/elasticsearch/document.ts'
import { productsIndex } from '../../../infra/product-index/elasticsearch/mapping.ts'
import { changed, notHeld } from '../../../infra/product-index/elasticsearch/write/changes.ts'
import { type OfferRow, rowsOf } from '../../../infra/product-index/embedded/rows.ts'
import { createSellerCounts } from '../../../infra/product-index/embedded/seller-counts.ts'
import type { OfferWrites } from '../../infra/product-index/offer.fixture.ts'

/** Stores prepared documents with the bare client, in requests or transactions of many offers each. */
export interface BareIndex {
  /** @returns a function that stores the bulk, so that only storing is timed. */
  prepare(offers: readonly OfferWrites[]): () => Promise<void>
  close(): Promise<void>
}

const OFFERS_PER_BULK = 500

function* bulksOf<T>(values: readonly T[]): Iterable<T[]> {
  for (let from = 0; from < values.length; from += OFFERS_PER_BULK) yield values.slice(from, from + OFFERS_PER_BULK)
}

/** Stores the documents of the Elasticsearch index by `_bulk`. */
export async function bareElasticsearch(url: string, index: string): Promise<BareIndex> {
  const client = new Client({ node: url })
  const { format: _, ...shape } = productsIndex({ shards: 1, replicas: 0, perShop: 0 })
  await client.indices.create({ index, ...shape })
  return {
    prepare(offers) {
      const bulks = [...bulksOf(offers)].map((bulk) =>
        bulk.flatMap((writes) => {
          const { shopId: shop, feedId: feed, id } = writes[0].offer
          const key = documentKey(shop, feed, id)
          const change = { key, shop, feed, id, writes, signals: null, whole: false }
          const made = changed(change, notHeld(change), Date.now())
          return made.kind === 'CHANGED' ? [{ index: { _id: key } }, made.document] : []
        }),
      )
      return async () => {
        for (const operations of bulks) await client.bulk({ index, operations })
      }
    },
    close: () => client.close(),
  }
}

/** Stores the rows of the embedded index by prepared statements, in the same tables. */
export async function bareSqlite(folder: string): Promise<BareIndex> {
  mkdirSync(folder)
  const db = new DatabaseSync(join(folder, 'bare.db'))
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536')
  db.exec(readFileSync(new URL('../../../infra/product-index/embedded/schema.sql', import.meta.url), 'utf8'))
  const documents = db.prepare(
    `INSERT INTO documents (shopId, feedId, id, offerVersion, promotedVersion, registryVersion, offer, details, productId, digest,
       summary, campaigns, changed) VALUES (?, ?, ?, 1, 1, 1, ?, ?, ?, ?, ?, ?, 1)`,
  )
  const texts = db.prepare(`INSERT INTO texts (rowid, ${textFields.join(', ')}) VALUES (?, ?, ?, ?, ?, ?)`)
  const facets = db.prepare('INSERT INTO facets (rowid, tokens) VALUES (?, ?)')
  const sellers = createSellerCounts(db)
  return {
    prepare(offers) {
      const bulks = [...bulksOf(offers)].map((bulk) => rowsOf(bulk.flat()).documents)
      return async () => {
        for (const bulk of bulks) {
          db.exec('BEGIN')
          for (const { shopId, feedId, id, parts } of bulk) {
            const [row, campaigns] = [
              (parts[0] as { offer: OfferRow }).offer,
              (parts[1] as { campaigns: string }).campaigns,
            ]
            const { offer, details, productId, sellerId, digest, summary, words } = row
            const stored = [offer, details, productId, digest, summary, campaigns]
            const { lastInsertRowid: doc } = documents.run(shopId, feedId, id, ...stored)
            texts.run(doc, ...textFields.map((field) => words[field]))
            facets.run(doc, words.facets)
            sellers.add(shopId, sellerId, 1)
          }
          sellers.store()
          db.exec('COMMIT')
        }
      }
    },
    close: async () => db.close(),
  }
}
