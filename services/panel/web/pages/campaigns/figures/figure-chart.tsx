import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import { VisuallyHidden } from '@mantine/core'

export interface FigureChartProps {
  /** The name of the metric: 'Spend'. */
  label: string
  /** `day`: YYYY-MM-DD. */
  points: readonly { day: string; value: number }[]
  format: (value: number) => string
  /** Pixels. */
  height: number
}

const shortDay = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** One metric by day as bars, and as a hidden table for screen readers. */
export default function FigureChart({ label, points, format, height }: FigureChartProps) {
  const data = points.map(({ day, value }) => ({ day: shortDay.format(new Date(day)), [label]: value }))
  return (
    <>
      <div aria-hidden>
        <BarChart
          h={height}
          data={data}
          dataKey="day"
          series={[{ name: label, color: 'indigo.6' }]}
          valueFormatter={format}
          tickLine="none"
          gridAxis="x"
          yAxisProps={{ width: 72 }}
          barProps={{ isAnimationActive: false, maxBarSize: 36 }}
          barChartProps={{ accessibilityLayer: false }}
        />
      </div>
      <VisuallyHidden>
        <table>
          <caption>{label} by day</caption>
          <tbody>
            {points.map(({ day, value }) => (
              <tr key={day}>
                <th scope="row">{day}</th>
                <td>{format(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </>
  )
}
