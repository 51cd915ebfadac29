import { notifications } from '@mantine/notifications'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, use } from 'react'
import { answer, client } from '../client/client.ts'
import { ApiProblem } from '../client/problem.ts'
import { SESSION_KEY } from '../client/query-client.ts'
import { ask } from '../client/questions.ts'
import type { Session } from '../client/types.ts'
import { t } from '../messages/shell.ts'
import { tellOtherTabs } from './other-tabs.ts'

/** The current session, for everything inside the shell. */
export const SessionContext = createContext<Session | null>(null)

/** The current session. Only for components inside the shell. */
export function useSession(): Session {
  const session = use(SessionContext)
  if (!session) throw new Error('there is no session here')
  return session
}

/**
 * Reads the session from the server: undefined until it is known, null when nobody was signed in as the panel was opened. When the
 * session ends later, its last value is kept and a dialog asks to sign in again, so that nothing the user has typed is lost.
 */
export function useSessionState() {
  const queryClient = useQueryClient()
  return useQuery<Session | null, ApiProblem>({
    queryKey: SESSION_KEY,
    queryFn: async ({ signal }) => {
      const known = queryClient.getQueryData<Session | null>(SESSION_KEY)
      try {
        const session = await answer(client.GET('/v1/panel/session', { signal }))
        if (known && session.user.id !== known.user.id) startAnew()
        return session
      } catch (error) {
        if (!(error instanceof ApiProblem) || error.status !== 401) throw error
        if (known) void ask('SESSION')
        return known ?? null
      }
    },
    staleTime: 60_000,
  })
}

/** Sets the new session, refetches all that is shown, and tells the other tabs. */
export function useSignedIn(): (session: Session) => void {
  const queryClient = useQueryClient()
  return (session) => {
    queryClient.setQueryData(SESSION_KEY, session)
    void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] })
    tellOtherTabs({ kind: 'SIGNED_IN', email: session.user.email })
  }
}

/** Reloads the panel, so that no data of the previous user stays in memory. */
export const startAnew = (): void => location.assign('/panel/')

/** Ends the session in all tabs of the browser, or tells the user that it goes on. */
export async function signOut(query: { everywhere?: boolean; tokens?: boolean } = {}): Promise<void> {
  try {
    await client.DELETE('/v1/panel/session', { params: { query } })
  } catch (problem) {
    const { message } = problem as ApiProblem
    return void notifications.show({ title: t('notSignedOut'), message, color: 'red', autoClose: false })
  }
  tellOtherTabs({ kind: 'SIGNED_OUT' })
  startAnew()
}
