import { useQueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { connection } from '../client/connection.ts'
import { SESSION_KEY } from '../client/query-client.ts'
import type { ReadablePath } from '../client/types.ts'

export interface ConnectionState {
  /** The server does not answer, so the page is not kept up to date. Reads are repeated once the server answers. */
  isAway: boolean
  /** When the oldest data on the page was read, in epoch milliseconds; null when the page shows no data that was read. */
  shownFrom: number | null
}

/** Requests of the frame around the page. They say nothing about the age of the page. */
const FRAME: readonly unknown[] = [SESSION_KEY[0], '/v1/panel/shops' satisfies ReadablePath]

/** Whether the server answers. A page says "live" only while it does. */
export function useConnection(): ConnectionState {
  const queryClient = useQueryClient()
  const isAway = useSyncExternalStore(connection.subscribe, connection.isAway)
  const reads = queryClient
    .getQueryCache()
    .findAll({ type: 'active' })
    .filter(({ state, queryKey }) => state.data !== undefined && !FRAME.includes(queryKey[0]))
  const shownFrom = reads.length === 0 ? null : Math.min(...reads.map(({ state }) => state.dataUpdatedAt))
  return { isAway, shownFrom }
}
