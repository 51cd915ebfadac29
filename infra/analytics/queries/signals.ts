import { TRANSACTION_ORDER } from './attribution/transaction-versions.ts'
import { countsSql } from './corrections.ts'

/**
 * What shoppers' behaviour says of products, from `transactions` and `judged_events`. An id that came more than once
 * counts once, as in attribution. Imported history counts like live orders.
 */

const DAY_MS = 86_400_000

/** Row: how much each shop has; unchanged numbers, unchanged signals. Parameter since. */
export interface ShopActivity {
  shopId: string
  purchases: number
  events: number
}
export const shopActivitySql = `
  SELECT shopId, sum(purchases) AS purchases, sum(events) AS events
  FROM (
    SELECT shopId, count() AS purchases, 0 AS events FROM transactions WHERE kind = 'PURCHASE' GROUP BY shopId
    UNION ALL
    SELECT shopId, 0 AS purchases, count() AS events FROM judged_events
    WHERE kind = 'SPONSORED' AND ${countsSql} AND occurredAt >= {since:Int64} GROUP BY shopId
  )
  GROUP BY shopId ORDER BY shopId`

/** Row: what happened to a product since a moment; `decayed…` count less by age in whole UTC days. */
export interface ProductActivity {
  id: string
  decayedPurchases: number
  decayedClicks: number
  decayedViews: number
  clicks: number
  views: number
}
/** Parameters shopId, since, today (epoch days), halfLifeDays. A purchase is a line of an order, whatever its quantity. */
export const productActivitySql = `
  SELECT id, sum(purchase * weight) AS decayedPurchases, sum(click * weight) AS decayedClicks,
    sum(view * weight) AS decayedViews, sum(click) AS clicks, sum(view) AS views
  FROM (
    SELECT id, purchase, click, view,
      exp2(-greatest(0, {today:Int64} - intDiv(occurredAt, ${DAY_MS})) / {halfLifeDays:Float64}) AS weight
    FROM (
      SELECT first.1 AS occurredAt, arrayJoin(arrayDistinct(arrayMap(line -> line.shopProductId, first.2))) AS id,
        1 AS purchase, 0 AS click, 0 AS view
      FROM (
        SELECT argMin(tuple(occurredAt, lines), tuple(${TRANSACTION_ORDER})) AS first FROM transactions
        WHERE shopId = {shopId:String} AND kind = 'PURCHASE' AND occurredAt >= {since:Int64} GROUP BY eventId
      )
      UNION ALL
      SELECT event.1 AS occurredAt, event.2 AS id, 0 AS purchase, event.3 = 'CLICK' AS click, event.3 = 'VIEW' AS view
      FROM (
        SELECT any(tuple(occurredAt, adId, type)) AS event FROM judged_events
        WHERE shopId = {shopId:String} AND kind = 'SPONSORED' AND ${countsSql} AND occurredAt >= {since:Int64}
        GROUP BY eventId
      )
    )
  )
  GROUP BY id`

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
