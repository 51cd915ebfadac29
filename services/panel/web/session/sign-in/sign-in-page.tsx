import { Anchor, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { SESSION_KEY } from '../../client/query-client.ts'
import { t } from '../../messages/shell.ts'
import { hearOtherTabs } from '../other-tabs.ts'
import { ForgottenPassword } from './forgotten-password.tsx'
import { SignInCard } from './sign-in-card.tsx'
import { SignInForm, useForgottenPassword } from './sign-in-form.tsx'

/** The sign-in form. After signing in, here or in another tab, the user sees the page that they asked for. */
export function SignInPage() {
  const queryClient = useQueryClient()
  const sendsLinks = useForgottenPassword()
  const [isForgotten, setForgotten] = useState(false)
  useEffect(() => hearOtherTabs(() => void queryClient.invalidateQueries({ queryKey: SESSION_KEY })), [queryClient])
  if (isForgotten) return <ForgottenPassword back={() => setForgotten(false)} />
  return (
    <SignInCard title={t('signInToEndcap')}>
      <SignInForm>
        {sendsLinks ? (
          <Anchor component="button" type="button" size="sm" onClick={() => setForgotten(true)}>
            {t('forgotPassword')}
          </Anchor>
        ) : (
          <Text size="xs" c="dimmed">
            {t('operatorHelps')}
          </Text>
        )}
      </SignInForm>
    </SignInCard>
  )
}
