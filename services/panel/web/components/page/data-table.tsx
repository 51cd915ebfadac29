import { Button, EmptyState, Group, Paper, Skeleton, Text, TextInput } from '@mantine/core'
import { IconChevronLeft, IconChevronRight, IconListSearch, IconSearch } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import type { ListState } from '../../data/use-list.ts'
import classes from './data-table.module.css'
import { ErrorState } from './error-state.tsx'

export interface Column<T> {
  /** The head of the column, and the label of each value on a phone. */
  title: string
  cell: (row: T) => ReactNode
  /** `end` aligns numbers. */
  align?: 'end'
  /** Any CSS width. */
  width?: string | number
}

export interface DataTableProps<T> {
  /** What is listed, for screen readers: 'Accounts'. */
  label: string
  list: ListState<T>
  /** The first column names the row. */
  columns: readonly Column<T>[]
  rowKey: (row: T) => string
  /** The page that a row opens. The first column holds the link; the whole row can be clicked. */
  rowLink?: (row: T) => string
  /**
   * A search box. `textOf` searches the items that are loaded, so `useList` should load PAGE_SIZE_MAX. With `value` and
   * `onChange` the caller asks the API.
   */
  search?: { textOf: (row: T) => string } | { value: string; onChange: (value: string) => void }
  /** Beside the search box. */
  filters?: ReactNode
  empty: { title: string; description?: string; action?: ReactNode }
}

const SKELETON_ROWS = 6

/** A list of the API as a table, or as cards on a phone, with search, paging, and the empty, loading and failed states. */
export function DataTable<T>(props: DataTableProps<T>) {
  const { label, list, columns, search, filters, empty } = props
  const [typed, setTyped] = useState('')
  const isLocal = search !== undefined && 'textOf' in search
  const wanted = search === undefined ? '' : isLocal ? typed : search.value
  const rows = isLocal ? list.items?.filter((row) => holds(search.textOf(row), typed)) : list.items
  const isNarrowed = wanted.trim() !== ''

  return (
    <div>
      {(search || filters) && (
        <Group gap="sm" mb="sm" align="end">
          {search && (
            <TextInput
              aria-label={`Search ${label.toLowerCase()}`}
              placeholder="Search"
              type="search"
              leftSection={<IconSearch size={16} aria-hidden />}
              className={classes.search}
              value={wanted}
              onChange={({ currentTarget: { value } }) => (isLocal ? setTyped(value) : search.onChange(value))}
            />
          )}
          {filters}
        </Group>
      )}
      <Paper withBorder className={classes.frame} aria-busy={rows === undefined || list.isStale}>
        {list.problem && !rows && <ErrorState problem={list.problem} retry={list.retry} />}
        {!list.problem && !rows && <Rows {...props} label={label} columns={columns} rows={undefined} />}
        {rows && rows.length > 0 && <Rows {...props} rows={rows} />}
        {rows?.length === 0 && (
          <EmptyState
            py="xl"
            size="sm"
            icon={<IconListSearch />}
            title={isNarrowed ? 'Nothing matches' : empty.title}
            description={isNarrowed ? `Nothing has “${wanted}” in it.` : empty.description}
          >
            {!isNarrowed && empty.action && <EmptyState.Actions>{empty.action}</EmptyState.Actions>}
          </EmptyState>
        )}
      </Paper>
      <Pages list={list} count={rows?.length} />
    </div>
  )
}

function holds(text: string, typed: string): boolean {
  const lower = text.toLowerCase()
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word))
}

/** The table itself. Its roles are explicit because phones display it as blocks, which are no table to screen readers. */
function Rows<T>({ label, columns, rows, rowKey, rowLink }: DataTableProps<T> & { rows: readonly T[] | undefined }) {
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: see above
    <table className={classes.table} role="table" aria-label={label}>
      <thead className={classes.head}>
        <tr role="row">
          {columns.map(({ title, align, width }) => (
            <th key={title} role="columnheader" scope="col" data-align={align} style={{ width }}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows
          ? rows.map((row) => (
              <tr key={rowKey(row)} role="row" data-linked={rowLink !== undefined}>
                {columns.map(({ title, cell, align }, i) => (
                  <td key={title} role="cell" data-label={title} data-align={align}>
                    {i === 0 && rowLink ? (
                      <Link to={rowLink(row)} className={classes.link}>
                        {cell(row)}
                      </Link>
                    ) : (
                      cell(row)
                    )}
                  </td>
                ))}
              </tr>
            ))
          : Array.from({ length: SKELETON_ROWS }, (_, row) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows without anything of their own
              <tr key={row} role="row">
                {columns.map(({ title }, i) => (
                  <td key={title} role="cell">
                    <Skeleton height={14} my={4} width={i === 0 ? '60%' : '40%'} />
                  </td>
                ))}
              </tr>
            ))}
      </tbody>
    </table>
    // biome-ignore-end lint/a11y/noRedundantRoles: see above
  )
}

function Pages<T>({ list, count }: { list: ListState<T>; count: number | undefined }) {
  if (!list.next && !list.previous) return null
  return (
    <Group component="nav" aria-label="Pages of the list" justify="flex-end" gap="xs" mt="sm">
      <Text size="sm" c="dimmed" aria-live="polite">
        Page {list.page}
        {count === undefined ? '' : `, ${count} rows`}
      </Text>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconChevronLeft size={14} aria-hidden />}
        disabled={!list.previous}
        onClick={() => list.previous?.()}
      >
        Previous
      </Button>
      <Button
        variant="default"
        size="xs"
        rightSection={<IconChevronRight size={14} aria-hidden />}
        disabled={!list.next}
        onClick={() => list.next?.()}
      >
        Next
      </Button>
    </Group>
  )
}
