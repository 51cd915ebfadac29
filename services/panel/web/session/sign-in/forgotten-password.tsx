import { Alert, Anchor, Button, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { answer, client } from '../../client/client.ts'
import type { ApiProblem } from '../../client/problem.ts'
import { t } from '../../messages/shell.ts'
import { SignInCard } from './sign-in-card.tsx'

/** Requests a reset link by e-mail. The answer does not reveal whether the user exists. */
export function ForgottenPassword({ back }: { back: () => void }) {
  const form = useForm({ initialValues: { email: '' } })
  const ask = useMutation<unknown, ApiProblem, typeof form.values>({
    mutationFn: (body) => answer(client.POST('/v1/panel/session/forgotten-password', { body })),
  })
  return (
    <SignInCard title={t('forgotPassword')}>
      {ask.isSuccess ? (
        <Alert color="teal" role="status">
          {t('linkSent')}
        </Alert>
      ) : (
        <form onSubmit={form.onSubmit((values) => ask.mutate(values))}>
          <Stack>
            {ask.error && (
              <Alert color="red" role="alert">
                {ask.error.message}
              </Alert>
            )}
            <Text size="sm">{t('linkHelp')}</Text>
            <TextInput
              label={t('email')}
              type="email"
              autoComplete="username"
              required
              autoFocus
              {...form.getInputProps('email')}
            />
            <Button type="submit" loading={ask.isPending} fullWidth>
              {t('sendLink')}
            </Button>
          </Stack>
        </form>
      )}
      <Anchor component="button" type="button" size="sm" onClick={back}>
        {t('backToSignIn')}
      </Anchor>
    </SignInCard>
  )
}
