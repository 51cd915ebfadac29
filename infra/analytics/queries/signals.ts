import { TRANSACTION_ORDER } from './attribution/transaction-versions.ts'
import { countsSql } from './corrections.ts'

/** What signals and traffic read of `transactions`, `emissions` and `judged_events`. */

/** Row: a shop that may have signals. */
export const shopsSql = `
  SELECT shopId FROM signal_days UNION DISTINCT SELECT shopId FROM transactions WHERE kind = 'PURCHASE'`

/** Row: one purchase. */
export interface PurchaseBasket {
  /** UTC epoch milliseconds. */
  occurredAt: number
  /** Feed ids. */
  items: readonly string[]
}
/** Parameters shopId, basketLinesMax, linesMax: the latest purchases, up to so many lines together. */
export const basketsSql = `
  SELECT occurredAt, items
  FROM (
    SELECT occurredAt, items, sum(length(items)) OVER (
      ORDER BY occurredAt DESC, eventId ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS linesSoFar
    FROM (
      SELECT eventId, first.1 AS occurredAt, arraySlice(
        arrayDistinct(arrayMap(line -> line.shopProductId, first.2)), 1, {basketLinesMax:UInt32}) AS items
      FROM (
        SELECT eventId, argMin(tuple(occurredAt, lines), tuple(${TRANSACTION_ORDER})) AS first FROM transactions
        WHERE shopId = {shopId:String} AND kind = 'PURCHASE' GROUP BY eventId
      )
    )
  )
  WHERE linesSoFar <= {linesMax:UInt64}
  ORDER BY occurredAt DESC`

/** Row: the ad requests of an hour of the day, as the shop's clock shows it. */
export interface HourTraffic {
  hour: number
  requests: number
}
/** Parameters shopId, timeZone, since. */
export const trafficSql = `
  SELECT toHour(toTimeZone(fromUnixTimestamp64Milli(occurredAt, 'UTC'), {timeZone:String})) AS hour, count() AS requests
  FROM emissions WHERE shopId = {shopId:String} AND occurredAt >= {since:Int64}
  GROUP BY hour`

/** Row: sponsored views and clicks that were valid. A block that was stored twice counts twice until it is merged. */
export interface ClickTraffic {
  views: number
  clicks: number
}
/** Parameters shopId, since. */
export const clickTrafficSql = `
  SELECT countIf(type = 'VIEW') AS views, countIf(type = 'CLICK') AS clicks FROM judged_events
  WHERE shopId = {shopId:String} AND kind = 'SPONSORED' AND ${countsSql} AND occurredAt >= {since:Int64}`
