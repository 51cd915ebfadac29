import { LRUCache } from 'lru-cache'
import { msSince } from '../../domain/time/ms-since.ts'
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

/**
 * A cache for values that may be a second old. A fresh value is returned without a promise, so a hit costs no microtask. The least
 * recently used values are evicted first.
 * @param bytesOf about how much memory an entry takes, more than 0.
 */
export function createStaleWhileRevalidateCache<T extends object>({
  now,
  bytesMax,
  bytesOf,
}: {
  now: () => number
  bytesMax: number
  bytesOf: (value: T, key: string) => number
}): StaleWhileRevalidateCache<T> {
  const cache = new LRUCache<string, { value: T; loadedAt: number }>({
    maxSize: bytesMax,
    sizeCalculation: ({ value }, key) => bytesOf(value, key),
  })
  const loading = new Map<string, Promise<T>>()

  async function loadInto(key: string, load: () => Promise<T>): Promise<T> {
    const value = await load()
    cache.set(key, { value, loadedAt: now() })
    return value
  }

  /** Calls that come while a load is under way share it. */
  function loaded(key: string, load: () => Promise<T>): Promise<T> {
    const underWay = loading.get(key)
    if (underWay) return underWay
    const begun = loadInto(key, load).finally(() => loading.delete(key))
    loading.set(key, begun)
    return begun
  }

  return {
    get(key, load) {
      const cached = cache.get(key)
      const ageMs = cached ? msSince(cached.loadedAt, now()) : Number.POSITIVE_INFINITY
      if (cached && ageMs <= FRESH_MS) return cached.value
      const value = loaded(key, load)
      if (!cached || ageMs >= STALE_MS) return value
      // If the load fails, the cached value stays.
      value.catch(() => {})
      return cached.value
    },
  }
}
