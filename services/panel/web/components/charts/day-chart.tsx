import { VisuallyHidden } from '@mantine/core'
import { t } from '../../messages/components.ts'
import { LineChart } from './line-chart.tsx'

export interface DayChartProps {
  /** The name of the metric: 'Spend'. */
  label: string
  /** `day`: YYYY-MM-DD. The last one is today, which is not over. */
  points: readonly { day: string; value: number | null; before?: number | null }[]
  format: (value: number) => string
  /** Also draws the previous period. */
  isCompared?: boolean
  /** Pixels. */
  height: number
}

const shortDay = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })
const wholeDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })

/** One metric by day as a chart, and as a hidden table for screen readers. */
export default function DayChart({ label, points, format, isCompared = false, height }: DayChartProps) {
  const caption = isCompared ? t('metricByDayCompared', { metric: label }) : t('metricByDay', { metric: label })
  const shown = (value: number | null | undefined) => (value == null ? '–' : format(value))
  const befores = isCompared ? { before: points.map(({ before = null }) => before) } : {}
  return (
    <>
      <LineChart
        label={caption}
        height={height}
        points={points.map(({ day }) => shortDay.format(Date.parse(day)))}
        lines={[{ label, values: points.map(({ value }) => value), ...befores, format }]}
        axes={[{ title: label, format }]}
        partialLabel={t('todaySoFar')}
        {...(isCompared && { beforeLabel: t('previousPeriod') })}
      />
      <VisuallyHidden>
        <table>
          <caption>{caption}</caption>
          <thead>
            <tr>
              <th scope="col">{t('day')}</th>
              <th scope="col">{label}</th>
              {isCompared && <th scope="col">{t('previousPeriod')}</th>}
            </tr>
          </thead>
          <tbody>
            {points.map(({ day, value, before }) => (
              <tr key={day}>
                <th scope="row">{wholeDay.format(Date.parse(day))}</th>
                <td>{shown(value)}</td>
                {isCompared && <td>{shown(before)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </>
  )
}
