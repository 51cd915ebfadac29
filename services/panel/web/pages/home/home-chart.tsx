import { VisuallyHidden } from '@mantine/core'
import { LineChart } from '../../components/charts/line-chart.tsx'
import { t } from '../../messages/pages/home.ts'
import { dayLabel } from '../reports/controls/periods.ts'

export interface HomeChartProps {
  /** The name of the metric: 'Spend'. */
  label: string
  /** `day`: YYYY-MM-DD; the last one is today. */
  points: readonly { day: string; value: number | null; before: number | null }[]
  format: (value: number) => string
  /** Pixels. */
  height: number
}

/** One metric by day over that of the previous period, and as a hidden table for screen readers. */
export default function HomeChart({ label, points, format, height }: HomeChartProps) {
  const shown = (value: number | null) => (value === null ? '–' : format(value))
  return (
    <>
      <LineChart
        label={t('chartLabel', { metric: label })}
        height={height}
        points={points.map(({ day }) => dayLabel(day, { day: 'numeric', month: 'short' }))}
        lines={[
          { label, values: points.map(({ value }) => value), before: points.map(({ before }) => before), format },
        ]}
        axes={[{ title: label, format }]}
        beforeLabel={t('previousPeriod')}
        partialLabel={t('today')}
      />
      <VisuallyHidden>
        <table>
          <caption>{t('chartLabel', { metric: label })}</caption>
          <thead>
            <tr>
              <th scope="col">{t('day')}</th>
              <th scope="col">{label}</th>
              <th scope="col">{t('previousPeriod')}</th>
            </tr>
          </thead>
          <tbody>
            {points.map(({ day, value, before }) => (
              <tr key={day}>
                <th scope="row">{dayLabel(day)}</th>
                <td>{shown(value)}</td>
                <td>{shown(before)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </>
  )
}
