import { Skeleton, UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react'
import type { CSSProperties, ReactNode } from 'react'
import { Link } from 'react-router'
import { t } from '../../../messages/components.ts'
import { type Column, keyOf } from './columns.ts'
import type { Selected } from './selection.tsx'
import classes from './table.module.css'
import type { ShownRows, Sorting } from './use-rows.ts'

const SKELETON_ROWS = 6

export interface RowsProps<T> {
  label: string
  columns: readonly Column<T>[]
  shown: ShownRows<T>
  rowKey: (row: T) => string
  rowLink: ((row: T) => string) | undefined
  selected: Selected<T> | null
}

// biome-ignore-start lint/a11y/noRedundantRoles: the roles are explicit because phones display the table as blocks

/** The table itself. Phones display it as blocks, which screen readers recognise as a table only by explicit roles. */
export function Rows<T>(props: RowsProps<T>) {
  const { label, columns, shown, rowKey, selected } = props
  const hasTotals = columns.some(({ total }) => total) && (shown.all?.length ?? 0) > 1
  return (
    <table className={classes.table} role="table" aria-label={label}>
      <thead className={classes.head} data-sortable={columns.some(({ sortBy }) => sortBy) || undefined}>
        <tr role="row">
          {selected && shown.all && (
            <th role="columnheader" scope="col" data-column="select">
              <SelectAll rows={shown.all} selected={selected} />
            </th>
          )}
          {columns.map((column) => (
            <Head key={keyOf(column)} column={column} sorting={shown.sorting} sortBy={shown.sortBy} />
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {shown.page
          ? shown.page.map((row) => <Row key={rowKey(row)} row={row} {...props} />)
          : Array.from({ length: SKELETON_ROWS }, (_, row) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows without anything of their own
              <tr key={row} role="row">
                {columns.map((column, i) => (
                  <td key={keyOf(column)} role="cell">
                    <Skeleton height={14} my={4} width={i === 0 ? '60%' : '40%'} />
                  </td>
                ))}
              </tr>
            ))}
      </tbody>
      {hasTotals && (
        <tfoot role="rowgroup">
          <tr role="row">
            {selected && <td role="cell" data-column="select" />}
            {columns.map((column, i) => (
              <Cell key={keyOf(column)} column={column} isFirst={i === 0}>
                {i === 0 ? t('total') : column.total?.(shown.all!)}
              </Cell>
            ))}
          </tr>
        </tfoot>
      )}
    </table>
  )
}

const dataOf = <T,>({ align, isActions }: Column<T>) => ({
  'data-align': align,
  'data-column': isActions ? 'actions' : undefined,
})

/** Used by the styles for wide screens. */
const columnWidth = (width: string | number | undefined) =>
  ({ '--column-width': typeof width === 'number' ? `${width}px` : width }) as CSSProperties

interface HeadProps<T> {
  column: Column<T>
  sorting: Sorting | null
  sortBy: (column: Column<T>) => void
}

function Head<T>({ column, sorting, sortBy }: HeadProps<T>) {
  const { title, width } = column
  const direction = sorting?.key === keyOf(column) ? sorting.direction : null
  const Arrow = direction === null ? IconArrowsSort : direction === 'ascending' ? IconArrowUp : IconArrowDown
  return (
    <th
      role="columnheader"
      scope="col"
      style={columnWidth(width)}
      aria-sort={column.sortBy && (direction ?? 'none')}
      {...dataOf(column)}
    >
      {column.sortBy ? (
        <UnstyledButton className={classes.sort} data-sorted={direction !== null} onClick={() => sortBy(column)}>
          {title}
          <Arrow size={13} aria-hidden />
        </UnstyledButton>
      ) : (
        title
      )}
    </th>
  )
}

function Row<T>({ row, columns, rowKey, rowLink, selected }: RowsProps<T> & { row: T }) {
  const key = rowKey(row)
  const isSelected = selected?.keys.has(key)
  return (
    <tr role="row" data-linked={rowLink !== undefined} aria-selected={isSelected}>
      {selected && (
        <td role="cell" data-column="select">
          <input
            type="checkbox"
            aria-label={t('selectRow', { name: selected.nameOf(row) })}
            checked={isSelected}
            onChange={({ currentTarget: { checked } }) => selected.choose([row], checked)}
          />
        </td>
      )}
      {columns.map((column, i) => (
        <Cell key={keyOf(column)} column={column} isFirst={i === 0}>
          {i === 0 && rowLink ? (
            <Link to={rowLink(row)} className={classes.link}>
              {column.cell(row)}
            </Link>
          ) : (
            column.cell(row)
          )}
        </Cell>
      ))}
    </tr>
  )
}

/** The first column names the row. */
function Cell<T>({ column, isFirst, children }: { column: Column<T>; isFirst: boolean; children: ReactNode }) {
  return isFirst ? (
    <th role="rowheader" scope="row" data-first {...dataOf(column)}>
      {children}
    </th>
  ) : (
    <td role="cell" data-label={column.title} {...dataOf(column)}>
      {children}
    </td>
  )
}

/** Selects all rows that match search and filters, including those on other pages. */
function SelectAll<T>({ rows, selected }: { rows: readonly T[]; selected: Selected<T> }) {
  const count = selected.rows.length
  return (
    <input
      type="checkbox"
      aria-label={t('selectAll', { count: rows.length })}
      checked={count > 0 && count === rows.length}
      ref={(input) => {
        if (input) input.indeterminate = count > 0 && count < rows.length
      }}
      onChange={({ currentTarget: { checked } }) => selected.choose(rows, checked)}
    />
  )
}

// biome-ignore-end lint/a11y/noRedundantRoles: see above
