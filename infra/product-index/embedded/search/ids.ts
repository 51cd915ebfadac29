import type { DatabaseSync } from 'node:sqlite'
import type { Lifts } from '../../port.ts'
import type { Columns } from './columns.ts'
import type { Docs } from './sorted-sets.ts'

/** Prepares the statements that all shops share. */
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

/** Finds documents of a shop by the ids of their offers. Ids are looked up in the file, which may be newer than what searches see. */
export class ShopIds {
  readonly #shopId: string
  readonly #columns: Columns
  readonly #sql

  constructor(shopId: string, columns: Columns, sql: ReturnType<typeof prepareIds>) {
    this.#shopId = shopId
    this.#columns = columns
    this.#sql = sql
  }

  /** The documents of offers whose id in the feed is one of `ids`. */
  withFeedId(ids: readonly string[]): Docs {
    return this.#docs(this.#byFeedId(ids))
  }

  /** The documents of offers whose id in the feed or productId is one of `ids`. */
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
