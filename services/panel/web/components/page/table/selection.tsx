import { Button, Group, Paper, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { t } from '../../../messages/components.ts'

export interface Selection<T> {
  /** The name of the row, for screen readers. */
  nameOf: (row: T) => string
  /** Buttons that act on the selected rows. `clear` deselects all rows. */
  actions: (rows: readonly T[], clear: () => void) => ReactNode
}

/** The rows that are selected. */
export interface Selected<T> {
  keys: ReadonlySet<string>
  /** The selected rows that match search and filters: no action touches a row that is not in the list. */
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

interface BulkBarProps<T> {
  selected: Selected<T>
  actions: Selection<T>['actions']
  /** Called when the user has cleared the selection, by a button that is then hidden. */
  onCleared: () => void
}

/** The actions on the selected rows. Without a selection it is only hidden, so that an action's dialog stays open. */
export function BulkBar<T>({ selected, actions, onCleared }: BulkBarProps<T>) {
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
        <Button
          variant="subtle"
          size="xs"
          color="gray"
          ms="auto"
          onClick={() => {
            clear()
            onCleared()
          }}
        >
          {t('clearSelection')}
        </Button>
      </Group>
    </Paper>
  )
}
