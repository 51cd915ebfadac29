import { Button, Group, Menu, TextInput } from '@mantine/core'
import { IconColumns, IconDownload, IconSearch } from '@tabler/icons-react'
import { createContext, type ReactNode, use } from 'react'
import { t } from '../../../messages/components.ts'
import { uncapitalised } from '../../../messages/uncapitalised.ts'
import { saveCsv } from '../../values/save-file.ts'
import { type Column, type ColumnChoice, keyOf } from './columns.ts'
import classes from './table.module.css'

export interface ToolbarProps<T> {
  search: ReactNode
  filters: ReactNode
  /** Null when columns cannot be chosen. */
  choice: ColumnChoice<T> | null
  /** Null when the table cannot be saved as a file. */
  csv: { name: string; rows: readonly T[]; columns: readonly Column<T>[] } | null
}

/** The bar above a table: the search, the page's filters, the choice of columns, and the download as CSV. */
export function Toolbar<T>({ search, filters, choice, csv }: ToolbarProps<T>) {
  return (
    <Group gap="sm" mb="sm" align="end">
      {search}
      {filters}
      <Group gap="xs" ms="auto">
        {choice && <ColumnsMenu choice={choice} />}
        {csv && (
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            aria-label={t('downloadCsv')}
            disabled={csv.rows.length === 0 || csv.columns.some(({ isMissing }) => isMissing)}
            onClick={() => void downloadCsv(csv)}
          >
            {t('csv')}
          </Button>
        )}
      </Group>
    </Group>
  )
}

interface SearchText {
  value: string
  onChange: (value: string) => void
}

/** What is typed into the search of the table around. Only its field reads it, so that a letter does not render the table. */
export const TypedSearch = createContext<SearchText>({ value: '', onChange: () => {} })

/** @param label the name of the list. */
export function TypedSearchField({ label }: { label: string }) {
  const { value, onChange } = use(TypedSearch)
  return (
    <TextInput
      aria-label={t('searchIn', { what: uncapitalised(label) })}
      placeholder={t('search')}
      type="search"
      leftSection={<IconSearch size={16} aria-hidden />}
      className={classes.search}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}

function ColumnsMenu<T>({ choice: { optional, shown, choose, reset } }: { choice: ColumnChoice<T> }) {
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button variant="default" leftSection={<IconColumns size={16} aria-hidden />}>
          {t('columns')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={420} style={{ overflowY: 'auto' }}>
        <Menu.CheckboxGroup value={shown.map(keyOf)} onChange={choose}>
          {optional.map((column) => (
            <Menu.CheckboxItem key={keyOf(column)} value={keyOf(column)}>
              {column.title}
            </Menu.CheckboxItem>
          ))}
        </Menu.CheckboxGroup>
        <Menu.Divider />
        <Menu.Item disabled={reset === null} onClick={() => reset?.()}>
          {t('resetColumns')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/**
 * Saves the table as CSV (RFC 4180), with the same writer as the API. The writer is loaded when it is first used. Text that a
 * spreadsheet would take for a formula gets a ' before it.
 */
async function downloadCsv<T>({ name, rows, columns }: NonNullable<ToolbarProps<T>['csv']>) {
  const { stringify } = await import('csv-stringify/browser/esm/sync')
  const told = columns.filter(({ csv, sortBy }) => csv ?? sortBy)
  const records = rows.map((row) => told.map(({ csv, sortBy }) => (csv ?? sortBy)!(row)))
  const text = stringify([told.map(({ title }) => title), ...records], {
    record_delimiter: 'windows',
    escape_formulas: true,
  })
  saveCsv(`${name}.csv`, text)
}
