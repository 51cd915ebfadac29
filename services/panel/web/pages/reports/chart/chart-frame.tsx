import { Center, Paper, Skeleton, Text } from '@mantine/core'
import { LazyPart } from '../../../components/loading/lazy.tsx'
import { t } from '../../../messages/pages/reports.ts'
import { mixesCurrencies } from '../table/rows.ts'
import type { ReportView } from '../use-report.ts'

const CHART_HEIGHT = 260
/** Includes the legend. */
const FRAME_HEIGHT = CHART_HEIGHT + 26

const loadChart = () => import('./report-chart.tsx')

/** Reserves the height of the chart, whose code is loaded once it is seen. */
export function ChartFrame({ view }: { view: ReportView | undefined }) {
  return (
    <Paper withBorder p="md" bg="var(--panel-surface)" style={{ borderColor: 'var(--panel-border)' }}>
      {view?.reference && (
        <Text size="xs" c="dimmed" mb="xs">
          {view.reference.label}
        </Text>
      )}
      <div style={{ minHeight: FRAME_HEIGHT }}>
        {view ? <Content view={view} /> : <Skeleton height={FRAME_HEIGHT} />}
      </div>
    </Paper>
  )
}

function Content({ view }: { view: ReportView }) {
  const { rows } = view.report
  if (rows.length === 0) return <Instead text={t('nothingToDraw')} />
  if (view.state.charted.some((metric) => mixesCurrencies(rows, metric))) return <Instead text={t('mixedCurrencies')} />
  return <LazyPart load={loadChart} props={{ view, height: CHART_HEIGHT }} height={FRAME_HEIGHT} />
}

function Instead({ text }: { text: string }) {
  return (
    <Center h={FRAME_HEIGHT}>
      <Text c="dimmed" size="sm" ta="center">
        {text}
      </Text>
    </Center>
  )
}
