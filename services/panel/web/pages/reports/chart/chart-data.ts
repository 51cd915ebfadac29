import type { ChartAxis, ChartLine } from '../../../components/charts/plot.ts'
import { t } from '../../../messages/pages/reports.ts'
import { addDays, dayLabel, daysIn, hoursIn } from '../controls/periods.ts'
import { axisText, figureText } from '../figures/figures.ts'
import { dimensionValue, labelOf, movedRows, timeLabel } from '../table/rows.ts'
import type { ReportView } from '../use-report.ts'
import { type Dimension, isTime, type Metric, type ReportRow, traitsOf, wordFor } from '../vocabulary.ts'

const SERIES_MAX = 5
/** On one axis, counts that are smaller than others by more than this factor would be a flat line. */
const FLAT = 12

export interface LinesData {
  points: string[]
  lines: ChartLine[]
  axes: [ChartAxis] | [ChartAxis, ChartAxis]
  partialLabel: string | undefined
  /** The number of values of the other dimension that have no line. */
  left: number
}

/** The lines of a report over time: one for each metric, or with a second dimension one for each of its greatest values. */
export function linesOf(view: ReportView, time: Dimension): LinesData {
  const { groupBy, charted } = view.state
  const other = groupBy.find((dimension) => !isTime(dimension))
  const ticks = begunTicks(view, time)
  const { lines, axes, left } = other ? valueLines(view, ticks, time, other) : metricLines(view, ticks, time, charted)
  const points = ticks.map((tick) => tickLabel(time, tick))
  return { points, lines, axes, left, partialLabel: partialLabelOf(view, time, ticks) }
}

type Lines = Pick<LinesData, 'lines' | 'axes' | 'left'>

function metricLines(view: ReportView, ticks: string[], time: Dimension, charted: readonly Metric[]): Lines {
  const { report, reference } = view
  const currency = currencyOf(report)
  const before = reference && movedRows(reference.report.rows, [time], reference.shiftDays)
  const ticksBefore = new Set(reference && ticksOf(view, time, reference.shiftDays))
  const all = charted.map((metric) => ({
    metric,
    label: wordFor(metric),
    values: valuesAt(ticks, report.rows, time, metric),
    ...(before && { before: valuesAt(ticks, before, time, metric, ticksBefore) }),
    format: (value: number) => figureText(metric, value, currency),
  }))
  const isSecond = secondAxis(all)
  const axes = [false, true].flatMap((second): ChartAxis[] => {
    const own = all.filter((line) => isSecond(line) === second)
    if (own.length === 0) return []
    return [
      { title: own.map(({ label }) => label).join(', '), format: (value) => axisText(own[0]!.metric, value, currency) },
    ]
  }) as LinesData['axes']
  return { lines: all.map((line) => ({ ...line, axis: isSecond(line) ? 'end' : 'start' })), axes, left: 0 }
}

/** Each unit gets an axis of its own. So do counts that are far greater than the others. */
function secondAxis(lines: readonly { metric: Metric; values: readonly (number | null)[] }[]) {
  const kindOf = (metric: Metric) => traitsOf(metric).kind
  const first = kindOf(lines[0]!.metric)
  if (lines.some(({ metric }) => kindOf(metric) !== first))
    return ({ metric }: { metric: Metric }) => kindOf(metric) !== first
  const greatestOf = (line: (typeof lines)[number]) => Math.max(0, ...line.values.map((value) => value ?? 0))
  const greatest = Math.max(...lines.map(greatestOf))
  const isSmall = lines.map((line) => first === 'count' && greatestOf(line) * FLAT < greatest)
  const small = new Set(lines.filter((_, i) => isSmall[i] !== isSmall[0]).map(({ metric }) => metric))
  return ({ metric }: { metric: Metric }) => small.has(metric)
}

function valueLines({ state, report }: ReportView, ticks: string[], time: Dimension, other: Dimension): Lines {
  const metric = state.charted[0]!
  const currency = currencyOf(report)
  const byValue = Map.groupBy(report.rows, (row) => dimensionValue(row, other))
  const greatest = [...byValue].toSorted((a, b) => sum(b[1], metric) - sum(a[1], metric)).slice(0, SERIES_MAX)
  const names = uniqueNames(greatest.map(([, rows]) => labelOf(rows[0]!, other)))
  const lines = greatest.map(([, rows], i) => ({
    label: names[i]!,
    values: valuesAt(ticks, rows, time, metric),
    format: (value: number) => figureText(metric, value, currency),
  }))
  const axes: LinesData['axes'] = [{ title: wordFor(metric), format: (value) => axisText(metric, value, currency) }]
  return { lines, axes, left: byValue.size - greatest.length }
}

const currencyOf = ({ totals, rows }: ReportView['report']) => totals.currency ?? rows[0]?.currency ?? null

/** Makes names unique, because two campaigns may have the same name. */
const uniqueNames = (names: readonly string[]) =>
  names.map((name, i) =>
    names.indexOf(name) === i ? name : `${name} (${names.slice(0, i + 1).filter((each) => each === name).length})`,
  )

/**
 * Figures by day or by clock hour. An hour that occurs twice when the clock changes has the sum of both.
 * @param known the ticks that there were; others have no figures.
 */
function valuesAt(
  ticks: readonly string[],
  rows: readonly ReportRow[],
  time: Dimension,
  metric: Metric,
  known: ReadonlySet<string> = new Set(ticks),
) {
  const values = new Map<string, number>()
  for (const row of rows) {
    const tick = tickOf(time, dimensionValue(row, time)!)
    const value = row[metric]
    if (value == null) continue
    values.set(tick, addsUp(metric) ? (values.get(tick) ?? 0) + value : value)
  }
  return ticks.map((tick) => values.get(tick) ?? (known.has(tick) ? emptyOf(metric) : null))
}

const tickOf = (time: Dimension, value: string) => value.slice(0, time === 'day' ? 10 : 13)
const addsUp = (metric: Metric) => ['count', 'money'].includes(traitsOf(metric).kind)
/** Without a row there were no events: counts are 0, and rates have no value. */
const emptyOf = (metric: Metric) => (addsUp(metric) ? 0 : null)
const sum = (rows: readonly ReportRow[], metric: Metric) => rows.reduce((total, row) => total + (row[metric] ?? 0), 0)

/** The days or hours of a report that have begun. */
function begunTicks(view: ReportView, time: Dimension): string[] {
  const all = ticksOf(view, time)
  const begun = all.filter((tick) => tick <= view.now.clock)
  return begun.length > 0 ? begun : all
}

/** The days or hours of a report, or of the days `shiftDays` earlier, as `movedRows` names them. */
function ticksOf({ days, timeZone }: ReportView, time: Dimension, shiftDays = 0): string[] {
  const earlier = { from: addDays(days.from, -shiftDays), until: addDays(days.until, -shiftDays) }
  const ticks = time === 'day' ? daysIn(earlier) : hoursIn(earlier, timeZone)
  return ticks.map((tick) => addDays(tick.slice(0, 10), shiftDays) + tick.slice(10))
}

const tickLabel = (time: Dimension, tick: string) =>
  time === 'day' ? dayLabel(tick, { day: 'numeric', month: 'short' }) : timeLabel(time, `${tick}:00`)!

/** The label of the last point if its day or hour is not over. */
function partialLabelOf({ now }: ReportView, time: Dimension, ticks: readonly string[]): string | undefined {
  const last = ticks.at(-1)!
  if (!now.clock.startsWith(last)) return undefined
  if (now.label === null) return t('todaySoFar')
  const until = now.label
  return time === 'hour'
    ? t('hourUntil', { hour: tickLabel(time, last), time: until })
    : t('todayUntil', { time: until })
}
