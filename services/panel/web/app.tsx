import { createTheme, MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { useMemo } from 'react'
import { RouterProvider } from 'react-router/dom'
import { createQueryClient } from './client/query-client.ts'
import type { Role } from './client/types.ts'
import { ErrorState } from './components/page/error-state.tsx'
import { createRoutes } from './routes.tsx'
import { ReauthenticationDialog } from './session/reauthentication-dialog.tsx'
import { SecondFactorPage } from './session/second-factor-setup.tsx'
import { SessionContext, useSessionState } from './session/session.ts'
import { SessionEndDialog } from './session/session-end-dialog.tsx'
import { SET_PASSWORD_PATH, SetPasswordPage } from './session/sign-in/set-password-page.tsx'
import { SignInPage } from './session/sign-in/sign-in-page.tsx'

const queryClient = createQueryClient()

/** The panel. The page's Content-Security-Policy allows style elements with `nonce`. */
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

/** Shows the sign-in page at any address. After signing in, the user is at the address that they opened. */
function Gate() {
  const { data: session, error, refetch } = useSessionState()
  if (location.pathname.startsWith(SET_PASSWORD_PATH)) return <SetPasswordPage />
  if (session) {
    return (
      <SessionContext value={session}>
        {session.mustSetUpSecondFactor ? <SecondFactorPage /> : <Pages role={session.user.role} />}
        <ReauthenticationDialog />
        <SessionEndDialog />
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

/** Mantine's close button has no accessible name by default. */
const closeButtonProps = { 'aria-label': 'Close' }

/** Calm and dense: one accent colour, small radii, system fonts. */
const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 8 },
  fontFamily: 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace',
  headings: {
    fontWeight: '600',
    textWrap: 'balance',
    sizes: {
      h1: { fontSize: '1.375rem', lineHeight: '1.3' },
      h2: { fontSize: '1.0625rem', lineHeight: '1.4' },
      h3: { fontSize: '0.9375rem', lineHeight: '1.4' },
    },
  },
  defaultRadius: 'sm',
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    // The default title colour has a contrast below 4.5.
    Alert: { styles: { title: { color: 'var(--mantine-color-text)' } } },
    Modal: { defaultProps: { closeButtonProps } },
    Drawer: { defaultProps: { closeButtonProps } },
    Notification: { defaultProps: { closeButtonProps } },
  },
})
