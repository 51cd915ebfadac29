import { useState } from 'react'
import type { ListState } from '../../../data/use-list.ts'
import { type Column, keyOf, type Value } from './columns.ts'
import { type Searchable, searched } from './search.ts'

/** Rows on one page in the browser: few enough to render at once, and for the browser's own search to find. */
export const ROWS_PER_PAGE = 50

export interface Sorting {
  key: string
  direction: 'ascending' | 'descending'
}

export interface ShownRows<T> {
  /** All rows that match the search, in order; undefined while they are loading. */
  all: readonly T[] | undefined
  /** The rows of the current page. */
  page: readonly T[] | undefined
  /** The index in `all` of the first row of the page. */
  from: number
  sorting: Sorting | null
  /** Goes to the next order of a column: sorted by it, sorted the other way round, and the order of the list. */
  sortBy: (column: Column<T>) => void
  /** Null when there is no such page, neither in the browser nor in the API. */
  next: (() => void) | null
  previous: (() => void) | null
}

/** The rows of a list that a table shows: searched, sorted, and cut to one page. */
export function useRows<T>(
  list: ListState<T>,
  columns: readonly Column<T>[],
  search: { by: Searchable<T>; typed: string } | null,
): ShownRows<T> {
  const [sorting, setSorting] = useState<Sorting | null>(null)
  // After a change of the search, the order or the API's page, the table starts at its first page.
  const asked = JSON.stringify([search?.typed, sorting, list.page])
  const [place, setPlace] = useState({ asked, page: 0 })
  const found = list.items && search ? searched(list.items, search.by, search.typed) : list.items
  const all = found && sorted(found, columns, sorting)
  const lastPage = Math.max(Math.ceil((all?.length ?? 0) / ROWS_PER_PAGE) - 1, 0)
  const page = place.asked === asked ? Math.min(place.page, lastPage) : 0
  const from = page * ROWS_PER_PAGE
  const goTo = (target: number) => () => setPlace({ asked, page: target })
  return {
    all,
    page: all?.slice(from, from + ROWS_PER_PAGE),
    from,
    sorting,
    sortBy(column) {
      setSorting(nextOrder(sorting, column))
      setPlace({ asked: '', page: 0 })
    },
    next: page < lastPage ? goTo(page + 1) : list.next,
    previous: page > 0 ? goTo(page - 1) : list.previous,
  }
}

/** The first order of a numeric column is descending, of a text column ascending. */
function nextOrder<T>(sorting: Sorting | null, column: Column<T>): Sorting | null {
  const key = keyOf(column)
  const first = column.align === 'end' ? 'descending' : 'ascending'
  if (sorting?.key !== key) return { key, direction: first }
  if (sorting.direction !== first) return null
  return { key, direction: first === 'ascending' ? 'descending' : 'ascending' }
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

function sorted<T>(rows: readonly T[], columns: readonly Column<T>[], sorting: Sorting | null): readonly T[] {
  const valueIn = columns.find((column) => keyOf(column) === sorting?.key)?.sortBy
  if (!valueIn || !sorting) return rows
  const sign = sorting.direction === 'ascending' ? 1 : -1
  return rows
    .map((row) => ({ row, value: valueIn(row) }))
    .sort((a, b) =>
      isNothing(a.value) || isNothing(b.value) ? lastOf(a.value, b.value) : sign * order(a.value, b.value),
    )
    .map(({ row }) => row)
}

const isNothing = (value: Value): value is null | undefined | '' => value == null || value === ''
const lastOf = (a: Value, b: Value) => Number(isNothing(a)) - Number(isNothing(b))
const order = (a: string | number, b: string | number) =>
  typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b))
