import type { DatabaseSync } from 'node:sqlite'
import type { Lifts } from '../../port.ts'
import type { Columns } from './columns.ts'
import type { Docs } from './sorted-sets.ts'

/** For all shops. */
export function prepareIds(db: DatabaseSync) {
  const ids = 'IN (SELECT value FROM json_each(:ids))'
  return {
    byFeedId: db.prepare(
      `SELECT doc AS rowid, id FROM documents WHERE shopId = :shopId AND id ${ids} AND offer IS NOT NULL ORDER BY doc`,
    ),
    byAnyId: db.prepare(
      `SELECT doc AS rowid FROM documents WHERE shopId = :shopId AND id ${ids}
       UNION SELECT doc FROM documents WHERE shopId = :shopId AND productId ${ids} ORDER BY rowid`,
    ),
  }
}

const NO_LIFTS: ReadonlyMap<number, number> = new Map()

/** The documents of a shop by the ids of their offers, which are looked up in the file: it may be ahead of what searches see. */
export class ShopIds {
  readonly #shopId: string
  readonly #columns: Columns
  readonly #sql

  constructor(shopId: string, columns: Columns, sql: ReturnType<typeof prepareIds>) {
    this.#shopId = shopId
    this.#columns = columns
    this.#sql = sql
  }

  /** Those whose feed id is one of these. */
  withFeedId(ids: readonly string[]): Docs {
    return this.#docs(this.#byFeedId(ids))
  }

  /** Those whose feed id or productId is one of these. */
  withAnyId(ids: readonly string[]): Docs {
    return this.#docs(this.#sql.byAnyId.all(this.#asked(ids)) as { rowid: number }[])
  }

  /** Lifts by document, in ascending order. */
  lifts(lifts: Lifts | undefined): ReadonlyMap<number, number> {
    if (lifts === undefined || lifts.size === 0) return NO_LIFTS
    const found = this.#byFeedId([...lifts.keys()]).map(({ rowid, id }) => [this.#columns.docOf(rowid), lifts.get(id)!])
    return new Map(found.filter((each): each is [number, number] => each[0] !== null))
  }

  #byFeedId(ids: readonly string[]): { rowid: number; id: string }[] {
    return this.#sql.byFeedId.all(this.#asked(ids)) as { rowid: number; id: string }[]
  }

  #asked(ids: readonly string[]) {
    return { shopId: this.#shopId, ids: JSON.stringify(ids) }
  }

  #docs(rows: readonly { rowid: number }[]): Docs {
    const docs = rows.map(({ rowid }) => this.#columns.docOf(rowid))
    return Int32Array.from(docs.filter((doc) => doc !== null))
  }
}
