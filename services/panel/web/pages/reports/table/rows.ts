import { addDays, dayLabel } from '../controls/periods.ts'
import { algorithmLabel, type Dimension, isTime, type Metric, type Row, wordsOf } from '../vocabulary.ts'

/** Value of a dimension in a row: an id, a day, an hour; null where it has none. */
export const dimensionValue = (row: Row, dimension: Dimension): string | null =>
  (row as Record<string, unknown>)[dimension] as string | null

const nameIn = (row: Row, dimension: Dimension): string | null =>
  ((row as Record<string, unknown>)[`${dimension}Name`] as string | null | undefined) ?? null

/** The value as people know it. */
export function labelOf(row: Row, dimension: Dimension): string {
  const name = nameIn(row, dimension)
  if (name !== null) return name
  const value = dimensionValue(row, dimension)
  if (value === null) return nothing[dimension] ?? '(unknown)'
  return timeLabel(dimension, value) ?? (dimension === 'algorithm' ? algorithmLabel(value) : value)
}

/** A name in full, which may be cut, with its id; of values without a name nothing. */
export function tooltipOf(row: Row, dimension: Dimension): string | undefined {
  const name = nameIn(row, dimension)
  return name === null ? undefined : `${name} (${dimensionValue(row, dimension)})`
}

const nothing: Partial<Record<Dimension, string>> = { product: '(banners)', banner: '(products)' }

/** A day or an hour as it is read here, without its year, which the page has; null for other dimensions. */
export function timeLabel(dimension: Dimension, value: string): string | null {
  if (dimension === 'day') return dayLabel(value, { weekday: 'short', day: 'numeric', month: 'short' })
  if (dimension !== 'hour') return null
  const day = dayLabel(value.slice(0, 10), { day: 'numeric', month: 'short' })
  return `${day}, ${value.slice(11, 16)}`
}

/** What tells rows apart. */
export const keyOf = (row: Row, groupBy: readonly Dimension[]): string =>
  JSON.stringify([...groupBy.map((dimension) => dimensionValue(row, dimension)), row.currency])

/** Rows of an earlier report with their days so many later. */
export function movedRows(rows: readonly Row[], groupBy: readonly Dimension[], shiftDays: number): Row[] {
  if (shiftDays === 0) return [...rows]
  return rows.map((row) => {
    const moved = groupBy.filter(isTime).map((dimension) => {
      const value = dimensionValue(row, dimension)!
      return [dimension, addDays(value.slice(0, 10), shiftDays) + value.slice(10)]
    })
    return { ...row, ...Object.fromEntries(moved) }
  })
}

/** Finds the row of an earlier report that a row stands beside. */
export function rowBefore(
  rows: readonly Row[],
  groupBy: readonly Dimension[],
  shiftDays: number,
): (row: Row) => Row | undefined {
  // Other days may be at another distance from UTC: their hours are told by what the clock shows.
  const keyed = (row: Row) => keyOf(shiftDays === 0 ? row : withoutOffset(row, groupBy), groupBy)
  const byKey = new Map(movedRows(rows, groupBy, shiftDays).map((row) => [keyed(row), row]))
  return (row) => byKey.get(keyed(row))
}

const withoutOffset = (row: Row, groupBy: readonly Dimension[]): Row =>
  groupBy.includes('hour') ? ({ ...row, hour: dimensionValue(row, 'hour')!.slice(0, 13) } as Row) : row

/** Sorted by a column; rows without a figure come last. */
export function sortedRows(
  rows: readonly Row[],
  { column, descending }: { column: Dimension | Metric; descending: boolean },
  groupBy: readonly Dimension[],
): Row[] {
  const sign = descending ? -1 : 1
  const dimension = groupBy.find((each) => each === column)
  if (dimension) {
    const textOf = (row: Row) => (isTime(dimension) ? dimensionValue(row, dimension)! : labelOf(row, dimension))
    return rows.toSorted((a, b) => sign * textOf(a).localeCompare(textOf(b), undefined, { numeric: true }))
  }
  const metric = column as Metric
  return rows.toSorted((a, b) => {
    const [left, right] = [a[metric], b[metric]]
    if (left == null || right == null) return Number(left == null) - Number(right == null)
    return sign * (left - right)
  })
}

/** Whether the rows' amounts are in several currencies, and so cannot be set side by side. */
export const mixesCurrencies = (rows: readonly Row[], metric: Metric): boolean =>
  ['money', 'ratio'].includes(wordsOf(metric).kind) && new Set(rows.map(({ currency }) => currency)).size > 1
