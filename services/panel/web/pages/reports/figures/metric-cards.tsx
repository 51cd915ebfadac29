import { Skeleton, Text, UnstyledButton } from '@mantine/core'
import { t } from '../../../messages/pages/reports.ts'
import type { ReportState } from '../report-state.ts'
import type { ReportView } from '../use-report.ts'
import { aboutOf, type Metric, wordFor } from '../vocabulary.ts'
import { ChangeBadge } from './change-badge.tsx'
import { figureBefore, isPerCurrency } from './currencies.ts'
import { exactText, figureText, sumsOf } from './figures.ts'
import classes from './metric-cards.module.css'

export interface MetricCardsProps {
  state: ReportState
  /** Undefined while it is loading. */
  view: ReportView | undefined
  onChart: (metric: Metric) => void
}

/** The totals of a report. Clicking one shows it in the chart, or hides it. */
export function MetricCards({ state, view, onChart }: MetricCardsProps) {
  return (
    <fieldset className={classes.cards} aria-label={t('totalsLabel')}>
      {state.metrics.map((metric) => (
        <UnstyledButton
          key={metric}
          className={classes.card}
          aria-pressed={state.charted.includes(metric)}
          title={aboutOf(metric)}
          onClick={() => onChart(metric)}
        >
          <Text size="sm" c="dimmed">
            {wordFor(metric)}
          </Text>
          {view ? <Sums view={view} metric={metric} /> : <Skeleton height={22} width={80} mt={3} mb={3} />}
        </UnstyledButton>
      ))}
    </fieldset>
  )
}

function Sums({ view: { report, reference }, metric }: { view: ReportView; metric: Metric }) {
  const sums = sumsOf(report.totals, report.totalsByCurrency).filter((_, i) => isPerCurrency(metric) || i === 0)
  return sums.map((sum) => {
    const { currency } = sum
    const value = isPerCurrency(metric) ? sum[metric] : report.totals[metric]
    return (
      <div key={currency} className={classes.line}>
        <span className={classes.value} title={exactText(metric, value, currency)}>
          {figureText(metric, value, currency)}
        </span>
        {reference && (
          <ChangeBadge
            metric={metric}
            value={value}
            before={figureBefore(reference.report, metric, currency)}
            currency={currency}
            reference={reference}
          />
        )}
      </div>
    )
  })
}
