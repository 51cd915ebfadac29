import { Alert, Anchor, Button, PasswordInput, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, client } from '../../client/client.ts'
import type { ApiProblem } from '../../client/problem.ts'
import type { CheckedLink, Session } from '../../client/types.ts'
import { t } from '../../messages/shell.ts'
import { passwordHint, passwordProblem } from '../password-rules.ts'
import { signOut } from '../session.ts'
import { AcceptInvitation, InvitedTo } from './accept-invitation.tsx'
import { SignInCard } from './sign-in-card.tsx'

export const SET_PASSWORD_PATH = '/panel/set-password'

const FORM_HEIGHT = 350

/**
 * The target of invitation and reset links. The token behind the # lets the user choose a password, while the link works. Somebody who
 * was invited may accept with a password that the address has already. The page does not know whether it has one.
 */
export function SetPasswordPage() {
  const token = location.hash.slice(1)
  const check = useQuery<CheckedLink, ApiProblem>({
    queryKey: ['/v1/panel/session/password-link', token],
    queryFn: ({ signal }) => answer(client.POST('/v1/panel/session/password-link', { body: { token }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const [isAccepting, setAccepting] = useState(false)
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
  if (set.isSuccess) return <PasswordSet />
  const ended = linkProblem(set.error ?? check.error)
  const invitation = check.data?.purpose === 'INVITATION' ? check.data : null
  if (isAccepting && invitation) {
    return <AcceptInvitation token={token} link={invitation} back={() => setAccepting(false)} />
  }
  return (
    <SignInCard title={t('choosePassword')}>
      {invitation && <InvitedTo link={invitation} />}
      {ended !== null && (
        <Alert color="red" role="alert">
          {ended}
        </Alert>
      )}
      {check.isPending && <Skeleton height={FORM_HEIGHT} />}
      {ended === null && !check.isPending && (
        <form onSubmit={form.onSubmit((values) => set.mutate(values))}>
          <Stack>
            {set.error && !set.error.fieldErrors().password && (
              <Alert color="red" role="alert">
                {set.error.message}
              </Alert>
            )}
            {/* Password managers keep the new password under it. */}
            <TextInput
              label={t('email')}
              type="email"
              autoComplete="username"
              variant="unstyled"
              readOnly
              value={check.data?.email ?? ''}
            />
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
            {invitation && (
              <Anchor component="button" type="button" size="sm" onClick={() => setAccepting(true)}>
                {t('hasPassword')}
              </Anchor>
            )}
          </Stack>
        </form>
      )}
      <Anchor href="/panel/" size="sm">
        {t('backToSignIn')}
      </Anchor>
    </SignInCard>
  )
}

/** Leads to signing in. The new password ends all sessions of its user, so whoever is still signed in here is somebody else. */
function PasswordSet() {
  const { data: other, isPending } = useQuery<Session | null>({
    queryKey: ['/v1/panel/session', 'other'],
    queryFn: ({ signal }) => answer(client.GET('/v1/panel/session', { signal })).catch(() => null),
  })
  return (
    <SignInCard title={t('passwordSet')}>
      <Alert color="teal" role="status">
        {t('passwordSetHelp')}
      </Alert>
      {other && <Text size="sm">{t('signedInHere', { name: other.user.name })}</Text>}
      {other ? (
        <Button onClick={() => void signOut()} fullWidth>
          {t('signOutAndIn')}
        </Button>
      ) : (
        <Button component="a" href="/panel/" loading={isPending} fullWidth>
          {t('signIn')}
        </Button>
      )}
    </SignInCard>
  )
}

/** Why the link cannot be used; null when that is not the problem. */
function linkProblem(problem: ApiProblem | null): string | null {
  const error = problem?.errors.find(({ path }) => path === '/token')
  return error ? t('linkProblem', { problem: error.message }) : null
}
