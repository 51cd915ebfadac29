import { Alert, Anchor, Button, PasswordInput, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { answer, client } from '../../client/client.ts'
import type { ApiProblem } from '../../client/problem.ts'
import { PASSWORD_HINT, passwordProblem } from '../password-rules.ts'
import { SignInCard } from './sign-in-card.tsx'

export const SET_PASSWORD_PATH = '/panel/set-password'

/** The target of invitation and reset links. The token behind the # lets the user choose a password. */
export function SetPasswordPage() {
  const token = location.hash.slice(1)
  const form = useForm({
    initialValues: { password: '', repeated: '' },
    validate: {
      password: passwordProblem,
      repeated: (value, { password }) => (value === password ? null : 'Is not the same'),
    },
  })
  const set = useMutation<unknown, ApiProblem, typeof form.values>({
    mutationFn: ({ password }) => answer(client.POST('/v1/panel/session/password', { body: { token, password } })),
    onError: (problem) => form.setErrors(problem.fieldErrors()),
  })
  if (set.isSuccess) {
    return (
      <SignInCard title="Password set">
        <Alert color="teal" role="status">
          You can sign in with it now.
        </Alert>
        <Button component="a" href="/panel/" fullWidth>
          Sign in
        </Button>
      </SignInCard>
    )
  }
  return (
    <SignInCard title="Choose a password">
      <form onSubmit={form.onSubmit((values) => set.mutate(values))}>
        <Stack>
          {set.error && !set.error.fieldErrors().password && (
            <Alert color="red" role="alert">
              {set.error.fieldErrors().token ? `The link ${wordsOf(set.error)}` : set.error.message}
            </Alert>
          )}
          <PasswordInput
            label="New password"
            description={PASSWORD_HINT}
            autoComplete="new-password"
            required
            autoFocus
            {...form.getInputProps('password')}
          />
          <PasswordInput label="Once more" autoComplete="new-password" required {...form.getInputProps('repeated')} />
          <Button type="submit" loading={set.isPending} fullWidth>
            Set password
          </Button>
          <Anchor href="/panel/" size="sm">
            Back to sign in
          </Anchor>
        </Stack>
      </form>
    </SignInCard>
  )
}

const wordsOf = ({ errors }: ApiProblem) => errors.find(({ path }) => path === '/token')?.message ?? ''
