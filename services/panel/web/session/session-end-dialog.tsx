import { Anchor, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { ask } from '../client/questions.ts'
import { Dialog } from '../components/form/dialog.tsx'
import { t } from '../messages/shell.ts'
import { hearOtherTabs } from './other-tabs.ts'
import { startAnew, useSession } from './session.ts'
import { SignInForm, useForgottenPassword } from './sign-in/sign-in-form.tsx'
import { useQuestion } from './use-question.ts'

/**
 * Lets the same user sign in again when the session has ended. The page below stays as it is, and requests refused meanwhile are
 * repeated afterwards. Signing in or out in another tab takes effect here too; for another user, the panel is reloaded.
 */
export function SessionEndDialog() {
  const { isOpen, finish } = useQuestion('SESSION', false)
  const queryClient = useQueryClient()
  const { email } = useSession().user
  useEffect(
    () =>
      hearOtherTabs((news) => {
        if (news.kind === 'SIGNED_OUT') return void ask('SESSION')
        if (news.email !== email) return startAnew()
        finish(true)
        void queryClient.invalidateQueries()
      }),
    [email, finish, queryClient],
  )
  return (
    <Dialog
      opened={isOpen}
      onClose={() => {}}
      title={t('sessionEnded')}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      overlayProps={{ blur: 4 }}
      zIndex={500}
    >
      {isOpen && <Content finish={finish} />}
    </Dialog>
  )
}

function Content({ finish }: { finish: (mayRepeat: boolean) => void }) {
  const { email } = useSession().user
  const sendsLinks = useForgottenPassword()
  return (
    <Stack>
      <Text size="sm">{t('sessionEndedHelp')}</Text>
      <SignInForm email={email} signedIn={() => finish(true)}>
        <Text size="xs" c="dimmed">
          {sendsLinks
            ? t.rich('forgotPasswordInTab', {
                link: (text) => (
                  <Anchor href="/panel/" target="_blank" inherit>
                    {text}
                  </Anchor>
                ),
              })
            : t('operatorHelps')}
        </Text>
        <Anchor component="button" type="button" size="sm" onClick={startAnew}>
          {t('signInAsOther')}
        </Anchor>
      </SignInForm>
    </Stack>
  )
}
