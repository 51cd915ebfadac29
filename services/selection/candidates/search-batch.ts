import type { ProductIndex, ProductQuery, SearchResult } from '../../../infra/product-index/port.ts'

/** Small enough that the index begins while a turn still goes on. */
const QUERIES_PER_CALL = 8

interface Waiting {
  query: ProductQuery
  resolve: (result: SearchResult) => void
  reject: (error: unknown) => void
}

/**
 * Asks the index for what one turn of the event loop asks for in few calls: to wake another thread, or to cross the
 * network, costs more than most queries do.
 */
export function createSearchBatch(index: Pick<ProductIndex, 'search'>): (query: ProductQuery) => Promise<SearchResult> {
  let waiting: Waiting[] = []
  let scheduled: NodeJS.Immediate | null = null

  async function flush() {
    if (scheduled) clearImmediate(scheduled)
    scheduled = null
    const batch = waiting
    waiting = []
    try {
      const results = await index.search(batch.map(({ query }) => query))
      for (const [i, { resolve }] of batch.entries()) resolve(results[i]!)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  return (query) =>
    new Promise((resolve, reject) => {
      waiting.push({ query, resolve, reject })
      if (waiting.length === QUERIES_PER_CALL) flush()
      else scheduled ??= setImmediate(flush)
    })
}
