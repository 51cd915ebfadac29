import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { RouterProvider } from 'react-router/dom'
import { rightAddress } from './client/account-address.ts'
import { createQueryClient } from './client/query-client.ts'
import type { Role, Session } from './client/types.ts'
import { LoadedPage } from './components/loading/lazy.tsx'
import { ErrorState } from './components/page/error-state.tsx'
import { RouterContext } from './data/use-is-leaving.ts'
import { createRoutes } from './routes.tsx'
import { lastAccountId } from './session/last-account.ts'
import { ReauthenticationDialog } from './session/reauthentication-dialog.tsx'
import { SessionContext, useSessionState } from './session/session.ts'
import { SessionEndDialog } from './session/session-end-dialog.tsx'
import { SET_PASSWORD_PATH, SetPasswordPage } from './session/sign-in/set-password-page.tsx'
import { SignInPage } from './session/sign-in/sign-in-page.tsx'
import { cssVariables, theme } from './theme.tsx'

const queryClient = createQueryClient()
const loadSecondFactorPage = () => import('./session/second-factor/second-factor-page.tsx')

/** The panel. The page's Content-Security-Policy allows style elements with `nonce`. */
export function App({ nonce }: { nonce: string }) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queryClient}>
        <Notifications position="top-center" limit={4} aria-live="polite" />
        <Gate />
      </QueryClientProvider>
    </MantineProvider>
  )
}

/** Shows the sign-in page at any address. After signing in, the user sees the page of that address. */
function Gate() {
  const { data: session, error, refetch } = useSessionState()
  if (location.pathname.startsWith(SET_PASSWORD_PATH)) return <SetPasswordPage />
  if (session) return <SignedIn session={session} />
  if (session === null) return <SignInPage />
  return error ? <ErrorState problem={error} retry={() => void refetch()} /> : null
}

function SignedIn({ session }: { session: Session }) {
  // Only when the page is loaded: what is typed later must not be lost because the login has got another account.
  const [elsewhere] = useState(() => rightAddress(location, idsOf(session), lastAccountId()))
  useEffect(() => {
    if (elsewhere !== null) location.replace(elsewhere)
  }, [elsewhere])
  if (elsewhere !== null) return null
  return (
    <SessionContext value={session}>
      {session.mustSetUpSecondFactor ? <LoadedPage load={loadSecondFactorPage} /> : <Pages role={session.user.role} />}
      <ReauthenticationDialog />
      <SessionEndDialog />
    </SessionContext>
  )
}

const idsOf = ({ accounts }: Session) => accounts.map(({ id }) => id)

function Pages({ role }: { role: Role }) {
  const router = useMemo(() => createRoutes(role), [role])
  return (
    <RouterContext value={router}>
      <RouterProvider router={router} />
    </RouterContext>
  )
}
