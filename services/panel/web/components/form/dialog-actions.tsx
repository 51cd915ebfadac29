import { Button, Group } from '@mantine/core'
import { t } from '../../messages/components.ts'

export interface DialogActionsProps {
  /** The label of the confirming button. */
  label: string
  isSaving?: boolean
  close: () => void
  /** Default: 'Cancel'. */
  cancel?: string
  /** What the confirming button does. Default: it submits the form around it. */
  confirm?: () => void
  /** `red` for actions that cannot be undone; then the other button has the focus. */
  color?: 'red' | undefined
}

/** The buttons of a dialog. */
export function DialogActions({ label, isSaving = false, close, cancel, confirm, color }: DialogActionsProps) {
  const action = confirm ? { onClick: confirm } : { type: 'submit' as const }
  return (
    <Group justify="flex-end" gap="xs">
      <Button variant="default" onClick={close} data-autofocus={color === 'red' || undefined}>
        {cancel ?? t('cancel')}
      </Button>
      <Button color={color} loading={isSaving} {...action}>
        {label}
      </Button>
    </Group>
  )
}
