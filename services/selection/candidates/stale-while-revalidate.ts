import { LRUCache } from 'lru-cache'
import type { MaybePromise } from '../deadline.ts'

const FRESH_MS = 1000
/** A value older than FRESH_MS is still served, up to this age, while it is revalidated in the background. */
const STALE_MS = 2000

export interface StaleWhileRevalidateCache<T extends object> {
  /**
   * The value of a key: a cached one, else what `load` resolves to. Concurrent calls share one load. A load that fails is
   * not cached, and does not displace the cached value.
   */
  get(key: string, load: () => Promise<T>): MaybePromise<T>
}

/** A cache for values that may be a second old. A fresh value is returned without a promise, so a hit costs no microtask. */
export function createStaleWhileRevalidateCache<T extends object>({
  now,
  entriesMax,
}: {
  now: () => number
  entriesMax: number
}): StaleWhileRevalidateCache<T> {
  const cache = new LRUCache<string, T, () => Promise<T>>({
    max: entriesMax,
    ttl: FRESH_MS,
    // Zero: the clock is read at every call, instead of caching its time under a timer.
    ttlResolution: 0,
    perf: { now },
    noDeleteOnStaleGet: true,
    noDeleteOnFetchRejection: true,
    // A value that is evicted while it is loaded still goes to its callers.
    ignoreFetchAbort: true,
    fetchMethod: (_key, _stale, { context: load }) => load(),
  })
  return {
    get(key, load) {
      const fresh = cache.get(key)
      if (fresh !== undefined) return fresh
      const allowStale = cache.getRemainingTTL(key) > FRESH_MS - STALE_MS
      // Every load resolves to a value, so this is never undefined.
      return cache.fetch(key, { allowStale, context: load }) as Promise<T>
    },
  }
}
