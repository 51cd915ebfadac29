import { CELL_STEP_MS } from '../../../../services/domain/time/local-cells.ts'
import { TRANSACTION_ORDER } from '../attribution/transaction-versions.ts'
import { quarter } from '../report-cells.ts'

/** What signals and traffic read of `transactions`, `emissions` and `signal_days`. */

/** Row: a shop that may have signals. */
export const shopsSql = `
  SELECT shopId FROM signal_days UNION DISTINCT SELECT shopId FROM transactions WHERE kind = 'PURCHASE'`

/** Row: one purchase. */
export interface PurchaseOrder {
  /** A hash of its event id. */
  orderId: number
  /** UTC epoch milliseconds. */
  occurredAt: number
  /** Feed ids. */
  items: readonly string[]
}

/** @param rows SQL that holds for the rows to take. */
const ordersSql = (rows: string) => `
  SELECT eventId, first.1 AS occurredAt, arraySlice(
    arrayDistinct(arrayMap(line -> line.shopProductId, first.2)), 1, {basketLinesMax:UInt32}) AS items
  FROM (
    SELECT eventId, argMin(tuple(occurredAt, lines), tuple(${TRANSACTION_ORDER})) AS first FROM transactions
    WHERE shopId = {shopId:String} AND kind = 'PURCHASE' AND (${rows}) GROUP BY eventId
  )`
const ORDER_ID = `toInt64(cityHash64(eventId) % ${Number.MAX_SAFE_INTEGER}) AS orderId`

/** Rows PurchaseOrder. Parameters shopId, basketLinesMax, linesMax: the latest purchases, up to so many lines together. */
export const latestOrdersSql = `
  SELECT ${ORDER_ID}, occurredAt, items
  FROM (
    SELECT eventId, occurredAt, items, sum(length(items)) OVER (
      ORDER BY occurredAt DESC, eventId ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS linesSoFar
    FROM (${ordersSql('1')})
  )
  WHERE linesSoFar <= {linesMax:UInt64}
  ORDER BY occurredAt DESC`

/** Rows PurchaseOrder, of new rows alone. Parameters shopId, basketLinesMax. @param newRows SQL that holds for these. */
export const newOrdersSql = (newRows: string): string =>
  `SELECT ${ORDER_ID}, occurredAt, items FROM (${ordersSql(newRows)})`

/** Row: the ad requests of an hour of the day, as the shop's clock shows it. */
export interface HourTraffic {
  hour: number
  requests: number
}
/** Parameters shopId, timeZone, since. From the counts of quarters of an hour that each part of the table has, that of `since` included. */
export const trafficSql = `
  SELECT toHour(toTimeZone(fromUnixTimestamp64Milli(quarter * ${CELL_STEP_MS}, 'UTC'), {timeZone:String})) AS hour,
    toInt64(sum(rows)) AS requests
  FROM (
    SELECT ${quarter} AS quarter, count() AS rows FROM emissions
    WHERE shopId = {shopId:String} AND ${quarter} >= intDiv({since:Int64}, ${CELL_STEP_MS}) GROUP BY shopId, ${quarter}
  )
  GROUP BY hour`

/** Row: sponsored views and clicks that were valid, by what is counted of their days. */
export interface ClickTraffic {
  views: number
  clicks: number
}
/** Parameters shopId, sinceDay. */
export const clickTrafficSql = `
  SELECT toInt64(sum(signal_days.views)) AS views, toInt64(sum(signal_days.clicks)) AS clicks
  FROM signal_days FINAL WHERE shopId = {shopId:String} AND day >= {sinceDay:Int32}`
