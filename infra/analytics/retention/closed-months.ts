import { CELL_STEP_MS } from '../../../services/domain/time/local-cells.ts'
import type { Analytics } from '../port.ts'
import { isWithin, quarter } from '../queries/report-cells.ts'
import { readForgottenUntil } from './complete-since.ts'

/**
 * Months of `emissions` whose rows are dropped, because reports read these months from counts. A month is closed in the following
 * steps, each of which may be repeated:
 *
 * 1. `closeQuarters` records how many rows each quarter of an hour has. Nothing reads these numbers yet.
 * 2. The caller checks that all counts of the month were made from as many rows.
 * 3. `markClosed`: from now on the recorded numbers replace the rows. No reader reads a row from before the end of the month.
 * 4. `dropClosedRows`. Rows of a closed month that are stored later are dropped too, and counted nowhere.
 */

/** The end of the last closed month, in UTC epoch milliseconds; -Infinity when no month is closed. */
export const readClosedUntil = (analytics: Pick<Analytics, 'query'>): Promise<number> =>
  readForgottenUntil(analytics, 'emissions')

/** The partition key of the table. */
const monthNumber = "toYYYYMM(fromUnixTimestamp64Milli(occurredAt, 'UTC'))"

/** A UTC month, which is a partition of the table: [start, end) in epoch milliseconds. */
export interface Month {
  start: number
  end: number
}

export const monthOf = (at: number): Month => {
  const [year, month] = [new Date(at).getUTCFullYear(), new Date(at).getUTCMonth()]
  return { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) }
}

/** The earliest month that has rows and is not closed; null when there is none. */
export async function oldestMonth(analytics: Analytics, closedUntil: number): Promise<Month | null> {
  const from = Math.max(closedUntil, 0) / CELL_STEP_MS
  const [found] = await analytics.query<{ first: number | null }>(
    `SELECT minOrNull(quarter) AS first FROM (
       SELECT ${quarter} AS quarter FROM emissions WHERE ${quarter} >= ${from} GROUP BY shopId, ${quarter})`,
  )
  return found?.first == null ? null : monthOf(found.first * CELL_STEP_MS)
}

/** Records nothing once the month is closed: by then rows may be missing, or have been stored a second time. */
export const closeQuarters = (analytics: Analytics, month: Month): Promise<void> =>
  analytics.command(
    // The last condition is outside the inner SELECT so that, on a cluster, the server that runs the statement evaluates it. Inside,
    // each shard would look for the row of `forgotten_rows`.
    `INSERT INTO report_closed_quarters (shopId, quarter, storedRows)
     SELECT shopId, quarter, storedRows FROM (
       SELECT shopId, ${quarter} AS quarter, toInt64(count()) AS storedRows FROM emissions WHERE ${isWithin(quarter, month)}
       GROUP BY shopId, ${quarter})
     WHERE quarter * ${CELL_STEP_MS} >= (SELECT max(until) FROM forgotten_rows WHERE tableName = 'emissions')`,
  )

/** @param at UTC epoch milliseconds. */
export const markClosed = (analytics: Analytics, { end: until }: Month, at: number): Promise<void> =>
  analytics.insert('forgotten_rows', [{ tableName: 'emissions', until }], { token: `emissions ${until} ${at}` })

/** Drops the partitions of closed months that still have rows. When there are none, no rows are read. */
export async function dropClosedRows(analytics: Analytics, closedUntil: number): Promise<void> {
  if (closedUntil === Number.NEGATIVE_INFINITY) return
  const months = await analytics.query<{ month: number }>(
    `SELECT DISTINCT ${monthNumber} AS month FROM emissions WHERE occurredAt < ${closedUntil} ORDER BY month`,
  )
  for (const { month } of months) {
    // By default a server refuses to drop a partition of more than 50 GB.
    await analytics.command(`ALTER TABLE emissions DROP PARTITION ${month} SETTINGS max_partition_size_to_drop = 0`)
  }
}

/**
 * How many rows the sink has stored in the table: the recorded numbers of closed months, plus the rows of the months since then,
 * which are counted without being read. Null when a month was closed meanwhile, because it may be missing from both.
 */
export async function countStoredRows(analytics: Pick<Analytics, 'query'>): Promise<number | null> {
  const until = await readClosedUntil(analytics)
  const closedUntil = Math.max(until, 0)
  const [found] = await analytics.query<{ open: number; closed: number }>(
    `SELECT
       (SELECT count() FROM emissions WHERE ${monthNumber} >= toYYYYMM(fromUnixTimestamp64Milli({closedUntil:Int64}, 'UTC'))) AS open,
       (SELECT sum(storedRows) FROM report_closed_quarters FINAL
        WHERE quarter * ${CELL_STEP_MS} < {closedUntil:Int64}) AS closed`,
    { closedUntil },
  )
  return (await readClosedUntil(analytics)) === until ? found!.open + found!.closed : null
}
