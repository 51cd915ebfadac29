import { Button, Group, Modal, PasswordInput, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { answer, client } from '../client/client.ts'
import { useSave } from '../data/use-save.ts'
import { useSession } from '../session/session.ts'

const PASSWORD_CHARS_MIN = 10

/** Sets the own password; the session here goes on, all others end. */
export function OwnPassword({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const { id } = useSession().user
  const form = useForm({
    initialValues: { password: '' },
    validate: {
      password: (value) => (value.length < PASSWORD_CHARS_MIN ? `At least ${PASSWORD_CHARS_MIN} characters` : null),
    },
  })
  const { submit, isSaving } = useSave({
    save: (body: typeof form.values) =>
      answer(client.PATCH('/v1/panel/users/{id}', { params: { path: { id } }, body })),
    changes: ['/v1/panel/session'],
    form,
    saved: 'Password changed',
    onSaved: close,
  })
  return (
    <Modal opened={isOpen} onClose={close} title="Change password">
      <form onSubmit={form.onSubmit((values) => void submit(values))}>
        <Stack>
          <PasswordInput
            label="New password"
            description={`At least ${PASSWORD_CHARS_MIN} characters. You are signed out everywhere else.`}
            autoComplete="new-password"
            data-autofocus
            required
            {...form.getInputProps('password')}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={isSaving}>
              Change password
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
