/**
 * The analytics store: ClickHouse SQL over tables that the sink and attribution fill.
 * Tables and their columns: `infra/analytics/migrations/*.sql`, the same for both implementations.
 */
export interface Analytics {
  /**
   * Inserts one block. A block whose `token` this table has seen before is dropped whole, within the table's
   * deduplication window. An empty list does nothing.
   * @throws AnalyticsUnavailable, AnalyticsRejected
   */
  insert(table: string, rows: readonly object[], options: { token: string }): Promise<void>
  /**
   * Runs a query with ClickHouse parameters (`{name:Type}`) and returns its rows. 64-bit integers come as numbers
   * while they are safe, DateTime64 columns must be read as epoch milliseconds by the query itself.
   */
  query<Row extends object>(sql: string, params?: QueryParams): Promise<Row[]>
  /** Runs a statement that returns nothing: DDL, INSERT … SELECT, ALTER. */
  command(sql: string, params?: QueryParams): Promise<void>
  close(): Promise<void>
}

export type QueryParams = Readonly<Record<string, string | number | boolean | null | readonly (string | number)[]>>

/** The store cannot answer now; the same call may work later. */
export class AnalyticsUnavailable extends Error {
  override readonly name: string = 'AnalyticsUnavailable'
}
/** The store gave a statement up that took too long or too much memory; a smaller one may be answered. */
export class AnalyticsGaveUp extends AnalyticsUnavailable {
  override readonly name = 'AnalyticsGaveUp'
}
/** The store refuses this statement or these rows; trying again will not help. */
export class AnalyticsRejected extends Error {
  override readonly name = 'AnalyticsRejected'
}
