import { type Metric, metricNames, type ReportAnswer, type ReportRow, type Totals, traitsOf } from '../vocabulary.ts'

/** Whether figures in several currencies have no sum: those of amounts, unlike counts and shares of counts. */
export const isPerCurrency = (metric: Metric): boolean => ['money', 'ratio'].includes(traitsOf(metric).kind)

/**
 * The totals of a report of one shop as its pages show them: amounts are those in the shop's currency, although orders came in
 * others, too. Counts are of all orders. While the shop is loading (`currency` undefined), the report's own totals.
 */
export function totalsIn({ totals, totalsByCurrency }: ReportAnswer, currency: string | undefined): Totals {
  if (currency === undefined || totals.currency === currency) return totals
  const own = totalsByCurrency.find((each) => each.currency === currency)
  const asked = metricNames.filter((metric) => isPerCurrency(metric) && metric in totals)
  return { ...totals, currency, ...Object.fromEntries(asked.map((metric) => [metric, own?.[metric] ?? null])) }
}

/** The total of an earlier report with which one is compared: amounts only with those of the same currency. */
export const figureBefore = ({ totals, totalsByCurrency }: ReportAnswer, metric: Metric, currency: string | null) =>
  !isPerCurrency(metric) || totals.currency === currency
    ? totals[metric]
    : totalsByCurrency.find((each) => each.currency === currency)?.[metric]

/** The sum of a count or an amount over rows; an amount is that in one currency. */
export const sumIn = (rows: readonly ReportRow[], metric: Metric, currency: string | undefined): number =>
  rows.reduce((sum, row) => sum + (isPerCurrency(metric) && row.currency !== currency ? 0 : (row[metric] ?? 0)), 0)
