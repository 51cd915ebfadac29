import { useQueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { connection } from '../client/connection.ts'
import { SESSION_KEY } from '../client/query-client.ts'
import type { ReadablePath } from '../client/types.ts'

export interface ConnectionState {
  /** The server does not answer: what is shown is not kept up. Reads are repeated once it answers. */
  isAway: boolean
  /** When the oldest of what the page shows was read, in milliseconds; null when it shows nothing that was read. */
  shownFrom: number | null
}

/** Reads of the frame around the page, which say nothing about the age of the page. */
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
