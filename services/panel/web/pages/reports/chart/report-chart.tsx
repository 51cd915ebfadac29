import { Text } from '@mantine/core'
import { useMemo } from 'react'
import { LineChart } from '../../../components/charts/line-chart.tsx'
import { t } from '../../../messages/pages/reports.ts'
import { uncapitalised } from '../../../messages/uncapitalised.ts'
import { figureText } from '../figures/figures.ts'
import { labelOf, rowBefore } from '../table/rows.ts'
import type { ReportView } from '../use-report.ts'
import { isTime, type Metric, wordFor } from '../vocabulary.ts'
import classes from './bars.module.css'
import { linesOf } from './chart-data.ts'

const BARS_MAX = 10

/** The chosen metrics as a chart. The table below has the same figures for those who cannot see the chart. */
export default function ReportChart({ view, height }: { view: ReportView; height: number }) {
  const { groupBy, charted } = view.state
  const time = groupBy.find(isTime)
  const data = useMemo(() => (time ? linesOf(view, time) : null), [view, time])
  const metrics = charted.map((metric) => wordFor(metric)).join(', ')
  const dimensions = groupBy.map((each) => uncapitalised(wordFor(each)))
  const by = dimensions.length > 1 ? t('and', { first: dimensions[0]!, second: dimensions[1]! }) : dimensions[0]!
  const label = t('chartOf', { metrics, dimensions: by })
  if (!data) return <Bars view={view} label={label} />
  const { left, ...chart } = data
  return (
    <>
      <LineChart
        {...chart}
        label={label}
        height={height}
        beforeLabel={view.reference?.kind === 'settings' ? t('shopSettings') : t('previousPeriod')}
      />
      {left > 0 && <LeftOut shown={data.lines.length} left={left} />}
    </>
  )
}

const LeftOut = (count: { shown: number; left: number }) => (
  <Text size="xs" c="dimmed" ta="end">
    {t('greatestShown', count)}
  </Text>
)

/** The greatest values of a dimension as bars, in a column for each metric. Each column has its own scale. */
function Bars({ view, label }: { view: ReportView; label: string }) {
  const { report, reference, state } = view
  const { charted, groupBy } = state
  const [first] = charted as [Metric]
  const rows = report.rows.toSorted((a, b) => (b[first] ?? 0) - (a[first] ?? 0)).slice(0, BARS_MAX)
  const before = reference && rowBefore(reference.report.rows, groupBy, reference.shiftDays)
  const greatest = charted.map((metric) =>
    Math.max(0, ...rows.flatMap((row) => [row[metric] ?? 0, before?.(row)?.[metric] ?? 0])),
  )
  const share = (value: number | null | undefined, i: number) =>
    `${greatest[i] ? (100 * (value ?? 0)) / greatest[i] : 0}%`
  const left = report.rows.length - rows.length
  return (
    <>
      <div role="img" aria-label={label} className={classes.chart} data-many={charted.length > 1}>
        <table>
          <thead hidden={charted.length < 2}>
            <tr>
              <td />
              {charted.map((metric) => (
                <th key={metric} scope="col">
                  {wordFor(metric)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => {
              const name = groupBy.map((dimension) => labelOf(row, dimension)).join(' · ')
              const earlier = before?.(row)
              return (
                <tr
                  key={`${name} ${row.currency} ${groupBy.map((each) => (row as Record<string, unknown>)[each]).join(' ')}`}
                >
                  <th scope="row" className={classes.name} title={name}>
                    <div>{name}</div>
                  </th>
                  {charted.map((metric, i) => (
                    <td key={metric}>
                      <div className={classes.measure}>
                        <div className={classes.track}>
                          <div className={classes.bar} style={{ width: share(row[metric], i) }} />
                          {reference && (
                            <div className={classes.before} style={{ width: share(earlier?.[metric], i) }} />
                          )}
                        </div>
                        <span>{figureText(metric, row[metric], row.currency)}</span>
                      </div>
                    </td>
                  ))}
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
      <p className={classes.note}>
        {reference && (
          <span>
            <span className={classes.key} aria-hidden />
            {reference.kind === 'settings' ? t('shopSettings') : t('previousPeriod')}
          </span>
        )}
        {left > 0 && <span>{t('greatestShown', { shown: rows.length, left })}</span>}
      </p>
    </>
  )
}
