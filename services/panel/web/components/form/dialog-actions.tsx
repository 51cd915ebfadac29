import { Button, Group } from '@mantine/core'

export interface DialogActionsProps {
  label: string
  isSaving: boolean
  close: () => void
}

/** The buttons at the end of a dialog's form. */
export function DialogActions({ label, isSaving, close }: DialogActionsProps) {
  return (
    <Group justify="flex-end" gap="xs">
      <Button variant="default" onClick={close}>
        Cancel
      </Button>
      <Button type="submit" loading={isSaving}>
        {label}
      </Button>
    </Group>
  )
}
