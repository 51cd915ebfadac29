import { DAY_MS } from '../../../../schemas/durations.ts'
import type { NewRows } from '../attribution/lookups.ts'
import { TRANSACTION_ORDER } from '../attribution/transaction-versions.ts'

/**
 * What shoppers did with products, counted by shop and day in `signal_days`. An id that came more than once counts once, as in
 * attribution. Imported history counts like live orders.
 */

const DAYS_PER_PARTITION = 30
const dayOf = (occurredAt: string) => `toInt32(intDiv(${occurredAt}, ${DAY_MS}))`

/** Selects the offset of each partition before which all rows are counted. */
export const countedPositionsSql =
  'SELECT topic, partition, max(offset) AS offset FROM signal_day_positions GROUP BY topic, partition'

/** A day of a shop that has new rows. */
export interface NewDay {
  shopId: string
  /** UTC, in days since the epoch. */
  day: number
  /** Number of new rows. */
  arrived: number
  /** Number of purchases among them. */
  purchases: number
}

/** Selects the days that have new rows. Null when there are none. */
export function newDaysSql(newRows: NewRows): string | null {
  const transactions = newRows('transactions')
  const events = newRows('judged-events')
  const corrections = newRows('corrections')
  const days = (purchases: number, rows: string) =>
    `SELECT shopId, ${dayOf('occurredAt')} AS day, ${purchases} AS purchases FROM ${rows}`
  const branches = [
    transactions && days(1, `transactions WHERE ${PURCHASE} AND (${transactions})`),
    events && days(0, `judged_events WHERE ${EVENT} AND (${events})`),
    corrections && days(0, `event_corrections WHERE ${corrections}`),
  ].filter((branch) => branch !== null)
  if (branches.length === 0) return null
  return `
  SELECT shopId, day, toInt64(count()) AS arrived, toInt64(sum(purchases)) AS purchases
  FROM (${branches.join('\n  UNION ALL ')})
  GROUP BY shopId, day ORDER BY shopId, day`
}

/**
 * Selects the days of all versions of the orders that have new rows, because a new version may displace one of another day. Parameter
 * since: no version before it counts. Null when there are no new orders.
 */
export function versionDaysSql(newRows: NewRows): string | null {
  const orders = newRows('transactions')
  return (
    orders &&
    `
  SELECT DISTINCT shopId, ${dayOf('occurredAt')} AS day FROM transactions
  WHERE ${PURCHASE} AND occurredAt >= {since:Int64}
    AND (shopId, eventId) IN (SELECT shopId, eventId FROM transactions WHERE ${PURCHASE} AND (${orders}))`
  )
}

const PURCHASE = `kind = 'PURCHASE'`
const EVENT = `kind = 'SPONSORED' AND verdict = 'VALID'`
const inDays = (day: string) => `(shopId, ${day}) IN (
        SELECT pair.1, pair.2 FROM (SELECT arrayJoin(arrayZip({shopIds:Array(String)}, {days:Array(Int32)})) AS pair))`

/** What is counted of a day so far. */
export interface CountedDay {
  shopId: string
  day: number
  /** Purchases, clicks and views together. */
  counted: number
  /** Version of its latest count. */
  version: number
}
/** Selects rows of `CountedDay`. Parameters shopIds and days, which form pairs. */
export const countedDaysSql = `
  SELECT shopId, day, toInt64(sum(purchases + clicks + views)) AS counted, max(version) AS version
  FROM signal_days FINAL WHERE ${inDays('day')} GROUP BY shopId, day`

/** Topics whose rows are counted. The two parameters of each say, by partition, up to which offset earlier counts and this one go. */
export const countedTopics = {
  transactions: ['transactionsBefore', 'transactionsTo'],
  'judged-events': ['eventsBefore', 'eventsTo'],
  corrections: ['correctionsBefore', 'correctionsTo'],
} as const
const until = (parameter: string) => `_offset < {${parameter}:Array(Int64)}[_partition + 1]`

/**
 * Counts days of shops: adds what new rows change, or counts the days again from all rows. For each order or event it computes what
 * counted without the new rows and what counts with them. Rows beyond these are not read, so that rows which come meanwhile are left
 * to the next count. Each product of an order is one purchase, whatever its quantity. Parameters shopIds and days (pairs), since (no
 * transaction before it counts), version, countedVersion (of the earlier counts), and those of `countedTopics`.
 * @param newRows null to count the days again from all rows.
 */
export function countDaysSql(newRows: NewRows | null): string {
  const changes = [...purchaseChanges(newRows), ...eventChanges(newRows)]
  // Fails when there is a later version: whoever has counted further has counted some of the new rows.
  const known = newRows
    ? `purchases, clicks, views, throwIf(version > {countedVersion:Int64}, 'a later count of these days is stored') AS isChanged`
    : '0 AS purchases, 0 AS clicks, 0 AS views, 1 AS isChanged'
  return `
  INSERT INTO signal_days (shopId, day, id, purchases, clicks, views, version)
  SELECT shopId, day, id, sum(purchases), sum(clicks), sum(views), {version:Int64}
  FROM (
    SELECT shopId, day, id, ${known} FROM signal_days FINAL WHERE ${inDays('day')}${changes
      .map((change) => `\n    UNION ALL SELECT *, 1 AS isChanged FROM (${change}) WHERE ${inDays('day')}`)
      .join('')}
  )
  GROUP BY shopId, day, id HAVING max(isChanged) = 1`
}

/** Holds for the rows of exactly these days, which the store finds by primary key. */
const ofDays = `shopId IN {shopIds:Array(String)} AND ${inDays(dayOf('occurredAt'))}`

/** The first version of an order counts. Adds it as it is with the new rows, and takes off what it was without them. */
function purchaseChanges(newRows: NewRows | null): string[] {
  const [before, to] = countedTopics.transactions
  const touched = newRows ? newRows('transactions') : ofDays
  if (!touched) return []
  const first = (isIn: string) => `argMinIf(tuple(occurredAt, lines), tuple(${TRANSACTION_ORDER}), ${isIn})`
  const linesOf = (order: string, purchases: number) => `arrayMap(id -> (${dayOf(`${order}.1`)}, id, ${purchases}),
        arrayDistinct(arrayMap(line -> line.shopProductId, ${order}.2)))`
  const purchases = `shopId IN {shopIds:Array(String)} AND ${PURCHASE} AND ${until(to)}`
  return [
    `
      SELECT shopId, change.1 AS day, change.2 AS id, change.3 AS purchases, 0 AS clicks, 0 AS views
      FROM (
        SELECT shopId, ${first('1')} AS now, ${first(newRows ? until(before) : '0')} AS earlier
        FROM transactions
        WHERE ${purchases} AND occurredAt >= {since:Int64}
          AND eventId IN (SELECT eventId FROM transactions WHERE ${purchases} AND (${touched}))
        GROUP BY shopId, eventId
      )
      ARRAY JOIN arrayConcat(${linesOf('now', 1)}, ${linesOf('earlier', -1)}) AS change`,
  ]
}

/** An event counts unless it is voided. */
function eventChanges(newRows: NewRows | null): string[] {
  const touched = newRows ? touchedEvents(newRows) : ofDays
  if (!touched) return []
  const rowsOf = (topic: 'judged-events' | 'corrections') => {
    const [before, to] = countedTopics[topic]
    return `${newRows ? until(before) : '0'} AS isKnown`.concat(
      topic === 'corrections'
        ? `, '' AS adId, 0 AS isClick, 0 AS isEvent FROM event_corrections WHERE ${until(to)} AND (${touched})`
        : `, adId, type = 'CLICK' AS isClick, 1 AS isEvent FROM judged_events WHERE ${EVENT} AND ${until(to)} AND (${touched})`,
    )
  }
  const counts = (isIn: string) => `(countIf(isEvent AND ${isIn}) > 0 AND countIf(NOT isEvent AND ${isIn}) = 0)`
  return [
    `
      SELECT shopId, ${dayOf('occurredAt')} AS day, id, 0 AS purchases, change * isClick AS clicks, change * (1 - isClick) AS views
      FROM (
        SELECT shopId, occurredAt, max(adId) AS id, toInt64(max(isClick)) AS isClick, ${counts('1')} - ${counts('isKnown')} AS change
        FROM (
          SELECT shopId, occurredAt, eventId, ${rowsOf('judged-events')}
          UNION ALL SELECT shopId, occurredAt, eventId, ${rowsOf('corrections')}
        )
        GROUP BY shopId, occurredAt, eventId HAVING change != 0
      )`,
  ]
}

function touchedEvents(newRows: NewRows): string | null {
  const events = newRows('judged-events')
  const corrections = newRows('corrections')
  const keys = [
    events && `SELECT shopId, occurredAt, eventId FROM judged_events WHERE ${EVENT} AND ${ofDays} AND (${events})`,
    corrections && `SELECT shopId, occurredAt, eventId FROM event_corrections WHERE ${ofDays} AND (${corrections})`,
  ].filter((each) => each !== null)
  return keys.length === 0 ? null : `(shopId, occurredAt, eventId) IN (${keys.join(' UNION ALL ')})`
}

/** What happened to a product since a day. The `decayed…` values weigh each day less by its age in whole UTC days. */
export interface ProductActivity {
  shopId: string
  id: string
  decayedPurchases: number
  decayedClicks: number
  decayedViews: number
  clicks: number
  views: number
}
/** Selects rows of `ProductActivity`. Parameters shopIds, sinceDay, today (days since the epoch), halfLifeDays. */
export const productActivitySql = `
  SELECT shopId, id, sum(purchases * weight) AS decayedPurchases, sum(dayClicks * weight) AS decayedClicks,
    sum(dayViews * weight) AS decayedViews, sum(dayClicks) AS clicks, sum(dayViews) AS views
  FROM (
    SELECT shopId, id, purchases, clicks AS dayClicks, views AS dayViews,
      exp2(-greatest(0, {today:Int64} - day) / {halfLifeDays:Float64}) AS weight
    FROM signal_days FINAL WHERE shopId IN {shopIds:Array(String)} AND day >= {sinceDay:Int32}
  )
  GROUP BY shopId, id HAVING sum(purchases) + clicks + views > 0`

/** Tables in which each row is about one day, in partitions of `DAYS_PER_PARTITION` days. */
export type DayTable = 'signal_days' | 'phrase_days'

/** Selects as `period` the partitions whose days are all before parameter sinceDay. Only rows of those are read. */
export const pastPeriodsSql = (table: DayTable): string => `
  SELECT DISTINCT intDiv(day, ${DAYS_PER_PARTITION}) AS period FROM ${table}
  WHERE day < intDiv({sinceDay:Int32}, ${DAYS_PER_PARTITION}) * ${DAYS_PER_PARTITION}`

export const dropPeriodSql = (table: DayTable, period: number): string =>
  `ALTER TABLE ${table} DROP PARTITION ${period}`
