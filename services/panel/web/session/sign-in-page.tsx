import { Alert, Button, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { answer, client } from '../client/client.ts'
import type { ApiProblem } from '../client/problem.ts'
import type { Session } from '../client/types.ts'
import { Logo } from '../shell/logo.tsx'
import { useSignedIn } from './session.ts'
import classes from './sign-in-page.module.css'

interface Credentials {
  email: string
  password: string
}

/** E-mail and password; the page that was asked for follows. */
export function SignInPage() {
  const signedIn = useSignedIn()
  const form = useForm<Credentials>({ mode: 'uncontrolled', initialValues: { email: '', password: '' } })
  const signIn = useMutation<Session, ApiProblem, Credentials>({
    mutationFn: (body) => answer(client.POST('/v1/panel/session', { body })),
    onSuccess: signedIn,
    onError: () => form.getInputNode('password')?.focus(),
  })
  return (
    <main className={classes.page}>
      <title>Sign in · Endcap</title>
      <Paper withBorder className={classes.card} p="xl">
        <form onSubmit={form.onSubmit((values) => signIn.mutate(values))}>
          <Stack>
            <div className={classes.brand}>
              <Logo />
              <Title order={1} size="h2">
                Sign in to Endcap
              </Title>
            </div>
            {signIn.error && (
              <Alert color="red" role="alert">
                {reasonOf(signIn.error)}
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
            <Button type="submit" loading={signIn.isPending} fullWidth mt="xs">
              Sign in
            </Button>
            <Text size="xs" c="dimmed">
              No account, or a forgotten password? The operator of this installation can help.
            </Text>
          </Stack>
        </form>
      </Paper>
    </main>
  )
}

function reasonOf(problem: ApiProblem): string {
  if (problem.status !== 429) return problem.message
  const seconds = Math.ceil((problem.retryAfterMs ?? 60_000) / 1000)
  return `Too many attempts. Try again in ${seconds} seconds.`
}
