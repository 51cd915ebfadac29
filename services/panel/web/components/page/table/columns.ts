import { useLocalStorage } from '@mantine/hooks'
import type { ReactNode } from 'react'

/** What a column is sorted by, and what a CSV file says: a number, a text, or an ISO date. */
export type Value = string | number | null | undefined

export interface Column<T> {
  /** The head of the column, and the label of each value on a phone. */
  title: string
  /** Names the column in the browser's storage. Default: the title. */
  key?: string
  /** A text or one element: on a phone, the parts of a fragment would lie side by side. */
  cell: (row: T) => ReactNode
  /** `end` aligns numbers. */
  align?: 'end'
  /** Any CSS width. */
  width?: string | number
  /** Makes the column sortable. Rows without a value come last. */
  sortBy?: (row: T) => Value
  /** The value in a CSV file. Default: that of `sortBy`; a column with neither is not in the file. */
  csv?: (row: T) => Value
  /** Its values are not there yet. Until they are, the table is not to be had as a file. */
  isMissing?: boolean
  /** The column's cell in the row of totals, over all rows that search and filters leave. */
  total?: (rows: readonly T[]) => ReactNode
  /** Users show the column by the menu "Columns"; the table needs an `id`. */
  isHidden?: boolean
  /** Holds buttons: stays in sight when the table scrolls, and cannot be hidden. */
  isActions?: boolean
}

export interface ColumnChoice<T> {
  /** The columns that are shown, in order. */
  shown: readonly Column<T>[]
  /** The columns that can be hidden: all but the first, which names the row, and actions. */
  optional: readonly Column<T>[]
  choose: (shownKeys: readonly string[]) => void
  /** Null while the columns are those that the page shows at first. */
  reset: (() => void) | null
}

export const keyOf = <T>({ key, title }: Column<T>): string => key ?? title

/**
 * The columns of a table, as the user has chosen them; kept in the browser under the table's id. What differs from the
 * first choice is kept, so that a new column appears.
 */
export function useColumns<T>(id: string | undefined, columns: readonly Column<T>[]): ColumnChoice<T> {
  const [differing, keep] = useLocalStorage<Record<string, boolean>>({
    key: `endcap-columns-${id ?? ''}`,
    defaultValue: {},
    getInitialValueInEffect: false,
  })
  const optional = columns.filter((column, at) => at > 0 && !column.isActions)
  const isShown = (column: Column<T>) =>
    !optional.includes(column) || ((id ? differing[keyOf(column)] : undefined) ?? !column.isHidden)
  return {
    shown: columns.filter(isShown),
    optional,
    choose(shownKeys) {
      const chosen = optional.map((column) => [keyOf(column), shownKeys.includes(keyOf(column))] as const)
      keep(Object.fromEntries(chosen.filter(([, isOn], at) => isOn === Boolean(optional[at]!.isHidden))))
    },
    reset: Object.keys(differing).length === 0 ? null : () => keep({}),
  }
}
