import { Center, Paper, Skeleton, Text } from '@mantine/core'
import { LazyPart } from '../../../components/loading/lazy.tsx'
import { mixesCurrencies } from '../table/rows.ts'
import type { ReportView } from '../use-report.ts'

const CHART_HEIGHT = 260
/** Includes the line under the chart. */
const FRAME_HEIGHT = CHART_HEIGHT + 18

const loadChart = () => import('./report-chart.tsx')

/** Reserves the height of the chart, whose code is loaded only for reports. */
export function ChartFrame({ view }: { view: ReportView | undefined }) {
  return (
    <Paper withBorder p="md" bg="var(--panel-surface)" style={{ borderColor: 'var(--panel-border)' }}>
      <div style={{ minHeight: FRAME_HEIGHT }}>
        {view ? <Content view={view} /> : <Skeleton height={FRAME_HEIGHT} />}
      </div>
    </Paper>
  )
}

function Content({ view }: { view: ReportView }) {
  const { rows } = view.report
  if (rows.length === 0) return <Instead text="Nothing to draw in these days." />
  if (mixesCurrencies(rows, view.state.charted)) {
    return <Instead text="Amounts in several currencies cannot share a chart. Choose one shop, or press a count." />
  }
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
