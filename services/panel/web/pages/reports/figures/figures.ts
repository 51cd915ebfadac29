import { DECIMALS_MAX, formatMoney } from '../../../components/values/money.tsx'
import { formatRoas } from '../../../components/values/numbers.ts'
import { t } from '../../../messages/pages/reports.ts'
import { type Metric, type Totals, traitsOf } from '../vocabulary.ts'

const count = new Intl.NumberFormat()
const percent = new Intl.NumberFormat(undefined, {
  style: 'percent',
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
})
const change = new Intl.NumberFormat(undefined, {
  style: 'percent',
  maximumFractionDigits: 1,
  signDisplay: 'exceptZero',
})
const compact = new Intl.NumberFormat(undefined, { notation: 'compact' })
const COMPACT_MONEY = { notation: 'compact', minimumFractionDigits: 0, maximumFractionDigits: 2 } as const
const compactPercent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 })

/** Below this amount, rounding to two decimals would hide most of it. */
const SMALL = 0.1

/** Formats a figure; a dash if it is missing, or has no sum because of several currencies. */
export function figureText(metric: Metric, value: number | null | undefined, currency: string | null): string {
  if (value == null) return '–'
  switch (traitsOf(metric).kind) {
    case 'count':
      return count.format(value)
    case 'share':
      return percent.format(value)
    case 'ratio':
      return formatRoas(value)
    case 'money':
      return currency === null ? '–' : moneyText(value, currency)
  }
}

/** An amount with all the decimals that `figureText` rounds away; undefined when it rounds nothing. */
export function exactText(metric: Metric, value: number | null | undefined, currency: string | null) {
  if (value == null || currency === null || traitsOf(metric).kind !== 'money') return undefined
  const exact = formatMoney(value, currency, { maximumFractionDigits: DECIMALS_MAX })
  return exact === figureText(metric, value, currency) ? undefined : exact
}

/** Formats a figure for an axis: 1.2K, €1.2K. */
export function axisText(metric: Metric, value: number, currency: string | null): string {
  const { kind } = traitsOf(metric)
  if (kind === 'money' && currency !== null) return formatMoney(value, currency, COMPACT_MONEY)
  return kind === 'share' ? compactPercent.format(value) : compact.format(value)
}

export interface MetricChange {
  text: string
  /** 1: more, -1: less, 0: the same. */
  direction: number
  mood: 'good' | 'bad' | 'neutral'
}

/** The change between two figures, in per cent or absolute; null when one of them is missing. */
export function changeOf(
  metric: Metric,
  figures: { value: number | null | undefined; before: number | null | undefined; currency: string | null },
  style: 'percent' | 'difference',
): MetricChange | null {
  const { value, before, currency } = figures
  if (value == null || before == null) return null
  const difference = value - before
  const direction = Math.sign(difference)
  const { isGood, kind } = traitsOf(metric)
  const mood = isGood && direction !== 0 ? (direction > 0 ? 'good' : 'bad') : 'neutral'
  if (style === 'percent') {
    if (before === 0)
      return direction === 0 ? { text: change.format(0), direction, mood } : { text: t('new'), direction, mood }
    return { text: change.format(difference / before), direction, mood }
  }
  if (kind === 'money' && currency === null) return null
  const sign = direction > 0 ? '+' : direction < 0 ? '−' : '±'
  return { text: `${sign}${figureText(metric, Math.abs(difference), currency)}`, direction, mood }
}

/** The totals of a report: one row for each currency. */
export const sumsOf = (totals: Totals, byCurrency: readonly Totals[]): readonly Totals[] =>
  totals.currency === null && byCurrency.length > 1 ? byCurrency : [totals]

function moneyText(value: number, currency: string): string {
  const isSmall = value !== 0 && Math.abs(value) < SMALL
  return formatMoney(value, currency, isSmall ? { maximumFractionDigits: DECIMALS_MAX } : {})
}
