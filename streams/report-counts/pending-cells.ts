import type { ShopCell } from '../../infra/analytics/queries/listed-cells.ts'
import type { CellGrain, CellSource } from '../../infra/analytics/queries/report-cells.ts'
import { HOUR_MS, MINUTE_MS } from '../../schemas/durations.ts'

/** A cell is first counted this long after its end, when most late rows have come. */
const SETTLE_MS = 5 * MINUTE_MS
/** A cell that has changed is counted again when it is twice as old as when it was last counted, and at the latest after this. */
const RECOUNT_PAUSE_MAX_MS = 6 * HOUR_MS

export interface PendingCell extends ShopCell {
  source: CellSource
  grain: CellGrain
}

/** When a cell is to be counted. @param lastCountedAt UTC epoch milliseconds; 0 if it never was. */
export function dueAt({ endAt }: Pick<ShopCell, 'endAt'>, lastCountedAt: number): number {
  if (lastCountedAt === 0) return endAt + SETTLE_MS
  return lastCountedAt + Math.min(Math.max(lastCountedAt - endAt, SETTLE_MS), RECOUNT_PAUSE_MAX_MS)
}

/** Cells that may have other rows than they were counted from, and when each is to be looked at. */
export class PendingCells {
  readonly #cells = new Map<string, { cell: PendingCell; at: number }>()

  /** Adds a cell. One that is pending already keeps its time. */
  note(cell: PendingCell): void {
    const key = keyOf(cell)
    if (!this.#cells.has(key)) this.#cells.set(key, { cell, at: dueAt(cell, 0) })
  }

  /** @param at UTC epoch milliseconds. */
  postpone(cell: PendingCell, at: number): void {
    this.#cells.set(keyOf(cell), { cell, at })
  }

  forget(cell: PendingCell): void {
    this.#cells.delete(keyOf(cell))
  }

  /** The cells to look at now. */
  due(now: number): PendingCell[] {
    return [...this.#cells.values()].flatMap(({ cell, at }) => (at <= now ? [cell] : []))
  }
}

const keyOf = ({ source, grain, shopId, startAt, endAt }: PendingCell) =>
  `${source} ${grain} ${shopId} ${startAt} ${endAt}`
