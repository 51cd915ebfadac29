import { EngineUnavailable } from '../engine-unavailable.ts'

/**
 * The analytics store: ClickHouse SQL over tables that the sink and attribution fill.
 * Tables and their columns: `infra/analytics/migrations/*.sql`, the same for both implementations.
 */
export interface Analytics {
  /**
   * Inserts one block of rows, given as objects or as bytes; an empty block does nothing. Fields without a column in the table are
   * ignored, and columns without a field get their default. When the call fails, the block may have been stored, in whole or in
   * part, and may still be stored later.
   * - With a `token`: the whole block is dropped if the table has seen the token before, within its deduplication window.
   * - Under `fences`: nothing is stored once a later epoch of any of their scopes has been raised. Rows are not deduplicated.
   * @throws AnalyticsUnavailable, AnalyticsRejected; AnalyticsFenced: nothing was stored, or on a cluster only a part.
   */
  insert(table: string, rows: readonly object[] | RowBlock, by: InsertBy): Promise<void>
  /**
   * Once it resolves, no insert under an earlier epoch of these scopes can store anything, whichever process sent it and however
   * long ago: running inserts have ended, and later ones are refused. The rows that such inserts did store are visible.
   * @throws AnalyticsUnavailable
   */
  raiseFences(fences: readonly Fence[]): Promise<void>
  /**
   * Refuses inserts under fences of these scopes with AnalyticsUnavailable. Once it resolves, no such insert is running, and none
   * begins until `resumeInserts` is called or `forMs` have passed on the store's clock.
   * @param pause a name that no other pause has.
   */
  pauseInserts(pause: string, scopes: readonly string[], forMs: number): Promise<void>
  /**
   * Ends a pause. If it was still in force, no insert under its scopes that began before this call can store anything any more, so a
   * table that was exchanged during the pause gets none of their rows.
   * @returns whether the pause was still in force; false when its `forMs` had already passed.
   */
  resumeInserts(pause: string): Promise<boolean>
  /**
   * Runs a query with ClickHouse parameters (`{name:Type}`) and returns its rows. 64-bit integers are returned as numbers, which
   * are exact only up to the largest safe integer. The query itself must convert DateTime64 columns to epoch milliseconds.
   */
  query<Row extends object>(sql: string, params?: QueryParams): Promise<Row[]>
  /** Like `query`, but returns the rows as a Parquet file. The file is built in memory first, so the caller must bound its size. */
  queryParquet(sql: string, params?: QueryParams): Promise<Uint8Array<ArrayBuffer>>
  /** Resolves when the store responds; long queries of other callers do not delay it. @throws AnalyticsUnavailable */
  ping(): Promise<void>
  /** Runs a statement that returns nothing: DDL, INSERT … SELECT, ALTER. */
  command(sql: string, params?: QueryParams): Promise<void>
  /**
   * How many mutations of these tables (`ALTER … UPDATE`, `ALTER … DELETE`) have been accepted and are not done. On a cluster every
   * server counts by itself, and all of them are asked.
   */
  unfinishedMutations(tables: readonly string[]): Promise<number>
  /**
   * One fixed server, for calls that share tables in its memory. When that server goes away the calls fail; they do not move to
   * another server, which would lack the tables. It is closed with the store. The embedded store, being one server, has no such method.
   */
  onOneServer?(): Promise<Analytics>
  /** Every server by itself, or every way to the one server: what they say of their own parts differs. They are closed with the store. */
  eachServer?(): readonly Analytics[]
  close(): Promise<void>
}

export type InsertBy = { token: string } | { fences: readonly Fence[] }

/** Rows as bytes, in ClickHouse's RowBinary: the values of these columns, row after row. */
export interface RowBlock {
  columns: readonly { name: string; type: string }[]
  /** Number of rows. */
  length: number
  bytes: Uint8Array<ArrayBuffer>
}

export function isBlock(rows: readonly object[] | RowBlock): rows is RowBlock {
  return 'bytes' in rows
}

/** Among the writers that insert under one scope, only the one with the latest epoch may store. The writers assign the epochs. */
export interface Fence {
  scope: string
  epoch: number
}

export type QueryParams = Readonly<Record<string, string | number | boolean | null | readonly (string | number)[]>>

/** The store cannot answer now; the same call may work later. */
export class AnalyticsUnavailable extends EngineUnavailable {
  override readonly name: string = 'AnalyticsUnavailable'
}
/** The store aborted a statement that took too much time or memory; a smaller one may succeed. */
export class AnalyticsGaveUp extends AnalyticsUnavailable {
  override readonly name = 'AnalyticsGaveUp'
}
/** The store has met a part of a table whose files are damaged or gone. An operator has to act before the same call works. */
export class AnalyticsDamaged extends AnalyticsUnavailable {
  override readonly name = 'AnalyticsDamaged'
}
/** A later epoch of the scope has been raised. */
export class AnalyticsFenced extends Error {
  override readonly name = 'AnalyticsFenced'
}
/** The store refuses this statement or these rows; trying again will not help. */
export class AnalyticsRejected extends Error {
  override readonly name = 'AnalyticsRejected'
}
