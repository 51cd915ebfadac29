import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'

/** The API's limit. */
const IDS_MAX = 10_000

export interface PastedIdsProps {
  ids: readonly string[]
  onChange: (ids: string[]) => void
}

/** Adds ids that are pasted from a spreadsheet or a list. */
export function PastedIds({ ids, onChange }: PastedIdsProps) {
  const [text, setText] = useState('')
  const pasted = idsIn(text)
  const all = [...new Set([...ids, ...pasted])]
  return (
    <Stack gap="xs">
      <Textarea
        label="Ids of the feed"
        description="One on a line, or separated by commas, semicolons or tabs"
        autosize
        minRows={4}
        maxRows={12}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        error={all.length > IDS_MAX ? `A campaign takes ${IDS_MAX} at most` : undefined}
      />
      <Group gap="sm">
        <Button
          variant="default"
          disabled={pasted.length === 0 || all.length > IDS_MAX}
          onClick={() => {
            onChange(all)
            setText('')
          }}
        >
          Add {pasted.length > 0 ? pasted.length : ''} ids
        </Button>
        <Text size="xs" c="dimmed">
          {all.length - ids.length} of them are new
        </Text>
      </Group>
    </Stack>
  )
}

const idsIn = (text: string): string[] => [...new Set(text.split(/[\n\r\t,;]+/).map((id) => id.trim()))].filter(Boolean)
