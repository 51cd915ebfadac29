import { isMoney, type Measure } from '../../../infra/analytics/queries/report-measures.ts'
import type { ReportMetric } from '../../../schemas/http/panel/reports/reports.ts'

/** Sums, as a query returns them or as numbers. Money is in micro-units. */
export type MeasuredRow = Partial<Record<Measure, number | string>>
/** Money is a bigint of micro-units until it is written, because a sum may exceed the safe integers. */
export type Figure = number | bigint | null
export type Figures = Partial<Record<ReportMetric, Figure>>

/** Decimal places of money in micro-units. */
export const DECIMALS = 6

const ratios: Partial<Record<ReportMetric, readonly [Measure, Measure]>> = {
  ctr: ['clicks', 'views'],
  invalidRate: ['invalid', 'gross'],
  roas: ['netRevenue', 'spend'],
}

export type IsCounted = (measure: Measure) => boolean

export type MetricKind = 'COUNT' | 'MONEY' | 'RATIO'

export function kindOf(metric: ReportMetric): MetricKind {
  if (ratios[metric]) return 'RATIO'
  return isMoney(metric as Measure) ? 'MONEY' : 'COUNT'
}

/** The measures that these metrics need. */
export function measuresFor(metrics: readonly ReportMetric[]): Measure[] {
  return [...new Set(metrics.flatMap((metric) => ratios[metric] ?? [metric as Measure]))]
}

/**
 * The metrics of a row; a measure that the row lacks is 0, a ratio to 0 is null.
 * @param isCounted false for a measure that such a row cannot count; metrics of it are null then.
 */
export function figuresOf(metrics: readonly ReportMetric[], row: MeasuredRow, isCounted: IsCounted): Figures {
  const isKnown = (metric: ReportMetric) => measuresFor([metric]).every(isCounted)
  return Object.fromEntries(metrics.map((metric) => [metric, isKnown(metric) ? figureOf(metric, row) : null]))
}

/** One row for several currencies. Counts are added up; money cannot be, so it is null. */
export function figuresOverCurrencies(
  metrics: readonly ReportMetric[],
  rows: readonly MeasuredRow[],
  isCounted: IsCounted,
): Figures {
  const counts = measuresFor(metrics).filter((measure) => !isMoney(measure))
  const sums = Object.fromEntries(
    counts.map((measure) => [measure, rows.reduce((sum, row) => sum + Number(row[measure] ?? 0), 0)]),
  )
  const money = metrics.filter((metric) => measuresFor([metric]).some(isMoney))
  return { ...figuresOf(metrics, sums, isCounted), ...Object.fromEntries(money.map((metric) => [metric, null])) }
}

/** Micro-units as a decimal, exact: 1500000n is 1.5. */
export function decimalText(micros: bigint): string {
  const digits = (micros < 0n ? -micros : micros).toString().padStart(DECIMALS + 1, '0')
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '')
  return `${micros < 0n ? '-' : ''}${digits.slice(0, -DECIMALS)}${fraction && `.${fraction}`}`
}

declare global {
  interface JSON {
    /** ES2026, not yet in TypeScript's library. */
    rawJSON(text: string): unknown
  }
}

/** JSON in which money has all its digits, even those that a double would not hold. */
export function figuresToJson(value: object): string {
  return JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? JSON.rawJSON(decimalText(each)) : each))
}

function figureOf(metric: ReportMetric, row: MeasuredRow): Figure {
  const ratio = ratios[metric]
  if (!ratio)
    return isMoney(metric as Measure) ? BigInt(row[metric as Measure] ?? 0) : Number(row[metric as Measure] ?? 0)
  const [above, below] = ratio.map((measure) => Number(row[measure] ?? 0))
  return below === 0 ? null : above! / below!
}
