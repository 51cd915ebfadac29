import type { TopicName } from '../../../../schemas/topics.ts'
import { TRANSACTION_ORDER } from '../attribution/transaction-versions.ts'
import { countsSql } from '../corrections.ts'

/**
 * What shoppers did with products, counted by shop and day in `signal_days`. An id that came more than once counts once, as in
 * attribution. Imported history counts like live orders.
 */

const DAY_MS = 86_400_000
const DAYS_PER_PARTITION = 30
const dayOf = (occurredAt: string) => `toInt32(intDiv(${occurredAt}, ${DAY_MS}))`

/** Row: up to where rows are counted. */
export const countedPositionsSql =
  'SELECT topic, partition, max(offset) AS offset FROM signal_positions GROUP BY topic, partition'

/** Row: a day of a shop that new rows are of. */
export interface NewDay {
  shopId: string
  /** UTC, in days since the epoch. */
  day: number
  /** New purchases. */
  purchases: number
}

/**
 * The days that new rows change. A new version of a transaction may take the place of one of another day. Parameter since: no
 * version before it counts. Null: none.
 * @param newRows SQL that holds for the new rows of a topic; null when there are none.
 */
export function newDaysSql(newRows: (topic: TopicName) => string | null): string | null {
  const transactions = newRows('transactions')
  const events = newRows('judged-events')
  const corrections = newRows('corrections')
  const days = (purchases: string, rows: string) =>
    `SELECT shopId, ${dayOf('occurredAt')} AS day, ${purchases} AS purchases FROM ${rows}`
  const purchases = `transactions WHERE kind = 'PURCHASE'`
  const branches = [
    transactions && days('1', `${purchases} AND (${transactions})`),
    transactions &&
      days(
        '0',
        `${purchases} AND occurredAt >= {since:Int64}
    AND (shopId, eventId) IN (SELECT shopId, eventId FROM ${purchases} AND (${transactions}))`,
      ),
    events && days('0', `judged_events WHERE kind = 'SPONSORED' AND verdict = 'VALID' AND (${events})`),
    corrections && days('0', `event_corrections WHERE ${corrections}`),
  ].filter((branch) => branch !== null)
  if (branches.length === 0) return null
  return `
  SELECT shopId, day, toInt64(sum(purchases)) AS purchases
  FROM (${branches.join('\n  UNION ALL ')})
  GROUP BY shopId, day ORDER BY shopId, day`
}

/**
 * Counts days of a shop anew. A purchase is a line of an order, whatever its quantity. Parameters shopId, days, fromMs, toMs (the
 * time of all of these days), since (no transaction before it counts), version.
 */
export const countDaysSql = `
  INSERT INTO signal_days (shopId, day, id, purchases, clicks, views, version)
  SELECT {shopId:String}, day, id, sum(purchase), sum(click), sum(view), {version:Int64}
  FROM (
    SELECT ${dayOf('first.1')} AS day, arrayJoin(arrayDistinct(arrayMap(line -> line.shopProductId, first.2))) AS id,
      1 AS purchase, 0 AS click, 0 AS view
    FROM (
      SELECT argMin(tuple(occurredAt, lines), tuple(${TRANSACTION_ORDER})) AS first FROM transactions
      WHERE shopId = {shopId:String} AND kind = 'PURCHASE' AND occurredAt >= {since:Int64} AND eventId IN (
        SELECT eventId FROM transactions
        WHERE shopId = {shopId:String} AND kind = 'PURCHASE' AND occurredAt >= {fromMs:Int64} AND occurredAt < {toMs:Int64})
      GROUP BY eventId
    )
    UNION ALL
    SELECT ${dayOf('event.1')} AS day, event.2 AS id, 0 AS purchase, event.3 = 'CLICK' AS click, event.3 = 'VIEW' AS view
    FROM (
      SELECT any(tuple(occurredAt, adId, type)) AS event FROM judged_events
      WHERE shopId = {shopId:String} AND kind = 'SPONSORED' AND ${countsSql}
        AND occurredAt >= {fromMs:Int64} AND occurredAt < {toMs:Int64}
      GROUP BY eventId
    )
    UNION ALL
    SELECT day, id, 0 AS purchase, 0 AS click, 0 AS view FROM signal_days
    WHERE shopId = {shopId:String} AND day IN {days:Array(Int32)}
  )
  WHERE day IN {days:Array(Int32)}
  GROUP BY day, id`

/** Row: what happened to a product since a moment; `decayed…` count less by age in whole UTC days. */
export interface ProductActivity {
  id: string
  decayedPurchases: number
  decayedClicks: number
  decayedViews: number
  clicks: number
  views: number
}
/** Parameters shopId, sinceDay, today (days since the epoch), halfLifeDays. */
export const productActivitySql = `
  SELECT id, sum(purchases * weight) AS decayedPurchases, sum(dayClicks * weight) AS decayedClicks,
    sum(dayViews * weight) AS decayedViews, sum(dayClicks) AS clicks, sum(dayViews) AS views
  FROM (
    SELECT id, purchases, clicks AS dayClicks, views AS dayViews,
      exp2(-greatest(0, {today:Int64} - day) / {halfLifeDays:Float64}) AS weight
    FROM signal_days FINAL WHERE shopId = {shopId:String} AND day >= {sinceDay:Int32}
  )
  GROUP BY id HAVING sum(purchases) + clicks + views > 0`

/** Tables whose rows are of a day, in partitions of as many days. */
export type DayTable = 'signal_days' | 'phrase_days'

/** Row: `period` of the days that are all before a day. Parameter sinceDay. */
export const pastPeriodsSql = (table: DayTable): string => `
  SELECT DISTINCT partition AS period FROM system.parts
  WHERE database = currentDatabase() AND table = '${table}' AND active
    AND toInt32OrZero(partition) < intDiv({sinceDay:Int32}, ${DAYS_PER_PARTITION})`

export const dropPeriodSql = (table: DayTable, period: string): string =>
  `ALTER TABLE ${table} DROP PARTITION ${Number(period)}`
