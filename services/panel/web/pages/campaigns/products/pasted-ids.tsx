import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { CAMPAIGN_PRODUCT_IDS_MAX } from '../../../../../../schemas/http/panel/limits.ts'
import { formatCount } from '../../../components/values/numbers.ts'
import { t } from '../../../messages/pages/campaigns/editor.ts'

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
        label={t('feedIds')}
        description={t('feedIdsHelp')}
        autosize
        minRows={4}
        maxRows={12}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        error={
          all.length > CAMPAIGN_PRODUCT_IDS_MAX
            ? t('tooManyIds', { max: formatCount(CAMPAIGN_PRODUCT_IDS_MAX) })
            : undefined
        }
      />
      <Group gap="sm">
        <Button
          variant="default"
          disabled={pasted.length === 0 || all.length > CAMPAIGN_PRODUCT_IDS_MAX}
          onClick={() => {
            onChange(all)
            setText('')
          }}
        >
          {t('addIds', { count: pasted.length })}
        </Button>
        <Text size="xs" c="dimmed">
          {t('newIds', { count: all.length - ids.length })}
        </Text>
      </Group>
    </Stack>
  )
}

const idsIn = (text: string): string[] => [...new Set(text.split(/[\n\r\t,;]+/).map((id) => id.trim()))].filter(Boolean)
