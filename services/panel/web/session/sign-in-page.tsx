import { Alert, Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, client } from '../client/client.ts'
import type { ApiProblem } from '../client/problem.ts'
import type { Session } from '../client/types.ts'
import { ForgottenPassword } from './forgotten-password.tsx'
import { useSignedIn } from './session.ts'
import { SignInCard } from './sign-in-card.tsx'

interface Credentials {
  email: string
  password: string
  code: string
}

/** The sign-in form. The page that the user asked for follows. */
export function SignInPage() {
  const [isForgotten, setForgotten] = useState(false)
  return isForgotten ? (
    <ForgottenPassword back={() => setForgotten(false)} />
  ) : (
    <SignInForm forgotten={() => setForgotten(true)} />
  )
}

function SignInForm({ forgotten }: { forgotten: () => void }) {
  const signedIn = useSignedIn()
  const [isAskingCode, setAskingCode] = useState(false)
  const options = useQuery({
    queryKey: ['/v1/panel/session/options'],
    queryFn: ({ signal }) => answer(client.GET('/v1/panel/session/options', { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const form = useForm<Credentials>({ mode: 'uncontrolled', initialValues: { email: '', password: '', code: '' } })
  const signIn = useMutation<Session, ApiProblem, Credentials>({
    mutationFn: ({ code, ...body }) =>
      answer(client.POST('/v1/panel/session', { body: { ...body, ...(code !== '' && { code }) } })),
    onSuccess: signedIn,
    onError(problem) {
      if (problem.code === 'SECOND_FACTOR_REQUIRED') setAskingCode(true)
      form.getInputNode(isAskingCode ? 'code' : 'password')?.focus()
    },
  })
  const problem = signIn.error?.code === 'SECOND_FACTOR_REQUIRED' ? null : signIn.error
  return (
    <SignInCard title="Sign in to Endcap">
      <form onSubmit={form.onSubmit((values) => signIn.mutate(values))}>
        <Stack>
          {problem && (
            <Alert color="red" role="alert">
              {reasonOf(problem)}
            </Alert>
          )}
          <TextInput
            label="E-mail"
            type="email"
            autoComplete="username"
            required
            autoFocus
            key={form.key('email')}
            {...form.getInputProps('email')}
          />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            key={form.key('password')}
            {...form.getInputProps('password')}
          />
          {isAskingCode && (
            <TextInput
              label="Code"
              description="Six digits from your authenticator app, or one of your recovery codes"
              autoComplete="one-time-code"
              required
              autoFocus
              key={form.key('code')}
              {...form.getInputProps('code')}
            />
          )}
          <Button type="submit" loading={signIn.isPending} fullWidth mt="xs">
            Sign in
          </Button>
          {options.data?.forgottenPassword ? (
            <Anchor component="button" type="button" size="sm" onClick={forgotten}>
              Forgot your password?
            </Anchor>
          ) : (
            <Text size="xs" c="dimmed">
              No account, or a forgotten password? The operator of this installation can help.
            </Text>
          )}
        </Stack>
      </form>
    </SignInCard>
  )
}

function reasonOf(problem: ApiProblem): string {
  if (problem.status !== 429) return problem.message
  const seconds = Math.ceil((problem.retryAfterMs ?? 60_000) / 1000)
  return `Too many attempts. Try again in ${seconds} seconds.`
}
