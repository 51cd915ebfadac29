import { queryOptions, useQuery } from '@tanstack/react-query'
import { client } from '../client/client.ts'
import type { ApiProblem } from '../client/problem.ts'
import type { Answer, PathParams, Query, ReadablePath } from '../client/types.ts'

export interface EntityOptions<P extends ReadablePath> {
  path?: PathParams<P>
  query?: Query<P>
  /** False delays the request. */
  enabled?: boolean
  /** How often to refetch while the page is visible; can depend on the latest data. */
  refreshMs?: number | false | ((data: Answer<P> | undefined) => number | false)
}

export interface EntityState<T> {
  data: T | undefined
  problem: ApiProblem | null
  isLoading: boolean
  retry: () => void
}

/** Reads one resource: `useEntity('/v1/panel/accounts/{id}', { path: { id } })`. */
export function useEntity<P extends ReadablePath>(path: P, options: EntityOptions<P> = {}): EntityState<Answer<P>> {
  const state = useQuery(entityQuery(path, options))
  return { data: state.data, problem: state.error, isLoading: state.isPending, retry: () => void state.refetch() }
}

/** The query of a resource, for hooks that read several. */
export function entityQuery<P extends ReadablePath>(path: P, options: EntityOptions<P>) {
  const { enabled, refreshMs = false } = options
  const init = { params: { path: options.path, query: options.query } }
  return queryOptions<Answer<P>, ApiProblem>({
    queryKey: [path, options.path, options.query],
    queryFn: ({ signal }) => read(path, { ...init, signal }),
    ...(enabled === undefined ? {} : { enabled }),
    refetchInterval: typeof refreshMs === 'function' ? ({ state: { data } }) => refreshMs(data) : refreshMs,
  })
}

/** GET of a path given as a type parameter, which the client's types cannot express. @throws ApiProblem */
export async function read<P extends ReadablePath>(path: P, init: Record<string, unknown>): Promise<Answer<P>> {
  const { data } = await client.GET(path as '/v1/panel/session', init)
  return data as unknown as Answer<P>
}
