import { PasswordInput, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { answer, client } from '../../client/client.ts'
import { Dialog } from '../../components/form/dialog.tsx'
import { DialogActions } from '../../components/form/dialog-actions.tsx'
import { useSave } from '../../data/use-save.ts'
import { t } from '../../messages/shell.ts'
import { passwordHint, passwordProblem } from '../../session/password-rules.ts'
import { useSession } from '../../session/session.ts'

/** Changes the user's own password. This session continues; all others end. */
export function OwnPassword({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  return (
    <Dialog opened={isOpen} onClose={close} title={t('changePassword')}>
      {isOpen && <PasswordForm close={close} />}
    </Dialog>
  )
}

function PasswordForm({ close }: { close: () => void }) {
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
    saved: t('passwordChanged'),
    onSaved: close,
  })
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))}>
      <Stack>
        <PasswordInput
          label={t('newPassword')}
          description={t('ownPasswordHelp', { rule: passwordHint })}
          autoComplete="new-password"
          data-autofocus
          required
          {...form.getInputProps('password')}
        />
        <DialogActions label={t('changePassword')} isSaving={isSaving} close={close} />
      </Stack>
    </form>
  )
}
