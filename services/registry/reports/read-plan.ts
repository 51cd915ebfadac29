import type { Analytics } from '../../../infra/analytics/port.ts'
import {
  type CellGrain,
  type CellSource,
  type ChangedCell,
  changedCellsQuery,
  type GrainCell,
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

/** What a report reads counts of. */
const sourcesOf = (spec: ReportSpec): CellSource[] => [
  ...new Set(factsOf(spec).flatMap((fact) => (fact === 'credit' ? [] : [sourceOf(fact)]))),
]

/** Whether a report counts ad requests, of which months may be closed. */
export const readsRequests = (spec: ReportSpec): boolean => sourcesOf(spec).includes('EMISSIONS')

/**
 * Decides which part of a report is read from counts at this moment: whole days whose counts agree with the stored rows, else
 * whole hours, and the rest from the rows. `cutsFor` says which cells have counts with everything that the report needs.
 * @param closedUntil from `readClosedUntil`. A plan may ask for rows from before it, which are gone.
 * @param now UTC epoch milliseconds. Cells that end later are not counted yet, so they are not asked for.
 */
export async function planReads(
  analytics: Pick<Analytics, 'query'>,
  spec: ReportSpec,
  { closedUntil, now }: { closedUntil: number; now: number },
): Promise<ReportSpec['plans']> {
  const sources = sourcesOf(spec)
  const ask = (cells: readonly (readonly GrainCell[])[]) =>
    readHolding(analytics, spec, { sources, closedUntil }, cells)
  const cells = spec.zones.map((zone) => usableCells(spec, zone, now))
  const hoursOutside = (i: number, days: readonly Cell[]) => within(cells[i]!.hour, gaps(timeOf(spec.zones[i]!), days))
  const first = await ask(cells.map(({ day }, i) => inOrder([...day, ...hoursOutside(i, day)])))
  // The hours of days whose counts are missing or stale, which are few.
  const second = await ask(
    cells.map(({ day }, i) => {
      const ofSources = sources.map((source) => new Set(first(source, i)))
      const changed = day.filter((cell) => ofSources.some((holding) => !holding.has(cell)))
      return within(cells[i]!.hour, changed)
    }),
  )
  const plansOf = (source: CellSource) =>
    spec.zones.map((zone, i) => {
      const holding = [...first(source, i), ...second(source, i)]
      const [days, hours] = (['day', 'hour'] as const).map((grain) => holding.filter((cell) => cell.grain === grain))
      return planOfZone(timeOf(zone), days!, inOrder(hours!))
    })
  return Object.fromEntries(sources.map((source) => [source, plansOf(source)]))
}

const inOrder = <C extends Cell>(cells: readonly C[]): C[] => cells.toSorted((a, b) => a.start - b.start)
const timeOf = ({ from, to }: ReportZone): Cell => ({ start: from, end: to })

/** Whether a plan reads rows of ad requests from before a moment. */
export const readsRowsBefore = (plans: ReportSpec['plans'], moment: number): boolean =>
  (plans.EMISSIONS ?? []).some(({ stored }) => stored.some(({ start }) => start < moment))

/**
 * Asks which cells have counts that agree with the stored rows.
 * @param cells of each zone, in the order of time.
 */
async function readHolding(
  analytics: Pick<Analytics, 'query'>,
  spec: ReportSpec,
  { sources, closedUntil }: { sources: readonly CellSource[]; closedUntil: number },
  cells: readonly (readonly GrainCell[])[],
): Promise<(source: CellSource, zone: number) => readonly GrainCell[]> {
  const groups = spec.zones.map(({ shopIds }, i) => ({ shopIds, cells: cells[i]! }))
  const query = changedCellsQuery(sources, groups, closedUntil)
  const changed = query ? await analytics.query<ChangedCell>(query.sql, query.params) : []
  const keyOf = (source: CellSource, zone: number, start: number) => `${source} ${zone} ${start}`
  const isChanged = new Set(changed.map(({ source, shopGroup, start }) => keyOf(source, shopGroup, start)))
  return (source, zone) => cells[zone]!.filter(({ start }) => !isChanged.has(keyOf(source, zone, start)))
}

/** The hours and days that are over by now. */
function usableCells(
  spec: ReportSpec,
  { timeZone, from, to }: ReportZone,
  now: number,
): Record<CellGrain, readonly GrainCell[]> {
  const { hours, days } = localCells(timeZone, from, Math.min(to, now))
  const cuts = cutsFor(needsOf(spec))
  const isDayUsed = cuts.day !== null && !spec.dimensions.includes('hour')
  return {
    hour: cuts.hour === null ? [] : hours.map((cell) => ({ ...cell, grain: 'hour' })),
    day: isDayUsed ? days.map((cell) => ({ ...cell, grain: 'day' })) : [],
  }
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

/** The cells that lie within one of these stretches. Both lists are in the order of time. */
function within<C extends Cell>(cells: readonly C[], stretches: readonly Cell[]): C[] {
  let i = 0
  return cells.filter((cell) => {
    while (i < stretches.length && stretches[i]!.end <= cell.start) i++
    const stretch = stretches[i]
    return stretch !== undefined && cell.start >= stretch.start && cell.end <= stretch.end
  })
}
