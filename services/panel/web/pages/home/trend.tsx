import { Center, SegmentedControl, Skeleton, Text } from '@mantine/core'
import { useState } from 'react'
import { LazyPart } from '../../components/loading/lazy.tsx'
import { ErrorState } from '../../components/page/error-state.tsx'
import { PanelCard } from '../../components/page/panel-card.tsx'
import { formatMoney } from '../../components/values/money.tsx'
import { formatCount, formatRoas } from '../../components/values/numbers.ts'
import { t } from '../../messages/pages/home.ts'
import { addDays, countDays } from '../reports/controls/periods.ts'
import type { HomeReport, Report } from './use-home-report.ts'

const loadChart = () => import('../../components/charts/day-chart.tsx')
const CHART_HEIGHT = 230
/** Includes the legend. */
const FRAME_HEIGHT = CHART_HEIGHT + 34

const metrics = ['revenue', 'spend', 'roas', 'clicks', 'views'] as const
type Metric = (typeof metrics)[number]
const labels: Record<Metric, string> = {
  revenue: t('sales'),
  spend: t('spend'),
  roas: t('roas'),
  clicks: t('clicks'),
  views: t('views'),
}

/** A metric of the period by day, compared with the previous period. */
export function Trend({ report }: { report: HomeReport }) {
  const [metric, setMetric] = useState<Metric>('revenue')
  const { problem, retry, data } = report.current
  return (
    <PanelCard
      title={t('chartTitle')}
      actions={
        <SegmentedControl
          aria-label={t('chartMetric')}
          size="xs"
          value={metric}
          onChange={setMetric}
          data={metrics.map((value) => ({ value, label: labels[value] }))}
        />
      }
    >
      <div style={{ minHeight: FRAME_HEIGHT }}>
        {problem && !data && <ErrorState problem={problem} retry={retry} />}
        {!problem && !data && <Skeleton height={FRAME_HEIGHT} />}
        {data && <Content report={report} data={data} metric={metric} />}
      </div>
    </PanelCard>
  )
}

function Content({ report, data, metric }: { report: HomeReport; data: Report; metric: Metric }) {
  const { days, previous } = report
  const currencies = new Set(
    [...data.totalsByCurrency, ...(previous.data?.totalsByCurrency ?? [])].map((each) => each.currency),
  )
  const isMoney = metric === 'revenue' || metric === 'spend'
  if (currencies.size === 0) return <Instead text={t('nothingToDraw')} />
  if (currencies.size > 1 && metric !== 'clicks' && metric !== 'views') return <Instead text={t('severalCurrencies')} />
  const [currency] = currencies
  const format = (value: number) =>
    metric === 'roas' ? formatRoas(value) : isMoney && currency ? formatMoney(value, currency) : formatCount(value)
  const length = countDays(days)
  const points = Array.from({ length }, (_, i) => addDays(days.from, i)).map((day) => ({
    day,
    value: figureOn(data, day, metric),
    before: previous.data ? figureOn(previous.data, addDays(day, -length), metric) : null,
  }))
  const props = { label: labels[metric], points, format, isCompared: true, height: CHART_HEIGHT }
  return <LazyPart load={loadChart} props={props} height={FRAME_HEIGHT} />
}

/** A day without a row had no events; a ratio has no value then. */
function figureOn(report: Report, day: string, metric: Metric): number | null {
  const rows = report.rows.filter((row) => row.day === day)
  if (metric === 'roas') return rows[0]?.roas ?? null
  return rows.reduce((sum, row) => sum + (row[metric] ?? 0), 0)
}

function Instead({ text }: { text: string }) {
  return (
    <Center h={FRAME_HEIGHT}>
      <Text c="dimmed" size="sm" ta="center" maw={420}>
        {text}
      </Text>
    </Center>
  )
}
