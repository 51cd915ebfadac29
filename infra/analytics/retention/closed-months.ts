import { CELL_STEP_MS } from '../../../services/domain/time/local-cells.ts'
import type { Analytics } from '../port.ts'
import { isWithin, quarter } from '../queries/report-cells.ts'
import { readForgottenUntil } from './complete-since.ts'

/**
 * Months of `emissions` whose rows are dropped, because reports are told them by counts. A month is closed in this order, each step
 * of which may be repeated:
 *
 * 1. `closeQuarters` writes down how many rows each quarter has. Nobody reads that yet.
 * 2. The caller checks that all counts of the month are made of as many rows.
 * 3. `markClosed`: from then on the quarters stand for the rows. No reader looks at a row of the time before.
 * 4. `dropClosedRows`. What is stored of a closed month later is dropped, too, and counts nowhere.
 */

/** UTC epoch milliseconds: before it, quarters stand for rows. -Infinity: no month is closed. */
export const readClosedUntil = (analytics: Pick<Analytics, 'query'>): Promise<number> =>
  readForgottenUntil(analytics, 'emissions')

/** As the table is partitioned by it. */
const monthNumber = "toYYYYMM(fromUnixTimestamp64Milli(occurredAt, 'UTC'))"

/** A month of UTC, as the table is partitioned, [start, end) in epoch milliseconds. */
export interface Month {
  start: number
  end: number
}

export const monthOf = (at: number): Month => {
  const [year, month] = [new Date(at).getUTCFullYear(), new Date(at).getUTCMonth()]
  return { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) }
}

/** The earliest month that has rows and is not closed; null: there is none. */
export async function oldestMonth(analytics: Analytics, closedUntil: number): Promise<Month | null> {
  const from = Math.max(closedUntil, 0) / CELL_STEP_MS
  const [found] = await analytics.query<{ first: number | null }>(
    `SELECT minOrNull(quarter) AS first FROM (
       SELECT ${quarter} AS quarter FROM emissions WHERE ${quarter} >= ${from} GROUP BY shopId, ${quarter})`,
  )
  return found?.first == null ? null : monthOf(found.first * CELL_STEP_MS)
}

/** One that arrives late, when the month is closed, writes nothing: rows may be missing by then, or have come a second time. */
export const closeQuarters = (analytics: Analytics, month: Month): Promise<void> =>
  analytics.command(
    // The note is read where the statement runs, also on a cluster: within the inner SELECT each shard would look for it.
    `INSERT INTO report_closed_quarters (shopId, quarter, storedRows)
     SELECT shopId, quarter, storedRows FROM (
       SELECT shopId, ${quarter} AS quarter, toInt64(count()) AS storedRows FROM emissions WHERE ${isWithin(quarter, month)}
       GROUP BY shopId, ${quarter})
     WHERE quarter * ${CELL_STEP_MS} >= (SELECT max(until) FROM forgotten_rows WHERE tableName = 'emissions')`,
  )

/** @param at UTC epoch milliseconds. */
export const markClosed = (analytics: Analytics, { end: until }: Month, at: number): Promise<void> =>
  analytics.insert('forgotten_rows', [{ tableName: 'emissions', until }], { token: `emissions ${until} ${at}` })

/** Drops the partitions of closed months that have any rows. Finding none reads nothing. */
export async function dropClosedRows(analytics: Analytics, closedUntil: number): Promise<void> {
  if (closedUntil === Number.NEGATIVE_INFINITY) return
  const months = await analytics.query<{ month: number }>(
    `SELECT DISTINCT ${monthNumber} AS month FROM emissions WHERE occurredAt < ${closedUntil} ORDER BY month`,
  )
  for (const { month } of months) {
    // Whatever its size, of which a server by default drops no more than 50 GB.
    await analytics.command(`ALTER TABLE emissions DROP PARTITION ${month} SETTINGS max_partition_size_to_drop = 0`)
  }
}

/**
 * How many rows the sink has given the table: those of closed months as they were written down, and those that are there of the months
 * since, of which none is read. Null: a month was closed meanwhile, and may be in neither.
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
