import { Alert, Anchor, Button, PasswordInput, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { answer, client } from '../../client/client.ts'
import type { ApiProblem } from '../../client/problem.ts'
import { t } from '../../messages/shell.ts'
import { passwordHint, passwordProblem } from '../password-rules.ts'
import { SignInCard } from './sign-in-card.tsx'

export const SET_PASSWORD_PATH = '/panel/set-password'

/** The target of invitation and reset links. The token behind the # lets the user choose a password. */
export function SetPasswordPage() {
  const token = location.hash.slice(1)
  const form = useForm({
    initialValues: { password: '', repeated: '' },
    validate: {
      password: passwordProblem,
      repeated: (value, { password }) => (value === password ? null : t('passwordsDiffer')),
    },
  })
  const set = useMutation<unknown, ApiProblem, typeof form.values>({
    mutationFn: ({ password }) => answer(client.POST('/v1/panel/session/password', { body: { token, password } })),
    onError: (problem) => form.setErrors(problem.fieldErrors()),
  })
  if (set.isSuccess) {
    return (
      <SignInCard title={t('passwordSet')}>
        <Alert color="teal" role="status">
          {t('passwordSetHelp')}
        </Alert>
        <Button component="a" href="/panel/" fullWidth>
          {t('signIn')}
        </Button>
      </SignInCard>
    )
  }
  return (
    <SignInCard title={t('choosePassword')}>
      <form onSubmit={form.onSubmit((values) => set.mutate(values))}>
        <Stack>
          {set.error && !set.error.fieldErrors().password && (
            <Alert color="red" role="alert">
              {set.error.fieldErrors().token ? t('linkProblem', { problem: wordsOf(set.error) }) : set.error.message}
            </Alert>
          )}
          <PasswordInput
            label={t('newPassword')}
            description={passwordHint}
            autoComplete="new-password"
            required
            autoFocus
            {...form.getInputProps('password')}
          />
          <PasswordInput
            label={t('passwordAgain')}
            autoComplete="new-password"
            required
            {...form.getInputProps('repeated')}
          />
          <Button type="submit" loading={set.isPending} fullWidth>
            {t('setPassword')}
          </Button>
          <Anchor href="/panel/" size="sm">
            {t('backToSignIn')}
          </Anchor>
        </Stack>
      </form>
    </SignInCard>
  )
}

const wordsOf = ({ errors }: ApiProblem) => errors.find(({ path }) => path === '/token')?.message ?? ''
