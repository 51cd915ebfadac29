import type { NewQuarter } from '../../infra/analytics/queries/listed-cells.ts'
import type { CellGrain, ShopCells } from '../../infra/analytics/queries/report-cells.ts'
import { DAY_MS } from '../../schemas/durations.ts'
import { firstFrom } from '../../services/domain/first-from.ts'
import type { Entity, Snapshot } from '../../services/domain/snapshot.ts'
import { type Cell, localCells } from '../../services/domain/time/local-cells.ts'
import type { PendingCell } from './pending-cells.ts'

/** No local hour or day is longer than this. */
const CELL_MAX_MS = 2 * DAY_MS

/** The complete hours and days of shops in a time span, with the shops of one time zone together. */
export function shopCells(shops: Iterable<Entity<'Shop'>>, { start, end }: Cell): ShopCells[] {
  const byZone = Map.groupBy(shops, ({ body }) => body.timeZone)
  return [...byZone].map(([timeZone, ofZone]) => {
    const { hours, days } = localCells(timeZone, start, end)
    return { shopIds: ofZone.map(({ id }) => id), cells: { hour: hours, day: days } }
  })
}

/** The hours and days that quarters of an hour are in, by the clocks of their shops. Unknown shops have none. */
export function cellsOfQuarters(snapshot: Snapshot, quarters: readonly NewQuarter[]): PendingCell[] {
  const zoneOf = ({ shopId }: NewQuarter) => snapshot.getEver('Shop', shopId)?.body.timeZone
  return [...Map.groupBy(quarters, zoneOf)].flatMap(([timeZone, ofZone]) => {
    if (timeZone === undefined) return []
    const starts = ofZone.map(({ startAt }) => startAt)
    const { hours, days } = localCells(timeZone, Math.min(...starts) - CELL_MAX_MS, Math.max(...starts) + CELL_MAX_MS)
    const cells = Object.entries({ hour: hours, day: days }) as [CellGrain, Cell[]][]
    return ofZone.flatMap(({ source, shopId, startAt: at }) =>
      cells.flatMap(([grain, all]): PendingCell[] => {
        const cell = all[firstFrom(all, ({ end }) => end > at)]
        const isWithin = cell !== undefined && cell.start <= at
        return isWithin ? [{ source, grain, shopId, startAt: cell.start, endAt: cell.end }] : []
      }),
    )
  })
}
