import { BarChart, LineChart } from '@mantine/charts'
import '@mantine/charts/styles.css'
import { Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { axisText, figureText } from '../figures/figures.ts'
import type { ReportView } from '../use-report.ts'
import { dimensions, wordsOf } from '../vocabulary.ts'
import { type ChartData, chartDataOf } from './chart-data.ts'

const COLORS = ['indigo.6', 'teal.6', 'orange.6', 'grape.6', 'cyan.7'] as const
const REFERENCE_COLOR = 'gray.5'
/** The names beside the bars: their width in pixels, and how many characters fit. */
const NAMES_WIDE = { width: 184, charsMax: 26 }
const NAMES_NARROW = { width: 104, charsMax: 14 }

/** The chosen metric as a chart. The table below has the same figures for those who cannot see the chart. */
export default function ReportChart({ view, height }: { view: ReportView; height: number }) {
  const { state, report } = view
  const data = chartDataOf(view)
  const currency = report.totals.currency ?? report.rows[0]?.currency ?? null
  const name = `${wordsOf(state.charted).label} by ${state.groupBy.map((each) => dimensions[each].toLowerCase()).join(' and ')}`
  const shared = {
    h: height,
    data: data.points,
    dataKey: 'label',
    series: seriesOf(data),
    withLegend: data.series.length > 1,
    // Keeps the order of the table instead of sorting by name.
    legendProps: { itemSorter: null, height: 32 },
    valueFormatter: (value: number) => figureText(state.charted, value, currency),
    accessibilityLayer: false,
  }
  const names = useMediaQuery('(min-width: 48em)') ? NAMES_WIDE : NAMES_NARROW
  const axis = { tickFormatter: (value: number) => axisText(state.charted, value) }
  return (
    <div role="img" aria-label={`Chart of ${name}; the table below has its figures`}>
      {data.kind === 'lines' ? (
        <LineChart
          {...shared}
          curveType="linear"
          withDots={data.points.length === 1}
          lineProps={{ isAnimationActive: false }}
          xAxisProps={{ minTickGap: 28 }}
          yAxisProps={{ ...axis, width: 52 }}
        />
      ) : (
        <BarChart
          {...shared}
          orientation="vertical"
          maxBarWidth={18}
          barProps={{ isAnimationActive: false, radius: 2 }}
          gridAxis="y"
          tickLine="none"
          xAxisProps={axis}
          yAxisProps={{
            width: names.width,
            interval: 0,
            tick: (tick: Tick) => <BarName {...tick} charsMax={names.charsMax} />,
          }}
        />
      )}
      {data.left > 0 && (
        <Text size="xs" c="dimmed" ta="end">
          {`The greatest ${data.kind === 'lines' ? data.series.length : data.points.length} are shown; ${data.left} more are in the table.`}
        </Text>
      )}
    </div>
  )
}

const seriesOf = ({ series }: ChartData) =>
  series.map(({ name, label, isReference }, i) => ({
    name,
    label,
    color: isReference ? REFERENCE_COLOR : COLORS[i % COLORS.length]!,
    ...(isReference && { strokeDasharray: '4 4' }),
  }))

interface Tick {
  x: number | string
  y: number | string
  payload: { value: string }
}

/** The name of a bar on one line. The axis' own label would wrap over its neighbours. */
const BarName = ({ x, y, payload: { value }, charsMax }: Tick & { charsMax: number }) => (
  <text x={x} y={y} dy="0.35em" textAnchor="end" fontSize={12} fill="var(--mantine-color-dimmed)">
    {value.length > charsMax ? `${value.slice(0, charsMax - 1)}…` : value}
  </text>
)
