import { PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { answer, client } from '../client/client.ts'
import type { ApiProblem } from '../client/problem.ts'
import type { Session } from '../client/types.ts'
import { Dialog } from '../components/form/dialog.tsx'
import { DialogActions } from '../components/form/dialog-actions.tsx'
import { t } from '../messages/shell.ts'
import { useSession } from './session.ts'
import { useQuestion } from './use-question.ts'

/** Asks for the password or a code when the API answers REAUTHENTICATION_REQUIRED. */
export function ReauthenticationDialog() {
  const { isOpen, finish } = useQuestion('IDENTITY', true)
  return (
    <Dialog
      opened={isOpen}
      onClose={() => finish(false)}
      closeOnEscape={false}
      title={t('confirmIdentity')}
      zIndex={400}
    >
      {isOpen && <ReauthenticationForm finish={finish} />}
    </Dialog>
  )
}

function ReauthenticationForm({ finish }: { finish: (proved: boolean) => void }) {
  const { hasSecondFactor } = useSession().user
  const form = useForm({ initialValues: { proof: '' } })
  const name = hasSecondFactor ? 'code' : 'password'
  const prove = useMutation<Session, ApiProblem, typeof form.values>({
    mutationFn: ({ proof }) => answer(client.POST('/v1/panel/session/reauthentication', { body: { [name]: proof } })),
    onSuccess: () => finish(true),
    onError(problem) {
      form.setErrors({ proof: problem.fieldErrors()[name] ?? problem.message })
      form.getInputNode('proof')?.focus()
    },
  })
  const field = { required: true, 'data-autofocus': true, ...form.getInputProps('proof') }
  return (
    <form onSubmit={form.onSubmit((values) => prove.mutate(values))}>
      <Stack>
        <Text size="sm">{hasSecondFactor ? t('confirmByCode') : t('confirmByPassword')}</Text>
        {hasSecondFactor ? (
          <TextInput label={t('code')} description={t('codeOfAppOrRecovery')} autoComplete="one-time-code" {...field} />
        ) : (
          <PasswordInput label={t('yourPassword')} autoComplete="current-password" {...field} />
        )}
        <DialogActions label={t('continue')} isSaving={prove.isPending} close={() => finish(false)} />
      </Stack>
    </form>
  )
}
