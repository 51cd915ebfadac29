import { t } from '../../../messages/pages/reports.ts'
import { addDays, dayLabel } from '../controls/periods.ts'
import { isPerCurrency } from '../figures/currencies.ts'
import { algorithmLabel, type Dimension, isTime, type Metric, type ReportRow } from '../vocabulary.ts'

/** The value of a dimension in a row: an id, a day or an hour; null when the row has none. */
export const dimensionValue = (row: ReportRow, dimension: Dimension): string | null =>
  (row as Record<string, unknown>)[dimension] as string | null

const nameIn = (row: ReportRow, dimension: Dimension): string | null =>
  ((row as Record<string, unknown>)[`${dimension}Name`] as string | null | undefined) ?? null

/** The label of the value. */
export function labelOf(row: ReportRow, dimension: Dimension): string {
  const name = nameIn(row, dimension)
  if (name !== null) return name
  const value = dimensionValue(row, dimension)
  if (value === null)
    return dimension === 'product' ? t('banners') : dimension === 'banner' ? t('products') : t('unknown')
  return timeLabel(dimension, value) ?? (dimension === 'algorithm' ? algorithmLabel(value) : value)
}

/** The full name with its id, because the cell may truncate the name. */
export function tooltipOf(row: ReportRow, dimension: Dimension): string {
  const name = nameIn(row, dimension)
  return name === null ? labelOf(row, dimension) : `${name} (${dimensionValue(row, dimension)})`
}

/** Formats a day or an hour without the year, which the page shows; null for other dimensions. */
export function timeLabel(dimension: Dimension, value: string): string | null {
  if (dimension === 'day') return dayLabel(value, { weekday: 'short', day: 'numeric', month: 'short' })
  if (dimension !== 'hour') return null
  const day = dayLabel(value.slice(0, 10), { day: 'numeric', month: 'short' })
  return `${day}, ${value.slice(11, 16)}`
}

/** The key of a row. */
export const keyOf = (row: ReportRow, groupBy: readonly Dimension[]): string =>
  JSON.stringify([...groupBy.map((dimension) => dimensionValue(row, dimension)), row.currency])

/** Shifts the days of an earlier report's rows by `shiftDays`. */
export function movedRows(rows: readonly ReportRow[], groupBy: readonly Dimension[], shiftDays: number): ReportRow[] {
  if (shiftDays === 0) return [...rows]
  return rows.map((row) => {
    const moved = groupBy.filter(isTime).map((dimension) => {
      const value = dimensionValue(row, dimension)!
      return [dimension, addDays(value.slice(0, 10), shiftDays) + value.slice(10)]
    })
    return { ...row, ...Object.fromEntries(moved) }
  })
}

/** Finds the row of an earlier report with which a row is compared. */
export function rowBefore(
  rows: readonly ReportRow[],
  groupBy: readonly Dimension[],
  shiftDays: number,
): (row: ReportRow) => ReportRow | undefined {
  // The earlier days may have another UTC offset, so hours are matched by clock time.
  const keyed = (row: ReportRow) => keyOf(shiftDays === 0 ? row : withoutOffset(row, groupBy), groupBy)
  const byKey = new Map(movedRows(rows, groupBy, shiftDays).map((row) => [keyed(row), row]))
  return (row) => byKey.get(keyed(row))
}

const withoutOffset = (row: ReportRow, groupBy: readonly Dimension[]): ReportRow =>
  groupBy.includes('hour') ? ({ ...row, hour: dimensionValue(row, 'hour')!.slice(0, 13) } as ReportRow) : row

/** Sorts rows by a column. Rows without a figure come last. */
export function sortedRows(
  rows: readonly ReportRow[],
  { column, descending }: { column: Dimension | Metric; descending: boolean },
  groupBy: readonly Dimension[],
): ReportRow[] {
  const sign = descending ? -1 : 1
  const dimension = groupBy.find((each) => each === column)
  if (dimension) {
    const textOf = (row: ReportRow) => (isTime(dimension) ? dimensionValue(row, dimension)! : labelOf(row, dimension))
    return rows.toSorted((a, b) => sign * textOf(a).localeCompare(textOf(b), undefined, { numeric: true }))
  }
  const metric = column as Metric
  return rows.toSorted((a, b) => {
    const [left, right] = [a[metric], b[metric]]
    if (left == null || right == null) return Number(left == null) - Number(right == null)
    return sign * (left - right)
  })
}

/** Whether the rows' amounts are in several currencies and cannot be compared. */
export const mixesCurrencies = (rows: readonly ReportRow[], metric: Metric): boolean =>
  isPerCurrency(metric) && new Set(rows.map(({ currency }) => currency)).size > 1
