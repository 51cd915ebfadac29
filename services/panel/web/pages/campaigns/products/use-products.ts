import { useQueries } from '@tanstack/react-query'
import { answer, client } from '../../../client/client.ts'
import { ApiProblem } from '../../../client/problem.ts'
import type { Product } from '../../../client/types.ts'

const STALE_MS = 60_000

/** Loads products of a shop by their feed ids, with one request each, so call it for one page of ids. Null for an id without a product. */
export function useProducts(shopId: string, ids: readonly string[]): ReadonlyMap<string, Product | null> {
  return useQueries({
    queries: ids.map((id) => ({
      queryKey: ['/v1/panel/products/{id}', { id }, { shopId }],
      queryFn: () => productOrNull(shopId, id),
      staleTime: STALE_MS,
    })),
    combine: (results) =>
      new Map(results.flatMap(({ data }, at) => (data === undefined ? [] : [[ids[at]!, data] as const]))),
  })
}

async function productOrNull(shopId: string, id: string): Promise<Product | null> {
  try {
    return await answer(client.GET('/v1/panel/products/{id}', { params: { path: { id }, query: { shopId } } }))
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) return null
    throw error
  }
}
