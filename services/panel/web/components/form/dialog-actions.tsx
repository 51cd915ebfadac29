import { Button, Group } from '@mantine/core'

export interface DialogActionsProps {
  label: string
  isSaving: boolean
  close: () => void
}

/** The buttons of a form in a dialog. */
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
