import { Button, Group, Paper, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { t } from '../../../messages/components.ts'

export interface Selection<T> {
  /** What a screen reader calls the row: its name. */
  nameOf: (row: T) => string
  /** Buttons for the rows that are selected. `clear` selects none. */
  actions: (rows: readonly T[], clear: () => void) => ReactNode
}

/** The rows that are selected. */
export interface Selected<T> {
  keys: ReadonlySet<string>
  /** Of those that search and filters leave: no action touches a row that is not in the list. */
  rows: readonly T[]
  nameOf: (row: T) => string
  choose: (rows: readonly T[], isSelected: boolean) => void
  clear: () => void
}

export function useSelected<T>(
  selection: Selection<T> | undefined,
  rows: readonly T[] | undefined,
  rowKey: (row: T) => string,
): Selected<T> | null {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set())
  if (!selection) return null
  return {
    keys,
    rows: rows?.filter((row) => keys.has(rowKey(row))) ?? [],
    nameOf: selection.nameOf,
    choose(chosen, isSelected) {
      const changed = new Set(keys)
      for (const row of chosen) {
        if (isSelected) changed.add(rowKey(row))
        else changed.delete(rowKey(row))
      }
      setKeys(changed)
    },
    clear: () => setKeys(new Set()),
  }
}

/** What can be done with the selected rows. It hides while none is selected, so that a dialog of an action stays open. */
export function BulkBar<T>({ selected, actions }: { selected: Selected<T>; actions: Selection<T>['actions'] }) {
  const { rows, clear } = selected
  return (
    <Paper
      withBorder
      p="xs"
      mb="sm"
      role="region"
      aria-label={t('bulkActions')}
      display={rows.length === 0 ? 'none' : undefined}
    >
      <Group gap="xs">
        <Text size="sm" fw={500} mx="xs" aria-live="polite">
          {t('selected', { count: rows.length })}
        </Text>
        {actions(rows, clear)}
        <Button variant="subtle" size="xs" color="gray" ms="auto" onClick={clear}>
          {t('clearSelection')}
        </Button>
      </Group>
    </Paper>
  )
}
