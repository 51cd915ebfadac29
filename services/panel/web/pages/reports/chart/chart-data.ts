import { addDays, type Days, dayLabel } from '../controls/periods.ts'
import { dimensionValue, labelOf, movedRows, rowBefore, timeLabel } from '../table/rows.ts'
import type { ReportView } from '../use-report.ts'
import { type Dimension, isTime, type Metric, type ReportRow, wordsOf } from '../vocabulary.ts'

export const SERIES_MAX = 5
export const BARS_MAX = 10
const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'))

export type Point = { label: string } & Record<string, number | string | null>
export interface ChartData {
  kind: 'lines' | 'bars'
  points: Point[]
  /** The keys of the values of a point, with their labels. */
  series: { name: string; label: string; isReference: boolean }[]
  /** How many rows the chart leaves out. */
  left: number
}

/** The data of a report's chart: lines over time (with two dimensions, one for each of the greatest values), or bars. */
export function chartDataOf(view: ReportView): ChartData {
  const { groupBy } = view.state
  const time = groupBy.find(isTime)
  if (!time) return barsOf(view)
  const other = groupBy.find((dimension) => dimension !== time)
  return other ? linesOf(view, time, other) : lineOf(view, time)
}

function lineOf({ state, days, report, reference }: ReportView, time: Dimension): ChartData {
  const { charted } = state
  const values = byTime(report.rows, time, charted)
  const before = reference && byTime(movedRows(reference.report.rows, [time], reference.shiftDays), time, charted)
  const points = ticksOf(days, time).map((tick) => ({
    label: tickLabel(time, tick),
    value: values.get(tick) ?? emptyOf(charted),
    ...(before && { before: before.get(tick) ?? emptyOf(charted) }),
  }))
  return { kind: 'lines', points, series: valueSeries(charted, reference), left: 0 }
}

function linesOf({ state, days, report }: ReportView, time: Dimension, other: Dimension): ChartData {
  const { charted } = state
  const byValue = Map.groupBy(report.rows, (row) => dimensionValue(row, other))
  const greatest = [...byValue].toSorted((a, b) => sum(b[1], charted) - sum(a[1], charted)).slice(0, SERIES_MAX)
  const series = greatest.map(([, rows], i) => ({ name: `s${i}`, label: labelOf(rows[0]!, other), isReference: false }))
  const lines = greatest.map(([, rows]) => byTime(rows, time, charted))
  const points = ticksOf(days, time).map((tick) => ({
    label: tickLabel(time, tick),
    ...Object.fromEntries(lines.map((line, i) => [`s${i}`, line.get(tick) ?? emptyOf(charted)])),
  }))
  return { kind: 'lines', points, series, left: byValue.size - greatest.length }
}

function barsOf({ state, report, reference }: ReportView): ChartData {
  const { charted, groupBy } = state
  const greatest = report.rows.toSorted((a, b) => (b[charted] ?? 0) - (a[charted] ?? 0)).slice(0, BARS_MAX)
  const before = reference && rowBefore(reference.report.rows, groupBy, reference.shiftDays)
  const points = greatest.map((row) => ({
    label: groupBy.map((dimension) => labelOf(row, dimension)).join(' · '),
    value: row[charted] ?? null,
    ...(before && { before: before(row)?.[charted] ?? 0 }),
  }))
  const series = valueSeries(charted, reference)
  return { kind: 'bars', points, series, left: report.rows.length - greatest.length }
}

const valueSeries = (charted: Metric, reference: ReportView['reference']) => [
  { name: 'value', label: reference?.kind === 'settings' ? 'What if' : wordsOf(charted).label, isReference: false },
  ...(reference
    ? [{ name: 'before', label: reference.kind === 'settings' ? 'As set' : 'Days before', isReference: true }]
    : []),
]

/** Figures by day or by clock hour. An hour that comes twice, when the clock changes, has the sum of both. */
function byTime(rows: readonly ReportRow[], time: Dimension, metric: Metric): Map<string, number> {
  const values = new Map<string, number>()
  for (const row of rows) {
    const tick = tickOf(time, dimensionValue(row, time)!)
    const value = row[metric]
    if (value == null) continue
    values.set(tick, addsUp(metric) ? (values.get(tick) ?? 0) + value : value)
  }
  return values
}

const tickOf = (time: Dimension, value: string) => value.slice(0, time === 'day' ? 10 : 13)
const addsUp = (metric: Metric) => ['count', 'money'].includes(wordsOf(metric).kind)
/** Without a row nothing happened: counts are 0, and rates are missing. */
const emptyOf = (metric: Metric) => (addsUp(metric) ? 0 : null)
const sum = (rows: readonly ReportRow[], metric: Metric) => rows.reduce((total, row) => total + (row[metric] ?? 0), 0)

function ticksOf({ from, until }: Days, time: Dimension): string[] {
  const days: string[] = []
  for (let day = from; day <= until; day = addDays(day, 1)) days.push(day)
  return time === 'day' ? days : days.flatMap((day) => HOURS.map((hour) => `${day}T${hour}`))
}

const tickLabel = (time: Dimension, tick: string) =>
  time === 'day' ? dayLabel(tick, { day: 'numeric', month: 'short' }) : timeLabel(time, `${tick}:00`)!
