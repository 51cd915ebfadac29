import { Anchor, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { SESSION_KEY } from '../../client/query-client.ts'
import { t } from '../../messages/shell.ts'
import { signOut } from '../session.ts'
import { SignInCard } from '../sign-in/sign-in-card.tsx'
import { SecondFactorSetup } from './second-factor-setup.tsx'

/** The only page for a user who must set up a second factor first. */
export default function SecondFactorPage() {
  const queryClient = useQueryClient()
  return (
    <SignInCard title={t('setUpTwoStep')}>
      <Text size="sm">{t('setUpTwoStepHelp')}</Text>
      <SecondFactorSetup done={() => void queryClient.invalidateQueries({ queryKey: SESSION_KEY })} />
      <Anchor component="button" type="button" size="sm" onClick={() => void signOut()}>
        {t('signOut')}
      </Anchor>
    </SignInCard>
  )
}
