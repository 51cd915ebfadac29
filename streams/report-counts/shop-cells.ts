import type { ShopCells } from '../../infra/analytics/queries/report-cells.ts'
import type { Snapshot } from '../../services/domain/snapshot.ts'
import { type Cell, localCells } from '../../services/domain/time/local-cells.ts'

/** The whole hours and days of all shops in a time, shops of one zone together. */
export function shopCells(snapshot: Snapshot, { start, end }: Cell): ShopCells[] {
  const byZone = Map.groupBy(snapshot.allEver('Shop'), ({ body }) => body.timeZone)
  return [...byZone].map(([timeZone, shops]) => {
    const { hours, days } = localCells(timeZone, start, end)
    return { shopIds: shops.map(({ id }) => id), cells: { hour: hours, day: days } }
  })
}
