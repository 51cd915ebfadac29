import { Alert, Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { answer, client } from '../../client/client.ts'
import type { ApiProblem } from '../../client/problem.ts'
import type { Session } from '../../client/types.ts'
import { t } from '../../messages/shell.ts'
import { useSignedIn } from '../session.ts'

interface Credentials {
  email: string
  password: string
  code: string
}

export interface SignInFormProps {
  /** The only user who may sign in here. Default: anybody. */
  email?: string
  signedIn?: () => void
  /** Shown below the button. */
  children: ReactNode
}

/** Asks for e-mail and password, and for a code if the user has a second factor. */
export function SignInForm({ email, signedIn, children }: SignInFormProps) {
  const keep = useSignedIn()
  const [isAskingCode, setAskingCode] = useState(false)
  const isFixed = email !== undefined
  const form = useForm<Credentials>({
    mode: 'uncontrolled',
    initialValues: { email: email ?? '', password: '', code: '' },
  })
  const signIn = useMutation<Session, ApiProblem, Credentials>({
    mutationFn: ({ code, ...body }) =>
      answer(client.POST('/v1/panel/session', { body: { ...body, ...(code !== '' && { code }) } })),
    onSuccess(session) {
      keep(session)
      signedIn?.()
    },
    onError(problem) {
      if (problem.code === 'SECOND_FACTOR_REQUIRED') setAskingCode(true)
      form.getInputNode(isAskingCode ? 'code' : 'password')?.focus()
    },
  })
  const problem = signIn.error?.code === 'SECOND_FACTOR_REQUIRED' ? null : signIn.error
  return (
    <form onSubmit={form.onSubmit((values) => signIn.mutate(values))}>
      <Stack>
        {problem && (
          <Alert color="red" role="alert">
            {reasonOf(problem)}
          </Alert>
        )}
        <TextInput
          label={t('email')}
          type="email"
          autoComplete="username"
          required={!isFixed}
          readOnly={isFixed}
          variant={isFixed ? 'unstyled' : 'default'}
          autoFocus={!isFixed}
          key={form.key('email')}
          {...form.getInputProps('email')}
        />
        <PasswordInput
          label={t('password')}
          autoComplete="current-password"
          required
          data-autofocus={isFixed}
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        {isAskingCode && (
          <TextInput
            label={t('code')}
            description={t('codeOfAppOrRecovery')}
            autoComplete="one-time-code"
            required
            autoFocus
            key={form.key('code')}
            {...form.getInputProps('code')}
          />
        )}
        <Button type="submit" loading={signIn.isPending} fullWidth mt="xs">
          {t('signIn')}
        </Button>
        {children}
      </Stack>
    </form>
  )
}

/** Whether the installation sends links to people who have forgotten their password. */
export function useForgottenPassword(): boolean {
  const options = useQuery({
    queryKey: ['/v1/panel/session/options'],
    queryFn: ({ signal }) => answer(client.GET('/v1/panel/session/options', { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return options.data?.forgottenPassword ?? false
}

function reasonOf(problem: ApiProblem): string {
  if (problem.status !== 429) return problem.message
  return t('tooManyAttempts', { count: Math.ceil((problem.retryAfterMs ?? 60_000) / 1000) })
}
