import { Button, EmptyState, Group, Paper, Skeleton, Text, Tooltip, UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconChartBarOff } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { formatCount } from '../../../components/values/numbers.ts'
import { t } from '../../../messages/pages/reports.ts'
import { ChangeBadge } from '../figures/change-badge.tsx'
import { exactText, figureText, sumsOf } from '../figures/figures.ts'
import type { ReportState } from '../report-state.ts'
import type { ReportView } from '../use-report.ts'
import { aboutOf, type Dimension, type Metric, type ReportRow, type Totals, traitsOf, wordFor } from '../vocabulary.ts'
import classes from './report-table.module.css'
import { keyOf, labelOf, rowBefore, sortedRows, tooltipOf } from './rows.ts'

/** Thousands of rows are slow to render, so further rows are shown on request. */
const ROWS_STEP = 100
const SKELETON_ROWS = 8

export interface ReportTableProps {
  state: ReportState
  /** Undefined while it is loading. */
  view: ReportView | undefined
  onSort: (sort: ReportState['sort']) => void
  /** The address that drills down into a value of a row; null when nothing is below. */
  linkInto: (row: ReportRow, dimension: Dimension) => string | null
}

/** The rows of a report with their totals. It scrolls sideways if it is wider than the page. */
export function ReportTable({ state, view, onSort, linkInto }: ReportTableProps) {
  const [limit, setLimit] = useState(ROWS_STEP)
  const shown = view?.state ?? state
  if (view?.report.rows.length === 0) return <Nothing />
  const rows = view && sortedRows(view.report.rows, shown.sort, shown.groupBy)
  return (
    <div>
      <Paper withBorder className={classes.frame} tabIndex={0} role="region" aria-label={t('report')} aria-busy={!view}>
        <table className={classes.table}>
          <Head state={shown} onSort={onSort} />
          <tbody>
            {view && rows ? (
              <Rows view={view} rows={rows.slice(0, limit)} linkInto={linkInto} />
            ) : (
              <SkeletonRows columns={shown.groupBy.length + shown.metrics.length} />
            )}
          </tbody>
          {view && <Foot view={view} />}
        </table>
      </Paper>
      {view && rows && (
        <Below view={view} count={rows.length} limit={limit} onMore={() => setLimit(limit + ROWS_STEP)} />
      )}
    </div>
  )
}

function Head({ state, onSort }: Pick<ReportTableProps, 'state' | 'onSort'>) {
  const columns = [
    ...state.groupBy.map((name) => ({ name, about: undefined, isNumber: false })),
    ...state.metrics.map((name) => ({ name, about: aboutOf(name), isNumber: true })),
  ]
  return (
    <thead>
      <tr>
        {columns.map(({ name, about, isNumber }) => {
          const isSorted = state.sort.column === name
          const { descending } = state.sort
          const Arrow = descending ? IconArrowDown : IconArrowUp
          return (
            <th
              key={name}
              scope="col"
              data-align={isNumber ? 'end' : undefined}
              aria-sort={isSorted ? (descending ? 'descending' : 'ascending') : undefined}
            >
              <Tooltip
                label={about}
                disabled={about === undefined}
                events={{ hover: true, focus: true, touch: true }}
                multiline
                maw={260}
              >
                <UnstyledButton
                  className={classes.sort}
                  onClick={() => onSort({ column: name, descending: isSorted ? !descending : isNumber })}
                >
                  {wordFor(name)}
                  <Arrow size={13} aria-hidden visibility={isSorted ? 'visible' : 'hidden'} />
                </UnstyledButton>
              </Tooltip>
            </th>
          )
        })}
      </tr>
    </thead>
  )
}

interface RowsProps extends Pick<ReportTableProps, 'linkInto'> {
  view: ReportView
  rows: readonly ReportRow[]
}

function Rows({ view, rows, linkInto }: RowsProps) {
  const { groupBy, metrics } = view.state
  const { reference } = view
  const before = reference && rowBefore(reference.report.rows, groupBy, reference.shiftDays)
  return rows.map((row) => {
    const key = keyOf(row, groupBy)
    return (
      <tr key={key}>
        {groupBy.map((dimension, i) => {
          const link = linkInto(row, dimension)
          const label = labelOf(row, dimension)
          const Cell = i === 0 ? 'th' : 'td'
          return (
            <Cell
              key={dimension}
              scope={i === 0 ? 'row' : undefined}
              className={classes.name}
              title={tooltipOf(row, dimension)}
            >
              {link === null ? label : <Link to={link}>{label}</Link>}
            </Cell>
          )
        })}
        {metrics.map((metric) => (
          <FigureCell key={metric} metric={metric} sums={[row]} before={before && (before(row) ?? null)} view={view} />
        ))}
      </tr>
    )
  })
}

interface FigureCellProps {
  metric: Metric
  sums: readonly (ReportRow | Totals)[]
  /** Null when the earlier report had no such row; undefined when nothing is compared. */
  before: ReportRow | Totals | null | undefined
  view: ReportView
}

function FigureCell({ metric, sums, before, view: { reference } }: FigureCellProps) {
  return (
    <td data-align="end">
      {sums.map((sum) => {
        const { currency } = sum
        const value = sum[metric]
        return (
          <div key={currency}>
            <span title={exactText(metric, value, currency)}>{figureText(metric, value, currency)}</span>
            {reference && before !== undefined && (
              <div>
                <ChangeBadge
                  metric={metric}
                  value={value}
                  before={before === null ? 0 : before[metric]}
                  currency={currency}
                  reference={reference}
                />
              </div>
            )}
          </div>
        )
      })}
    </td>
  )
}

function Foot({ view }: { view: ReportView }) {
  const { report, reference, state } = view
  const sums = sumsOf(report.totals, report.totalsByCurrency)
  const isOfOne = sums.length === 1 && report.totals.currency === reference?.report.totals.currency
  return (
    <tfoot>
      <tr>
        <th scope="row" colSpan={state.groupBy.length} className={classes.name}>
          {t('total')}
        </th>
        {state.metrics.map((metric) => (
          <FigureCell
            key={metric}
            metric={metric}
            sums={traitsOf(metric).kind === 'count' || traitsOf(metric).kind === 'share' ? [report.totals] : sums}
            before={isOfOne ? reference?.report.totals : undefined}
            view={view}
          />
        ))}
      </tr>
    </tfoot>
  )
}

function Below(props: { view: ReportView; count: number; limit: number; onMore: () => void }) {
  const { view, count, limit, onMore } = props
  return (
    <Group justify="space-between" mt="xs" mih={30}>
      <Text size="sm" c="dimmed" aria-live="polite">
        {count > limit
          ? t('rowsShown', { shown: formatCount(limit), count: formatCount(count) })
          : t('rows', { count })}
        {view.report.truncated && ` · ${t('truncated')}`}
      </Text>
      {count > limit && (
        <Button variant="default" size="xs" onClick={onMore}>
          {t('showMore')}
        </Button>
      )}
    </Group>
  )
}

function SkeletonRows({ columns }: { columns: number }) {
  return Array.from({ length: SKELETON_ROWS }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: rows without anything of their own
    <tr key={row}>
      {Array.from({ length: columns }, (_, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: cells without anything of their own
        <td key={column} data-align={column === 0 ? undefined : 'end'}>
          <Skeleton height={14} my={4} width={column === 0 ? 140 : 52} display="inline-block" />
        </td>
      ))}
    </tr>
  ))
}

function Nothing() {
  return (
    <Paper withBorder className={classes.frame}>
      <EmptyState py="xl" size="sm" icon={<IconChartBarOff />} title={t('noData')} description={t('noDataHelp')} />
    </Paper>
  )
}
