import { Anchor, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { SESSION_KEY } from '../client/query-client.ts'
import { SecondFactorSetup } from './second-factor-setup.tsx'
import { signOut } from './session.ts'
import { SignInCard } from './sign-in-card.tsx'

/** All that there is for who must set up a second factor first. */
export function SecondFactorPage() {
  const queryClient = useQueryClient()
  return (
    <SignInCard title="Set up two-step sign-in">
      <Text size="sm">This installation asks people of your role for a code besides the password.</Text>
      <SecondFactorSetup done={() => void queryClient.invalidateQueries({ queryKey: SESSION_KEY })} />
      <Anchor component="button" type="button" size="sm" onClick={() => void signOut()}>
        Sign out
      </Anchor>
    </SignInCard>
  )
}
