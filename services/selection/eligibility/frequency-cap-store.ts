import { LRUCache } from 'lru-cache'
import type { Counters } from '../../../infra/counters/port.ts'
import { readComplete } from '../../replicas/read-complete.ts'
import { createCircuitBreaker } from '../candidates/circuit-breaker.ts'

/** About 200 bytes each. */
const VIEWS_CACHED_MAX = 100_000

/** Where views are counted and reserved. */
export type FrequencyCapStore = Pick<Counters, 'read' | 'reserve'>

/**
 * The counters of views, which still answer while the counters are away: with the values last read, and for an unknown key
 * with infinity, which reaches any cap. So caps are kept, at the price that people who have just come see no ads with a
 * cap. Only concurrent requests of one person may exceed a cap meanwhile, because every reservation is granted.
 */
export function createFrequencyCapStore(deps: {
  counters: FrequencyCapStore
  now: () => number
  /** Counters that take longer count as slow, and are left alone for a while. */
  slowMs: number
  onError: (error: unknown) => void
}): FrequencyCapStore {
  const { counters, onError } = deps
  const breaker = createCircuitBreaker({ now: deps.now, slowMs: deps.slowMs })
  const lastRead = new LRUCache<string, number>({ max: VIEWS_CACHED_MAX })

  return {
    async read(keys) {
      if (!breaker.isOpen()) {
        try {
          const values = await breaker.watch(readComplete(counters, keys))
          for (const [i, key] of keys.entries()) lastRead.set(key, values[i]!)
          return values
        } catch (error) {
          onError(error)
        }
      }
      return keys.map((key) => lastRead.get(key) ?? Number.POSITIVE_INFINITY)
    },
    async reserve(reservations) {
      if (!breaker.isOpen()) {
        try {
          return await breaker.watch(counters.reserve(reservations))
        } catch (error) {
          onError(error)
        }
      }
      return reservations.map(({ requested }) => requested)
    },
  }
}
