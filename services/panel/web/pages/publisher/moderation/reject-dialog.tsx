import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { REJECTION_CHARS_MAX } from '../../../../../../schemas/http/panel/limits.ts'
import { Dialog } from '../../../components/form/dialog.tsx'
import { t } from '../../../messages/pages/shop/moderation.ts'

export interface RejectDialogProps {
  /** The campaign's name. */
  name: string
  /** Reasons given for other campaigns. */
  reasons: readonly string[]
  isSaving: boolean
  close: () => void
  onReject: (reason: string) => void
}

/** Asks why a campaign is rejected. */
export function RejectDialog({ name, reasons, isSaving, close, onReject }: RejectDialogProps) {
  const [reason, setReason] = useState('')
  const [isMissing, setMissing] = useState(false)
  return (
    <Dialog opened onClose={close} title={t('rejectTitle', { name })}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (reason.trim() === '') setMissing(true)
          else onReject(reason.trim())
        }}
      >
        <Stack>
          <Textarea
            label={t('reason')}
            description={t('reasonHelp')}
            autosize
            minRows={3}
            maxLength={REJECTION_CHARS_MAX}
            data-autofocus
            value={reason}
            error={isMissing && reason.trim() === '' ? t('reasonRequired') : undefined}
            onChange={({ currentTarget: { value } }) => setReason(value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit()
            }}
          />
          {reasons.length > 0 && (
            <div>
              <Text size="sm" fw={500} mb={4}>
                {t('recentReasons')}
              </Text>
              <Stack gap={4} align="start">
                {reasons.map((each) => (
                  <Button
                    key={each}
                    variant="default"
                    size="compact-sm"
                    styles={{
                      root: { height: 'auto', paddingBlock: 3 },
                      label: { whiteSpace: 'normal', textAlign: 'start' },
                    }}
                    onClick={() => setReason(each)}
                  >
                    {each}
                  </Button>
                ))}
              </Stack>
            </div>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              {t('cancel')}
            </Button>
            <Button type="submit" color="red.9" loading={isSaving}>
              {t('reject')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
