import { VisuallyHidden } from '@mantine/core'
import { LineChart } from '../../../components/charts/line-chart.tsx'
import { t } from '../../../messages/pages/campaigns/campaigns.ts'

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

/** One metric by day, and as a hidden table for screen readers. */
export default function FigureChart({ label, points, format, height }: FigureChartProps) {
  return (
    <>
      <LineChart
        label={label}
        height={height}
        points={points.map(({ day }) => shortDay.format(new Date(day)))}
        lines={[{ label, values: points.map(({ value }) => value), format }]}
        axes={[{ title: label, format }]}
      />
      <VisuallyHidden>
        <table>
          <caption>{t('metricByDay', { metric: label })}</caption>
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
