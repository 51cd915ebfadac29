import type { Analytics } from '../../infra/analytics/port.ts'
import { type DayTable, dropPeriodSql, pastPeriodsSql } from '../../infra/analytics/queries/signals/signal-days.ts'

/** Forgets the rows of days before one that is passed, when it is another than the last time. Days since the epoch, UTC. */
export function createForgetting(analytics: Analytics, table: DayTable): (sinceDay: number) => Promise<void> {
  let doneFor: number | null = null
  return async (sinceDay) => {
    if (doneFor === sinceDay) return
    for (const { period } of await analytics.query<{ period: string }>(pastPeriodsSql(table), { sinceDay })) {
      await analytics.command(dropPeriodSql(table, period))
    }
    doneFor = sinceDay
  }
}
