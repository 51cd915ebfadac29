import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { useMemo } from 'react'
import { RouterProvider } from 'react-router/dom'
import { createQueryClient } from './client/query-client.ts'
import type { Role } from './client/types.ts'
import { ErrorState } from './components/page/error-state.tsx'
import { createRoutes } from './routes.tsx'
import { ReauthenticationDialog } from './session/reauthentication-dialog.tsx'
import { SecondFactorPage } from './session/second-factor-page.tsx'
import { SessionContext, useSessionState } from './session/session.ts'
import { SET_PASSWORD_PATH, SetPasswordPage } from './session/set-password-page.tsx'
import { SignInPage } from './session/sign-in-page.tsx'
import { theme } from './theme.ts'

const queryClient = createQueryClient()

/** The panel. `nonce` is the one that the page's policy allows style elements with. */
export function App({ nonce }: { nonce: string }) {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <QueryClientProvider client={queryClient}>
        <Notifications position="top-center" limit={4} aria-live="polite" />
        <Gate />
      </QueryClientProvider>
    </MantineProvider>
  )
}

/** Asks for a sign-in at whatever address; the one who has signed in is where they wanted to be. */
function Gate() {
  const { data: session, error, refetch } = useSessionState()
  if (location.pathname.startsWith(SET_PASSWORD_PATH)) return <SetPasswordPage />
  if (session?.mustSetUpSecondFactor) {
    return (
      <SessionContext value={session}>
        <SecondFactorPage />
        <ReauthenticationDialog />
      </SessionContext>
    )
  }
  if (session) {
    return (
      <SessionContext value={session}>
        <Pages role={session.user.role} />
        <ReauthenticationDialog />
      </SessionContext>
    )
  }
  if (session === null) return <SignInPage />
  return error ? <ErrorState problem={error} retry={() => void refetch()} /> : null
}

function Pages({ role }: { role: Role }) {
  const router = useMemo(() => createRoutes(role), [role])
  return <RouterProvider router={router} />
}
