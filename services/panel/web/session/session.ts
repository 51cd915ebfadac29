import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, use } from 'react'
import { answer, client } from '../client/client.ts'
import { ApiProblem } from '../client/problem.ts'
import { SESSION_KEY } from '../client/query-client.ts'
import type { Session } from '../client/types.ts'

/** The current session, for everything inside the shell. */
export const SessionContext = createContext<Session | null>(null)

/** The current session. Only for components inside the shell. */
export function useSession(): Session {
  const session = use(SessionContext)
  if (!session) throw new Error('there is no session here')
  return session
}

/** Reads the session from the server: undefined until it is known, null when nobody is signed in. */
export function useSessionState() {
  return useQuery<Session | null, ApiProblem>({
    queryKey: SESSION_KEY,
    queryFn: async ({ signal }) => {
      try {
        return await answer(client.GET('/v1/panel/session', { signal }))
      } catch (error) {
        if (error instanceof ApiProblem && error.status === 401) return null
        throw error
      }
    },
    staleTime: 60_000,
  })
}

/** Sets the new session, and drops everything that the previous user has read. */
export function useSignedIn(): (session: Session) => void {
  const queryClient = useQueryClient()
  return (session) => {
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] })
    queryClient.setQueryData(SESSION_KEY, session)
  }
}

/** Ends the session and reloads the panel, so that nothing stays in memory. */
export async function signOut(query: { everywhere?: boolean; tokens?: boolean } = {}): Promise<void> {
  await client.DELETE('/v1/panel/session', { params: { query } })
  location.assign('/panel/')
}
