import { QueryClient } from '@tanstack/react-query'
import { connection } from './connection.ts'
import { ApiProblem } from './problem.ts'

const RETRIES_MAX = 3
/** Data younger than this is not refetched when the user returns to a page. */
const FRESH_MS = 5_000

export const SESSION_KEY = ['/v1/panel/session']

/**
 * Retries reads while the server is busy, and refetches what is shown after an outage. Changes are never retried, because they may
 * already have been made.
 */
export function createQueryClient(): QueryClient {
  const queryClient = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        // The browser's online state does not tell whether the server answers. Errors do, and then `connection` asks again.
        networkMode: 'always',
        retry: (failures, error) => failures < RETRIES_MAX && mayWorkLater(error),
        retryDelay: (failures, error) => (error instanceof ApiProblem && error.retryAfterMs) || 500 * 2 ** failures,
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  })
  connection.subscribe(() => {
    if (!connection.isAway()) void queryClient.invalidateQueries()
  })
  return queryClient
}

function mayWorkLater(error: Error): boolean {
  if (!(error instanceof ApiProblem)) return false
  if (error.code === 'NETWORK') return !connection.isAway()
  return error.passesSoon
}
