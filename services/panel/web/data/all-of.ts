import type { ListState } from './use-list.ts'

/** Items that are there already, as DataTable shows lists: all on one page. */
export function allOf<T>(items: readonly T[]): ListState<T> {
  return { items, problem: null, isStale: false, retry: () => {}, page: 1, next: null, previous: null }
}
