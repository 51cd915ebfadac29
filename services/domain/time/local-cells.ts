import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../schemas/durations.ts'
import { offsetSpans } from './time-zone.ts'

/** Cells begin and end on multiples of this. The hours of every current time zone do. */
export const CELL_STEP_MS = 15 * MINUTE_MS

/** An hour or a day as a clock shows it, [start, end) in UTC epoch milliseconds. */
export interface Cell {
  start: number
  end: number
}

/**
 * The whole hours and days of a zone in [from, to). An hour or day in which the clock is changed may be longer or shorter, or come
 * in two pieces; a piece is a cell too.
 */
export function localCells(timeZone: string, from: number, to: number): { hours: Cell[]; days: Cell[] } {
  const hourStarts: number[] = []
  const dayStarts: number[] = []
  const spans = offsetSpans(timeZone, from - DAY_MS, to + DAY_MS)
  for (const [i, { start, offsetMs }] of spans.entries()) {
    const end = spans[i + 1]?.start ?? to + DAY_MS
    const before = i === 0 ? null : spans[i - 1]!.offsetMs
    if (before !== null) hourStarts.push(start)
    if (before !== null && localDay(start, offsetMs) !== localDay(start - 1, before)) dayStarts.push(start)
    hourStarts.push(...startsWithin({ start, end }, offsetMs, HOUR_MS))
    dayStarts.push(...startsWithin({ start, end }, offsetMs, DAY_MS))
  }
  return { hours: cellsBetween(hourStarts, from, to), days: cellsBetween(dayStarts, from, to) }
}

const localDay = (at: number, offsetMs: number) => Math.floor((at + offsetMs) / DAY_MS)

/** Multiples of a length on the local clock, after the first moment of a span. */
function startsWithin({ start, end }: Cell, offsetMs: number, lengthMs: number): number[] {
  const starts: number[] = []
  const first = Math.floor((start + offsetMs) / lengthMs + 1) * lengthMs - offsetMs
  for (let at = first; at < end; at += lengthMs) starts.push(at)
  return starts
}

function cellsBetween(starts: readonly number[], from: number, to: number): Cell[] {
  const cells: Cell[] = []
  for (let i = 0; i + 1 < starts.length; i++) {
    const [start, end] = [starts[i]!, starts[i + 1]!]
    if (start >= from && end <= to && start % CELL_STEP_MS === 0 && end % CELL_STEP_MS === 0) cells.push({ start, end })
  }
  return cells
}
