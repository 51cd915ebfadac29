import { Alert, Button, EmptyState, Group, Paper, Text } from '@mantine/core'
import { IconAlertTriangle, IconChevronLeft, IconChevronRight, IconListSearch } from '@tabler/icons-react'
import { memo, type ReactNode, useDeferredValue, useRef } from 'react'
import { useAddressText } from '../../data/use-address-value.ts'
import type { ListState } from '../../data/use-list.ts'
import { useSettled } from '../../data/use-settled.ts'
import { t } from '../../messages/components.ts'
import { ErrorState } from './error-state.tsx'
import { type Column, useColumns } from './table/columns.ts'
import { Rows } from './table/rows.tsx'
import type { Searchable } from './table/search.ts'
import { BulkBar, type Selection, useSelected } from './table/selection.tsx'
import classes from './table/table.module.css'
import { Toolbar, TypedSearch, TypedSearchField } from './table/toolbar.tsx'
import { ROWS_PER_PAGE, type ShownRows, useRows } from './table/use-rows.ts'

export type { Column } from './table/columns.ts'

export interface DataTableProps<T> {
  /** Names the table in the browser's storage and in files. With it, users can choose columns and save the table as CSV. */
  id?: string
  /** What is listed, for screen readers: 'Accounts'. */
  label: string
  list: ListState<T>
  /** The first column names the row. */
  columns: readonly Column<T>[]
  rowKey: (row: T) => string
  /** The page that a row opens. The first column holds the link, but the whole row can be clicked. */
  rowLink?: (row: T) => string
  /**
   * A search box, whose text is `q` in the address of the page. With `textOf`, the search covers the loaded items, so `useList` should
   * load PAGE_SIZE_MAX. With `ask`, the caller asks the API.
   */
  search?: Searchable<T> | AskedSearch
  /** Shown next to the search box. */
  filters?: ReactNode
  /** Lets users select rows, and offers actions on them. */
  selection?: Selection<T>
  /** The number of rows in words: '37 of 512 campaigns'. `all` counts the rows before search and filters. */
  counted?: (counts: { shown: number; all: number }) => string
  /** The number of rows before the page's own filters. Default: the number of items in `list`. */
  countAll?: number
  empty: { title: string; description?: string; action?: ReactNode }
}

interface AskedSearch {
  /** The text that the API was asked for. */
  asked: string
  /** Called with another text once the user has not typed for a while. */
  ask: (text: string) => void
}

/**
 * A list of the API as a table, or as cards on a phone. It is searched, sorted and paged in the browser, and has a choice of
 * columns, a CSV file, selection, and the empty, loading and failed states.
 */
export function DataTable<T>(props: DataTableProps<T>) {
  const [typed, setTyped] = useAddressText('q')
  const sought = useDeferredValue(typed)
  const ask = props.search && 'ask' in props.search ? props.search.ask : undefined
  useSettled(typed, ask)
  return (
    <TypedSearch value={{ value: typed, onChange: setTyped }}>
      <Table {...props} sought={ask ? '' : sought} />
    </TypedSearch>
  )
}

/**
 * Is rendered after the field of the search, when there is time: rows may take longer than the next letter. A letter of a search that
 * the API is asked for does not render it.
 */
const Table = memo(SearchedTable) as typeof SearchedTable

function SearchedTable<T>({ sought, ...props }: DataTableProps<T> & { sought: string }) {
  const { id, label, list, columns, rowKey, rowLink, search, filters, selection, empty } = props
  const top = useRef<HTMLDivElement>(null)
  const isLocal = search !== undefined && 'textOf' in search
  const wanted = search === undefined ? '' : isLocal ? sought : search.asked
  const choice = useColumns(id, columns)
  const shown = useRows(list, choice.shown, isLocal ? { by: search, typed: sought } : null)
  const selected = useSelected(selection, shown.all, rowKey)
  const rows = shown.all
  const isNarrowed = wanted.trim() !== ''
  const hasFile = id !== undefined && columns.some(({ csv, sortBy }) => csv ?? sortBy)

  return (
    <div ref={top} className={classes.whole}>
      {(search || filters || id) && (
        <Toolbar
          search={search && <TypedSearchField label={label} />}
          filters={filters}
          choice={id === undefined ? null : choice}
          csv={hasFile ? { name: id, rows: rows ?? [], columns: choice.shown } : null}
        />
      )}
      {selection && selected && (
        <BulkBar
          selected={selected}
          actions={selection.actions}
          onCleared={() => top.current?.querySelector<HTMLElement>('thead input')?.focus()}
        />
      )}
      {list.problem && rows && <StaleRows list={list} />}
      <Paper withBorder className={classes.frame} aria-busy={rows === undefined || list.isStale}>
        {list.problem && !rows && <ErrorState problem={list.problem} retry={list.retry} />}
        {(rows ? rows.length > 0 : !list.problem) && (
          <Rows {...{ label, columns: choice.shown, shown, rowKey, rowLink, selected }} />
        )}
        {rows?.length === 0 && (
          <EmptyState
            py="xl"
            size="sm"
            icon={<IconListSearch />}
            title={isNarrowed ? t('nothingMatches') : empty.title}
            description={isNarrowed ? t('nothingHas', { text: wanted }) : empty.description}
          >
            {!isNarrowed && empty.action && <EmptyState.Actions>{empty.action}</EmptyState.Actions>}
          </EmptyState>
        )}
      </Paper>
      <Pages {...props} shown={shown} onTurn={() => top.current?.scrollIntoView({ block: 'nearest' })} />
    </div>
  )
}

/** Shown when the last request failed and the rows are those of an earlier answer. */
function StaleRows<T>({ list: { problem, retry } }: { list: ListState<T> }) {
  return (
    <Alert
      role="alert"
      variant="light"
      color="orange"
      mb="sm"
      icon={<IconAlertTriangle aria-hidden />}
      title={t('notRefreshed')}
    >
      <Group justify="space-between" gap="xs">
        <Text size="sm">{problem?.message}</Text>
        <Button variant="default" size="xs" onClick={retry}>
          {t('tryAgain')}
        </Button>
      </Group>
    </Alert>
  )
}

/** The number of rows, and buttons for the next and the previous page. */
function Pages<T>(props: DataTableProps<T> & { shown: ShownRows<T>; onTurn: () => void }) {
  const { list, search, filters, counted, countAll, shown, onTurn } = props
  const { all, from, next, previous } = shown
  const hasPages = next !== null || previous !== null
  if (!all || (!hasPages && !search && !filters && !counted) || (all.length === 0 && !hasPages)) return null
  const counts = { shown: all.length, all: countAll ?? list.items?.length ?? 0 }
  const to = Math.min(from + ROWS_PER_PAGE, all.length)
  const turn = (go: (() => void) | null) => () => {
    go?.()
    onTurn()
  }
  return (
    <Group justify="space-between" gap="xs" mt="sm">
      <Text size="sm" c="dimmed" aria-live="polite">
        {list.next || list.previous
          ? t(search && 'textOf' in search ? 'rowsOfSearchedPage' : 'rowsOfPage', {
              count: all.length,
              page: list.page,
            })
          : (counted?.(counts) ?? t('rows', counts))}
      </Text>
      {hasPages && (
        <Group component="nav" aria-label={t('pages')} gap="xs">
          {all.length > ROWS_PER_PAGE && (
            <Text size="sm" c="dimmed">
              {t('range', { from: from + 1, to })}
            </Text>
          )}
          <Button
            variant="default"
            size="xs"
            leftSection={<IconChevronLeft size={14} aria-hidden />}
            disabled={!previous}
            onClick={turn(previous)}
          >
            {t('previous')}
          </Button>
          <Button
            variant="default"
            size="xs"
            rightSection={<IconChevronRight size={14} aria-hidden />}
            disabled={!next}
            onClick={turn(next)}
          >
            {t('next')}
          </Button>
        </Group>
      )}
    </Group>
  )
}
