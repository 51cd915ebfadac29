import { Alert, Anchor, Button, Skeleton, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { baseOf } from '../../client/account-address.ts'
import { answer, client } from '../../client/client.ts'
import type { ApiProblem } from '../../client/problem.ts'
import type { CheckedLink } from '../../client/types.ts'
import { t } from '../../messages/shell.ts'
import { ReauthenticationDialog } from '../reauthentication-dialog.tsx'
import { SessionContext, useSessionState } from '../session.ts'
import { SignInCard } from './sign-in-card.tsx'
import { SignInForm } from './sign-in-form.tsx'

export interface AcceptInvitationProps {
  token: string
  link: CheckedLink
  back: () => void
}

/** Accepts an invitation with the login that the address has, which must be signed in. Then opens the account. */
export function AcceptInvitation({ token, link, back }: AcceptInvitationProps) {
  const { email } = link
  const { data: session, isPending } = useSessionState()
  const accept = useMutation<{ accountId: string }, ApiProblem>({
    mutationFn: () => answer(client.POST('/v1/panel/session/invitation', { body: { token } })),
    onSuccess: ({ accountId }) => location.assign(`${baseOf(accountId)}/`),
  })
  const isSignedIn = session?.user.email === email
  return (
    <SignInCard title={t('invitation')}>
      <InvitedTo link={link} />
      {accept.error && (
        <Alert color="red" role="alert">
          {accept.error.message}
        </Alert>
      )}
      {isPending && <Skeleton height={160} />}
      {isSignedIn && (
        <SessionContext value={session}>
          <Text size="sm">{t('acceptAs', { email })}</Text>
          <Button onClick={() => accept.mutate()} loading={accept.isPending} fullWidth>
            {t('accept')}
          </Button>
          <ReauthenticationDialog />
        </SessionContext>
      )}
      {!isPending && !isSignedIn && (
        <>
          <Text size="sm">{t('acceptBySigningIn')}</Text>
          <SignInForm email={email} signedIn={() => accept.mutate()}>
            <Anchor component="button" type="button" size="sm" onClick={back}>
              {t('hasNoPassword')}
            </Anchor>
          </SignInForm>
        </>
      )}
    </SignInCard>
  )
}

/** Names the account of an invitation. */
export function InvitedTo({ link: { accountName } }: { link: CheckedLink }) {
  return (
    <Text size="sm">
      {accountName === null
        ? t('invitedAsOperator')
        : t.rich('invitedTo', { account: accountName, b: (text) => <b key="account">{text}</b> })}
    </Text>
  )
}
