import { CELL_STEP_MS } from '../../../../services/domain/time/local-cells.ts'
import { type ByTopic, type NewRows, withNewRows } from '../attribution/lookups.ts'
import { TRANSACTION_ORDER } from '../attribution/transaction-versions.ts'
import { quarter } from '../report-cells.ts'

/** What signals and traffic read of `transactions`, `emissions` and `signal_days`. */

/** Row: a shop that may have signals. */
export const shopsSql = `
  SELECT shopId FROM signal_days UNION DISTINCT SELECT shopId FROM transactions WHERE kind = 'PURCHASE'`

/** Row: how many purchases a shop has, versions of one apart. Parameter shopIds. */
export const orderCountsSql = `
  SELECT shopId, toInt64(count()) AS orders FROM transactions
  WHERE shopId IN {shopIds:Array(String)} AND kind = 'PURCHASE' GROUP BY shopId`

/** Row: one purchase. */
export interface PurchaseOrder {
  shopId: string
  /** A hash of its event id. */
  orderId: number
  /** UTC epoch milliseconds. */
  occurredAt: number
  /** Feed ids. */
  items: readonly string[]
}

/** @param rows SQL that holds for the rows to take. */
const ordersSql = (rows: string) => `
  SELECT shopId, eventId, first.1 AS occurredAt, arraySlice(
    arrayDistinct(arrayMap(line -> line.shopProductId, first.2)), 1, {basketLinesMax:UInt32}) AS items
  FROM (
    SELECT shopId, eventId, argMin(tuple(occurredAt, lines), tuple(${TRANSACTION_ORDER})) AS first FROM transactions
    WHERE kind = 'PURCHASE' AND (${rows}) GROUP BY shopId, eventId
  )`
const ORDER_ID = `toInt64(cityHash64(eventId) % ${Number.MAX_SAFE_INTEGER}) AS orderId`

/** Rows PurchaseOrder. Parameters shopIds, basketLinesMax, linesMax: the latest purchases of each, up to so many lines together. */
export const latestOrdersSql = `
  SELECT shopId, ${ORDER_ID}, occurredAt, items
  FROM (
    SELECT shopId, eventId, occurredAt, items, sum(length(items)) OVER (PARTITION BY shopId
      ORDER BY occurredAt DESC, eventId ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS linesSoFar
    FROM (${ordersSql('shopId IN {shopIds:Array(String)}')})
  )
  WHERE linesSoFar <= {linesMax:UInt64}
  ORDER BY shopId, occurredAt DESC`

/** Rows PurchaseOrder, of new rows of all shops. Parameter basketLinesMax. @param newRows SQL that holds for these. */
export const newOrdersSql = (newRows: string): string =>
  `SELECT shopId, ${ORDER_ID}, occurredAt, items FROM (${ordersSql(newRows)})`

const trafficTables: ByTopic<{ table: string }> = {
  emissions: { table: 'emissions' },
  'judged-events': { table: 'judged_events' },
  corrections: { table: 'event_corrections' },
}

/** The shops of which rows of ad requests, or of views and clicks, are new. Null: none. @param newRows SQL that holds for these. */
export function shopsWithNewSql(newRows: NewRows): string | null {
  const branches = withNewRows(newRows, trafficTables).map(
    ({ table, rows }) => `SELECT DISTINCT shopId FROM ${table} WHERE ${rows}`,
  )
  return branches.length === 0 ? null : branches.join(' UNION DISTINCT ')
}

/** Row: the ad requests of an hour of the day, as the clock of the shop shows it. */
export interface HourTraffic {
  shopId: string
  hour: number
  requests: number
}
/**
 * Parameters shopIds, timeZone (theirs), since. From the counts of quarters of an hour that each part of the table has, that of `since`
 * included.
 */
export const trafficSql = `
  SELECT shopId, toHour(toTimeZone(fromUnixTimestamp64Milli(quarter * ${CELL_STEP_MS}, 'UTC'), {timeZone:String})) AS hour,
    toInt64(sum(rows)) AS requests
  FROM (
    SELECT shopId, ${quarter} AS quarter, count() AS rows FROM emissions
    WHERE shopId IN {shopIds:Array(String)} AND ${quarter} >= intDiv({since:Int64}, ${CELL_STEP_MS}) GROUP BY shopId, ${quarter}
  )
  GROUP BY shopId, hour`

/** Row: sponsored views and clicks of a shop that were valid, by what is counted of their days. */
export interface ClickTraffic {
  shopId: string
  views: number
  clicks: number
}
/** Parameters shopIds, sinceDay. */
export const clickTrafficSql = `
  SELECT shopId, toInt64(sum(signal_days.views)) AS views, toInt64(sum(signal_days.clicks)) AS clicks
  FROM signal_days FINAL WHERE shopId IN {shopIds:Array(String)} AND day >= {sinceDay:Int32} GROUP BY shopId`
