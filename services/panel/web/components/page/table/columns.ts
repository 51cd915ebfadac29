import { useLocalStorage } from '@mantine/hooks'
import type { ReactNode } from 'react'

/** The value that a column is sorted by, or that a CSV file contains: a number, a text, or an ISO date. */
export type Value = string | number | null | undefined

export interface Column<T> {
  /** The head of the column, and the label of each value on a phone. */
  title: string
  /** Names the column in the browser's storage. Default: the title. */
  key?: string
  /** Returns a text or one element: on a phone, the parts of a fragment would be side by side. */
  cell: (row: T) => ReactNode
  /** `end` aligns numbers. */
  align?: 'end'
  /** Any CSS width. */
  width?: string | number
  /** Makes the column sortable. Rows without a value come last. */
  sortBy?: (row: T) => Value
  /** The value in a CSV file. Default: that of `sortBy`; a column with neither is not in the file. */
  csv?: (row: T) => Value
  /** The column's values are still loading. Until they are there, the table cannot be saved as a file. */
  isMissing?: boolean
  /** The column's cell in the row of totals, computed from all rows that match search and filters. */
  total?: (rows: readonly T[]) => ReactNode
  /** Hidden at first. Users show it in the menu "Columns", so the table needs an `id`. */
  isHidden?: boolean
  /** The column holds buttons: it stays visible when the table scrolls, and cannot be hidden. */
  isActions?: boolean
}

export interface ColumnChoice<T> {
  /** The columns that are shown, in order. */
  shown: readonly Column<T>[]
  /** The columns that can be hidden: all but the first, which names the row, and those with `isActions`. */
  optional: readonly Column<T>[]
  choose: (shownKeys: readonly string[]) => void
  /** Null while the shown columns are the default ones. */
  reset: (() => void) | null
}

export const keyOf = <T>({ key, title }: Column<T>): string => key ?? title

/**
 * The columns of a table as the user has chosen them, stored in the browser under the table's id. Only differences from the default
 * are stored, so that a column added later appears.
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
