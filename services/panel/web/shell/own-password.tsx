import { Button, Group, Modal, PasswordInput, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { answer, client } from '../client/client.ts'
import { useSave } from '../data/use-save.ts'
import { PASSWORD_HINT, passwordProblem } from '../session/password-rules.ts'
import { useSession } from '../session/session.ts'

/** Changes the user's own password. This session continues; all others end. */
export function OwnPassword({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const { id } = useSession().user
  const form = useForm({
    initialValues: { password: '' },
    validate: { password: passwordProblem },
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
            description={`${PASSWORD_HINT}. You are signed out everywhere else.`}
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
