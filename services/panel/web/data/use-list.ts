import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { PAGE_LIMIT_MAX } from '../../../../schemas/http/panel/limits.ts'
import type { ApiProblem } from '../client/problem.ts'
import type { Answer, Item, ListPath, PathParams, Query } from '../client/types.ts'
import { type EntityState, read } from './use-entity.ts'

const PAGE_SIZE_DEFAULT = 50
/** For lists that are searched in the browser, and for choices: as many as an account may have campaigns. */
export const PAGE_SIZE_MAX = 10_000

export interface ListOptions<P extends ListPath> {
  path?: PathParams<P>
  query?: Omit<Query<P>, 'limit' | 'cursor'>
  /** A page larger than the API's is read in several requests. */
  pageSize?: number
  enabled?: boolean
  refreshMs?: number | false
}

/** A list as DataTable shows it: one page at a time. */
export interface ListState<T> {
  /** Undefined until the first page has loaded. */
  items: readonly T[] | undefined
  problem: ApiProblem | null
  /** The items are still those of the previous page or query. */
  isStale: boolean
  retry: () => void
  /** The page number, from 1. */
  page: number
  /** Null when there is no such page. */
  next: (() => void) | null
  previous: (() => void) | null
}

/** Reads a list page by page: `useList('/v1/panel/accounts', { query: { kind: 'PUBLISHER' } })`. */
export function useList<P extends ListPath>(
  path: P,
  options: ListOptions<P> = {},
): ListState<Item<P>> & { answer: Answer<P> | undefined } {
  const { pageSize = PAGE_SIZE_DEFAULT, enabled, refreshMs = false } = options
  const asked = JSON.stringify([path, options.path, options.query, pageSize])
  const [place, setPlace] = useState({ asked, cursors: [] as string[] })
  // A changed query starts at its first page.
  const cursors = place.asked === asked ? place.cursors : []
  const query = { ...options.query, limit: Math.min(pageSize, PAGE_LIMIT_MAX), cursor: cursors.at(-1) }

  const state = useQuery<Answer<P>, ApiProblem>({
    queryKey: [path, options.path, query, pageSize],
    queryFn: ({ signal }) =>
      readPages(Math.ceil(pageSize / PAGE_LIMIT_MAX), query.cursor, (cursor) =>
        read(path, { params: { path: options.path, query: { ...query, cursor } }, signal }),
      ) as Promise<Answer<P>>,
    placeholderData: keepPreviousData,
    ...(enabled === undefined ? {} : { enabled }),
    refetchInterval: refreshMs,
  })
  const data = state.data as (ListAnswer & { items: Item<P>[] }) | undefined
  const nextCursor = data?.nextCursor ?? null
  return {
    items: data?.items,
    answer: state.data,
    problem: state.error,
    isStale: state.isPlaceholderData,
    retry: () => void state.refetch(),
    page: cursors.length + 1,
    next: nextCursor === null ? null : () => setPlace({ asked, cursors: [...cursors, nextCursor] }),
    previous: cursors.length === 0 ? null : () => setPlace({ asked, cursors: cursors.slice(0, -1) }),
  }
}

interface ListAnswer {
  items: unknown[]
  nextCursor: string | null
}

/** Reads pages of the API from a cursor on, one after the other: the answer of the last one, with the items of all. */
async function readPages(
  pages: number,
  from: string | undefined,
  readOne: (cursor: string | undefined) => Promise<ListAnswer>,
): Promise<ListAnswer> {
  let answer = await readOne(from)
  const items = [...answer.items]
  for (let left = pages - 1; left > 0 && answer.nextCursor !== null; left--) {
    answer = await readOne(answer.nextCursor)
    items.push(...answer.items)
  }
  return { ...answer, items }
}

/** An item as the list has it now; as it was, when it is no longer in the list. */
export const newest = <T extends { id: string }>(items: readonly T[] | undefined, item: T): T =>
  items?.find(({ id }) => id === item.id) ?? item

/** A list that is part of another answer, as DataTable takes it. */
export function listOf<T>({ problem, retry }: EntityState<unknown>, items: readonly T[] | undefined): ListState<T> {
  return { items, problem, isStale: false, retry, page: 1, next: null, previous: null }
}

/** Items that are already loaded, as DataTable takes them: all on one page. */
export function allOf<T>(items: readonly T[]): ListState<T> {
  return { items, problem: null, isStale: false, retry: () => {}, page: 1, next: null, previous: null }
}
