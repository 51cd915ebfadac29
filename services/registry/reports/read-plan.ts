import type { Analytics } from '../../../infra/analytics/port.ts'
import {
  type CellGrain,
  type CellSource,
  type ChangedCell,
  changedCellsQuery,
} from '../../../infra/analytics/queries/report-cells.ts'
import { cutsFor, sourceOf } from '../../../infra/analytics/queries/report-counts.ts'
import {
  factsOf,
  needsOf,
  type ReadPlan,
  type ReportSpec,
  type ReportZone,
} from '../../../infra/analytics/queries/report-spec.ts'
import { type Cell, localCells } from '../../domain/time/local-cells.ts'

/** Stretches of stored rows that a report reads of a zone. If there would be more, it also reads what lies between them. */
const STRETCHES_MAX = 200

/**
 * Decides which part of a report is read from counts at this moment: whole days whose counts agree with the stored rows, else
 * whole hours, and the rest from the rows. `cutsFor` says which cells have counts with everything that the report needs.
 * @param closedUntil from `readClosedUntil`. A plan may ask for rows from before it, which are gone.
 */
export async function planReads(
  analytics: Analytics,
  spec: ReportSpec,
  closedUntil: number,
): Promise<ReportSpec['plans']> {
  const sources = [...new Set(factsOf(spec).flatMap((fact) => (fact === 'credit' ? [] : [sourceOf(fact)])))]
  const cells = spec.zones.map((zone) => usableCells(spec, zone))
  const days = await readHolding(
    analytics,
    spec,
    { sources, closedUntil, grain: 'day' },
    cells.map(({ day }) => day),
  )
  // Asked only for days whose counts are missing or stale, which are few.
  const hoursAsked = cells.map(({ hour }, i) => {
    const ofDays = sources.flatMap((source) => within(hour, gaps(timeOf(spec.zones[i]!), days(source, i))))
    const isAsked = new Set(ofDays)
    return hour.filter((cell) => isAsked.has(cell))
  })
  const hours = await readHolding(analytics, spec, { sources, closedUntil, grain: 'hour' }, hoursAsked)
  const plansOf = (source: CellSource) =>
    spec.zones.map((zone, i) => planOfZone(timeOf(zone), days(source, i), hours(source, i)))
  return Object.fromEntries(sources.map((source) => [source, plansOf(source)]))
}

const timeOf = ({ from, to }: ReportZone): Cell => ({ start: from, end: to })

/** Whether a plan reads rows of ad requests from before a moment. */
export const readsRowsBefore = (plans: ReportSpec['plans'], moment: number): boolean =>
  (plans.EMISSIONS ?? []).some(({ stored }) => stored.some(({ start }) => start < moment))

/**
 * Asks which cells have counts that agree with the stored rows.
 * @param cells of each zone, in the order of time.
 */
async function readHolding(
  analytics: Analytics,
  spec: ReportSpec,
  { sources, closedUntil, grain }: { sources: readonly CellSource[]; closedUntil: number; grain: CellGrain },
  cells: readonly (readonly Cell[])[],
): Promise<(source: CellSource, zone: number) => readonly Cell[]> {
  const none = { hour: [], day: [] }
  const groups = spec.zones.map(({ shopIds }, i) => ({ shopIds, cells: { ...none, [grain]: withoutGaps(cells[i]!) } }))
  const query = changedCellsQuery(sources, groups, closedUntil)
  const changed = query ? await analytics.query<ChangedCell>(query.sql, query.params) : []
  const keyOf = (source: CellSource, zone: number, start: number) => `${source} ${zone} ${start}`
  const isChanged = new Set(changed.map(({ source, shops, start }) => keyOf(source, shops, start)))
  return (source, zone) => cells[zone]!.filter(({ start }) => !isChanged.has(keyOf(source, zone, start)))
}

function usableCells(spec: ReportSpec, { timeZone, from, to }: ReportZone): Record<CellGrain, readonly Cell[]> {
  const { hours, days } = localCells(timeZone, from, to)
  const cuts = cutsFor(needsOf(spec))
  return { hour: cuts.hour ? hours : [], day: cuts.day && !spec.dimensions.includes('hour') ? days : [] }
}

function planOfZone(time: Cell, days: readonly Cell[], hours: readonly Cell[]): ReadPlan {
  const between = gaps(time, days)
  const hoursBetween = within(hours, between)
  const stored = between.flatMap((gap) => gaps(gap, within(hoursBetween, [gap])))
  if (stored.length <= STRETCHES_MAX) return { cells: { day: days, hour: hoursBetween }, stored }
  const all = { start: stored[0]!.start, end: stored.at(-1)!.end }
  const outside = (cell: Cell) => cell.end <= all.start || cell.start >= all.end
  return { cells: { day: days.filter(outside), hour: hoursBetween.filter(outside) }, stored: [all] }
}

/** The parts of a stretch of time that these cells do not cover. The cells are in the order of time. */
function gaps({ start, end }: Cell, cells: readonly Cell[]): Cell[] {
  const left: Cell[] = []
  let at = start
  for (const cell of cells) {
    if (cell.start > at) left.push({ start: at, end: cell.start })
    at = cell.end
  }
  if (at < end) left.push({ start: at, end })
  return left
}

/** The cells, and one more for each stretch of time between them, which is not counted. */
function withoutGaps(cells: readonly Cell[]): Cell[] {
  return cells.flatMap((cell, i) => {
    const before = cells[i - 1]
    return before && before.end < cell.start ? [{ start: before.end, end: cell.start }, cell] : [cell]
  })
}

/** The cells that lie within one of these stretches. Both lists are in the order of time. */
function within(cells: readonly Cell[], stretches: readonly Cell[]): Cell[] {
  let i = 0
  return cells.filter((cell) => {
    while (i < stretches.length && stretches[i]!.end <= cell.start) i++
    const stretch = stretches[i]
    return stretch !== undefined && cell.start >= stretch.start && cell.end <= stretch.end
  })
}
