import { Alert, Anchor, Button, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { answer, client } from '../../client/client.ts'
import type { ApiProblem } from '../../client/problem.ts'
import { SignInCard } from './sign-in-card.tsx'

/** Requests a reset link by e-mail. The answer does not reveal whether the user exists. */
export function ForgottenPassword({ back }: { back: () => void }) {
  const form = useForm({ initialValues: { email: '' } })
  const ask = useMutation<unknown, ApiProblem, typeof form.values>({
    mutationFn: (body) => answer(client.POST('/v1/panel/session/forgotten-password', { body })),
  })
  return (
    <SignInCard title="Forgot your password?">
      {ask.isSuccess ? (
        <Alert color="teal" role="status">
          If there is a user with this address, a mail with a link is on its way. The link works for an hour.
        </Alert>
      ) : (
        <form onSubmit={form.onSubmit((values) => ask.mutate(values))}>
          <Stack>
            {ask.error && (
              <Alert color="red" role="alert">
                {ask.error.message}
              </Alert>
            )}
            <Text size="sm">We send you a link with which you choose a new one.</Text>
            <TextInput
              label="E-mail"
              type="email"
              autoComplete="username"
              required
              autoFocus
              {...form.getInputProps('email')}
            />
            <Button type="submit" loading={ask.isPending} fullWidth>
              Send the link
            </Button>
          </Stack>
        </form>
      )}
      <Anchor component="button" type="button" size="sm" onClick={back}>
        Back to sign in
      </Anchor>
    </SignInCard>
  )
}
