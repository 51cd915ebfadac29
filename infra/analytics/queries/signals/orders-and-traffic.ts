import { CELL_STEP_MS } from '../../../../services/domain/time/local-cells.ts'
import { type ByTopic, type NewRows, withNewRows } from '../attribution/lookups.ts'
import { TRANSACTION_ORDER } from '../attribution/transaction-versions.ts'
import { quarter } from '../report-cells.ts'

/** What signals and traffic read of `transactions`, `emissions` and `signal_days`. */

/** Selects the shops that may have signals. */
export const shopsSql = `
  SELECT shopId FROM signal_days UNION DISTINCT SELECT shopId FROM transactions WHERE kind = 'PURCHASE'`

/** Selects how many purchases each shop has. Each version of a purchase is counted. Parameter shopIds. */
export const orderCountsSql = `
  SELECT shopId, toInt64(count()) AS orders FROM transactions
  WHERE shopId IN {shopIds:Array(String)} AND kind = 'PURCHASE' GROUP BY shopId`

/** One purchase, in the first of the versions that were read. */
export interface PurchaseOrder {
  shopId: string
  /** A hash of its event id. */
  orderId: number
  /** UTC epoch milliseconds. */
  occurredAt: number
  /** Ids of the products, as in the feed. */
  items: readonly string[]
}

/** @param rows a condition that holds for the rows to take. */
const ordersSql = (rows: string) => `
  SELECT shopId, eventId, first.1 AS occurredAt, arraySlice(
    arrayDistinct(arrayMap(line -> line.shopProductId, first.2)), 1, {basketLinesMax:UInt32}) AS items
  FROM (
    SELECT shopId, eventId, argMin(tuple(occurredAt, lines), tuple(${TRANSACTION_ORDER})) AS first FROM transactions
    WHERE kind = 'PURCHASE' AND (${rows}) GROUP BY shopId, eventId
  )`
const ORDER_ID = `toInt64(cityHash64(eventId) % ${Number.MAX_SAFE_INTEGER}) AS orderId`

/**
 * Selects rows of `PurchaseOrder`: the latest purchases of each shop, which together have at most linesMax lines. Parameters shopIds,
 * basketLinesMax, linesMax.
 */
export const latestOrdersSql = `
  SELECT shopId, ${ORDER_ID}, occurredAt, items
  FROM (
    SELECT shopId, eventId, occurredAt, items, sum(length(items)) OVER (PARTITION BY shopId
      ORDER BY occurredAt DESC, eventId ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS linesSoFar
    FROM (${ordersSql('shopId IN {shopIds:Array(String)}')})
  )
  WHERE linesSoFar <= {linesMax:UInt64}
  ORDER BY shopId, occurredAt DESC`

/** Selects rows of `PurchaseOrder` from new rows of all shops. Parameter basketLinesMax. @param newRows holds for these rows. */
export const newOrdersSql = (newRows: string): string =>
  `SELECT shopId, ${ORDER_ID}, occurredAt, items FROM (${ordersSql(newRows)})`

const trafficTables: ByTopic<{ table: string }> = {
  emissions: { table: 'emissions' },
  'judged-events': { table: 'judged_events' },
  corrections: { table: 'event_corrections' },
}

/** Selects the shops that have new rows of ad requests, views, clicks or corrections. Null when there are none. */
export function shopsWithNewSql(newRows: NewRows): string | null {
  const branches = withNewRows(newRows, trafficTables).map(
    ({ table, rows }) => `SELECT DISTINCT shopId FROM ${table} WHERE ${rows}`,
  )
  return branches.length === 0 ? null : branches.join(' UNION DISTINCT ')
}

/** The number of ad requests in an hour of the day, by the clock of the shop. */
export interface HourTraffic {
  shopId: string
  hour: number
  requests: number
}
/**
 * Selects rows of `HourTraffic`. Parameters shopIds, timeZone (of these shops), since. They are made of the counts by quarter of an
 * hour that each part of the table keeps; the quarter that contains `since` is included.
 */
export const trafficSql = `
  SELECT shopId, toHour(toTimeZone(fromUnixTimestamp64Milli(quarter * ${CELL_STEP_MS}, 'UTC'), {timeZone:String})) AS hour,
    toInt64(sum(rows)) AS requests
  FROM (
    SELECT shopId, ${quarter} AS quarter, count() AS rows FROM emissions
    WHERE shopId IN {shopIds:Array(String)} AND ${quarter} >= intDiv({since:Int64}, ${CELL_STEP_MS}) GROUP BY shopId, ${quarter}
  )
  GROUP BY shopId, hour`

/** How many valid sponsored views and clicks a shop has, by the counts of its days. */
export interface ClickTraffic {
  shopId: string
  views: number
  clicks: number
}
/** Selects rows of `ClickTraffic`. Parameters shopIds, sinceDay. */
export const clickTrafficSql = `
  SELECT shopId, toInt64(sum(signal_days.views)) AS views, toInt64(sum(signal_days.clicks)) AS clicks
  FROM signal_days FINAL WHERE shopId IN {shopIds:Array(String)} AND day >= {sinceDay:Int32} GROUP BY shopId`
