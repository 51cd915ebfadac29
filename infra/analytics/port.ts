import { EngineUnavailable } from '../engine-unavailable.ts'

/**
 * The analytics store: ClickHouse SQL over tables that the sink and attribution fill.
 * Tables and their columns: `infra/analytics/migrations/*.sql`, the same for both implementations.
 */
export interface Analytics {
  /**
   * Inserts one block, of objects or of bytes; an empty one does nothing. Fields that are no columns of the table are passed
   * over, and columns that are not told get their default. When it fails, the block may have been stored, in part too, and may
   * still be stored later.
   * - With a `token`: a block whose token this table has seen before is dropped whole, within the table's deduplication
   *   window.
   * - Under `fences`: nothing is stored once a later epoch of any of their scopes has been raised. Rows are not compared with any.
   * @throws AnalyticsUnavailable, AnalyticsRejected; AnalyticsFenced: nothing was stored, or on a cluster only in part.
   */
  insert(table: string, rows: readonly object[] | RowBlock, by: InsertBy): Promise<void>
  /**
   * When it resolves, no insert under an earlier epoch of these scopes stores anything any more, whoever sent it and
   * however long ago: what runs has ended, and what comes is refused. What such inserts have stored is visible.
   * @throws AnalyticsUnavailable
   */
  raiseFences(fences: readonly Fence[]): Promise<void>
  /**
   * Refuses inserts under fences of these scopes, as AnalyticsUnavailable: when it resolves, none is under way, and none begins
   * until `resumeInserts` or until `forMs` have passed, by the store's clock.
   * @param pause a name that no other has.
   */
  pauseInserts(pause: string, scopes: readonly string[], forMs: number): Promise<void>
  /**
   * Ends a pause. Where it has held, no insert that began before its end stores anything: a table that was exchanged meanwhile gets
   * none of them.
   * @returns whether it had held until then; false: its time was over before.
   */
  resumeInserts(pause: string): Promise<boolean>
  /**
   * Runs a query with ClickHouse parameters (`{name:Type}`) and returns its rows. 64-bit integers come as numbers
   * while they are safe, DateTime64 columns must be read as epoch milliseconds by the query itself.
   */
  query<Row extends object>(sql: string, params?: QueryParams): Promise<Row[]>
  /** As `query`, and returns the rows as a file of Parquet, which is made whole first: whoever asks bounds it. */
  queryParquet(sql: string, params?: QueryParams): Promise<Uint8Array<ArrayBuffer>>
  /** Resolves when the store answers at all, however long the queries are that others wait for. @throws AnalyticsUnavailable */
  ping(): Promise<void>
  /** Runs a statement that returns nothing: DDL, INSERT … SELECT, ALTER. */
  command(sql: string, params?: QueryParams): Promise<void>
  /**
   * One of the servers, for calls that belong together because they share tables in its memory: when it goes away they fail, rather
   * than find the next server without those tables. Closed with the store. Absent where there is only one.
   */
  onOneServer?(): Promise<Analytics>
  close(): Promise<void>
}

export type InsertBy = { token: string } | { fences: readonly Fence[] }

/** Rows as bytes, in ClickHouse's RowBinary: the values of these columns, row after row. */
export interface RowBlock {
  columns: readonly { name: string; type: string }[]
  /** How many rows. */
  length: number
  bytes: Uint8Array<ArrayBuffer>
}

export function isBlock(rows: readonly object[] | RowBlock): rows is RowBlock {
  return 'bytes' in rows
}

/** Of all that insert under one scope, only the latest epoch may store. Epochs are given out by whoever uses the scope. */
export interface Fence {
  scope: string
  epoch: number
}

export type QueryParams = Readonly<Record<string, string | number | boolean | null | readonly (string | number)[]>>

/** The store cannot answer now; the same call may work later. */
export class AnalyticsUnavailable extends EngineUnavailable {
  override readonly name: string = 'AnalyticsUnavailable'
}
/** The store gave a statement up that took too long or too much memory; a smaller one may be answered. */
export class AnalyticsGaveUp extends AnalyticsUnavailable {
  override readonly name = 'AnalyticsGaveUp'
}
/** A later epoch of the scope has been raised. */
export class AnalyticsFenced extends Error {
  override readonly name = 'AnalyticsFenced'
}
/** The store refuses this statement or these rows; trying again will not help. */
export class AnalyticsRejected extends Error {
  override readonly name = 'AnalyticsRejected'
}
