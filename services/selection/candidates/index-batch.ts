import {
  IndexUnavailable,
  type ProductIndex,
  type ProductQuery,
  type SearchResult,
} from '../../../infra/product-index/port.ts'

/** Small enough that the index starts before this turn of the event loop ends. */
const QUERIES_PER_CALL = 8

interface PendingQuery {
  query: ProductQuery
  resolve: (result: SearchResult) => void
  reject: (error: unknown) => void
}

/**
 * Sends the queries of one turn of the event loop to the index together, in few calls. Waking another thread and being woken
 * by its answer, or crossing the network, costs more than most queries.
 */
export function createIndexBatch(index: Pick<ProductIndex, 'search'>) {
  let pending: PendingQuery[] = []
  let scheduled: NodeJS.Immediate | null = null

  function flush(): void {
    if (scheduled) clearImmediate(scheduled)
    scheduled = null
    const batch = pending
    pending = []
    void answer(batch)
  }

  async function answer(batch: readonly PendingQuery[]): Promise<void> {
    try {
      const results = await index.search(batch.map(({ query }) => query))
      for (const [i, { resolve }] of batch.entries()) resolve(results[i]!)
    } catch (error) {
      // The index may have refused one of them, and the others have nothing to do with it.
      const isRefusal = batch.length > 1 && !(error instanceof IndexUnavailable)
      if (isRefusal) for (const each of batch) void answer([each])
      else for (const { reject } of batch) reject(error)
    }
  }

  return {
    search(query: ProductQuery): Promise<SearchResult> {
      return new Promise((resolve, reject) => {
        pending.push({ query, resolve, reject })
        if (pending.length === QUERIES_PER_CALL) flush()
        else scheduled ??= setImmediate(flush)
      })
    },
  }
}
