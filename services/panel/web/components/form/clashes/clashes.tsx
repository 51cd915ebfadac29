import { Alert, Radio, Stack, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import type { ChangedBy } from '../../../client/problem.ts'
import type { ClashState } from '../../../data/changes/use-change.ts'
import type { OpenClash } from '../../../data/changes/use-follow.ts'
import { labelOf } from '../../../messages/api-names.ts'
import { t } from '../../../messages/fields.ts'
import { clashValue } from './clash-value.ts'

/** Shows what others have written into the fields that were changed here, and lets the user choose. */
export function Clashes({ clashes, choose, changedBy, refusals }: ClashState) {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (refusals > 0) element.current?.focus()
  }, [refusals])
  if (clashes.length === 0) return null
  return (
    <Alert ref={element} tabIndex={-1} role="alert" color="yellow" title={titleOf(changedBy)} mt="md">
      <Stack gap="sm">
        <Text size="sm">{t('clashHelp')}</Text>
        {clashes.map((clash) => (
          <Radio.Group
            key={clash.field}
            label={labelOf(clash.field) ?? clash.field}
            value={clash.kept}
            onChange={(kept) => choose(clash, kept as 'own' | 'others')}
          >
            <Stack gap={4} mt={4}>
              <Radio value="own" label={withValue(t('clashOwn'), clash, clash.own)} />
              <Radio value="others" label={withValue(t('clashOthers'), clash, clash.others)} />
            </Stack>
          </Radio.Group>
        ))}
      </Stack>
    </Alert>
  )
}

function titleOf(changedBy: ChangedBy | null): string {
  const name = changedBy?.name ?? ''
  return t('clash', { name, who: name === '' ? (changedBy?.role ?? 'UNKNOWN') : 'NAMED' })
}

function withValue(whose: string, { field }: OpenClash, value: unknown): string {
  const text = clashValue(field, value)
  return text === null ? whose : t('clashValue', { whose, value: text })
}
