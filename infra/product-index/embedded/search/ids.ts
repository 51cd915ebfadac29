import type { DatabaseSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import type { Lifts } from '../../port.ts'
import type { Columns } from './columns.ts'
import { type Docs, union } from './sorted-sets.ts'

const CACHE_BYTES_MAX = 4 * 1024 * 1024
const ENTRY_BYTES = 200

/** The statements that all shops share, and their cached results. */
export function prepareIds(db: DatabaseSync) {
  const documentsWith = (column: string) =>
    `SELECT doc AS rowid, key AS at, documents.id = value AND offer IS NOT NULL AS isFeedId
     FROM json_each(:ids) CROSS JOIN documents ON shopId = :shopId AND ${column} = value`
  return {
    byFeedId: db.prepare(`${documentsWith('documents.id')} WHERE offer IS NOT NULL ORDER BY rowid`),
    byAnyId: db.prepare(`${documentsWith('documents.id')} UNION ${documentsWith('productId')} ORDER BY rowid`),
    /** Documents by statement, shop and id. To be cleared when the index changes. */
    cached: new LRUCache<string, Docs>({
      maxSize: CACHE_BYTES_MAX,
      sizeCalculation: (docs, key) => ENTRY_BYTES + docs.byteLength + 2 * key.length,
    }),
  }
}

type Statement = 'byFeedId' | 'byAnyId'

interface FoundDocument {
  rowid: number
  /** The index of the id. */
  at: number
  /** 1 when it is the id of an offer in the feed, otherwise 0. */
  isFeedId: number
}

const NO_LIFTS: ReadonlyMap<number, number> = new Map()

/**
 * Finds documents of a shop by the ids of their offers. Ids are looked up in the file, which may be newer than what searches see:
 * documents that searches do not see yet are left out.
 */
export class ShopIds {
  readonly #shopId: string
  readonly #shop: number
  readonly #columns: Columns
  readonly #shared

  /** @param shop the shop's number. */
  constructor(shopId: string, shop: number, columns: Columns, shared: ReturnType<typeof prepareIds>) {
    this.#shopId = shopId
    this.#shop = shop
    this.#columns = columns
    this.#shared = shared
  }

  /** The documents of offers whose id in the feed is one of `ids`. */
  withFeedId(ids: readonly string[]): Docs {
    return union(this.#found('byFeedId', ids))
  }

  /** The documents of offers whose id in the feed or productId is one of `ids`. */
  withAnyId(ids: readonly string[]): Docs {
    return union(this.#found('byAnyId', ids))
  }

  /** Lifts by document, in ascending order. */
  lifts(lifts: Lifts | undefined): ReadonlyMap<number, number> {
    if (lifts === undefined || lifts.size === 0) return NO_LIFTS
    const values = [...lifts.values()]
    const found = this.#found('byFeedId', [...lifts.keys()])
    const byDocument = found.flatMap((docs, at) => Array.from(docs, (doc) => [doc, values[at]!] as const))
    return new Map(byDocument.sort(([a], [b]) => a - b))
  }

  /** The documents of each id. */
  #found(statement: Statement, ids: readonly string[]): Docs[] {
    const { cached } = this.#shared
    const keyOf = (id: string, by: Statement) => `${by} ${this.#shop} ${id}`
    const known = ids.map((id) => cached.get(keyOf(id, statement)))
    const missing = ids.filter((_, at) => known[at] === undefined)
    if (missing.length === 0) return known as Docs[]
    const asked = { shopId: this.#shopId, ids: JSON.stringify(missing) }
    const rows = this.#shared[statement].all(asked) as unknown as FoundDocument[]
    const byIndex = Map.groupBy(rows, ({ at }) => at)
    const read = new Map<string, Docs>()
    for (const [at, id] of missing.entries()) {
      const found = byIndex.get(at) ?? []
      read.set(id, this.#docs(found))
      cached.set(keyOf(id, statement), read.get(id)!)
      // A page mostly looks for what is like a product next, which leaves out that product.
      if (statement === 'byAnyId') cached.set(keyOf(id, 'byFeedId'), this.#docs(found.filter((each) => each.isFeedId)))
    }
    return ids.map((id, at) => known[at] ?? read.get(id)!)
  }

  #docs(rows: readonly FoundDocument[]): Docs {
    const docs = rows.map(({ rowid }) => this.#columns.docOf(rowid))
    return Int32Array.from(docs.filter((doc) => doc !== null))
  }
}
