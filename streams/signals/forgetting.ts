import type { Analytics } from '../../infra/analytics/port.ts'
import { type DayTable, dropPeriodSql, pastPeriodsSql } from '../../infra/analytics/queries/signals/signal-days.ts'

/**
 * Forgets the rows of days before the one that is passed (days since the epoch, UTC), in whole partitions of the table. It does
 * nothing when the day is the same as last time.
 */
export function createForgetting(analytics: Analytics, table: DayTable): (sinceDay: number) => Promise<void> {
  let doneFor: number | null = null
  return async (sinceDay) => {
    if (doneFor === sinceDay) return
    for (const { period } of await analytics.query<{ period: number }>(pastPeriodsSql(table), { sinceDay })) {
      await analytics.command(dropPeriodSql(table, period))
    }
    doneFor = sinceDay
  }
}
