import { ActionIcon, Code, CopyButton, Group, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { t } from '../../messages/fields.ts'
import { uncapitalised } from '../../messages/uncapitalised.ts'

export interface CopyFieldProps {
  value: string
  /** The name of the value: 'Token'. */
  label: string
}

/** An id or a secret with a button that copies it. */
export function CopyField({ value, label }: CopyFieldProps) {
  return (
    <Group gap={6} wrap="nowrap" display="inline-flex" maw="100%">
      <Code style={{ overflowWrap: 'anywhere' }}>{value}</Code>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? t('copied') : t('copy', { label: uncapitalised(label) })}>
            <ActionIcon
              variant="subtle"
              color={copied ? 'teal' : 'gray'}
              size="sm"
              onClick={copy}
              aria-label={copied ? t('labelCopied', { label }) : t('copy', { label: uncapitalised(label) })}
            >
              {copied ? <IconCheck size={15} aria-hidden /> : <IconCopy size={15} aria-hidden />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </Group>
  )
}
