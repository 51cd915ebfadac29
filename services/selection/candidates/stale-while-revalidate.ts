import { LRUCache } from 'lru-cache'
import { msSince } from '../../domain/time/ms-since.ts'
import type { MaybePromise } from '../deadline.ts'

const FRESH_MS = 1000
/** A value older than FRESH_MS is still served, up to this age, while it is revalidated in the background. */
const STALE_MS = 2000
/** A value is served up to this age while what it follows from is known to be the same. */
const SAME_MS = 30_000

/** What a value follows from, besides its key. Equal parts mean equal values. */
export type Basis = readonly unknown[]

export interface StaleWhileRevalidateCache<T extends object> {
  /**
   * The value of a key: a cached one, else what `load` resolves to. Concurrent calls share one load. A load that fails is
   * not cached, and does not displace the cached value.
   * @param basis as it is now; null when it is not known.
   */
  get(key: string, basis: Basis | null, load: () => Promise<T>): MaybePromise<T>
}

/**
 * A cache for values that may be a second old, or half a minute if they would be the same now. A fresh value is returned without a
 * promise, so a hit costs no microtask. The least recently used values are evicted first.
 * @param bytesOf about how much memory an entry takes, more than 0.
 * @param join what a call gets that comes while the load of its key is under way. Default: the value that it loads.
 */
export function createStaleWhileRevalidateCache<T extends object>({
  now,
  bytesMax,
  bytesOf,
  join = (underWay) => underWay,
}: {
  now: () => number
  bytesMax: number
  bytesOf: (value: T, key: string) => number
  join?: (underWay: Promise<T>) => Promise<T>
}): StaleWhileRevalidateCache<T> {
  const cache = new LRUCache<string, { value: T; basis: Basis | null; loadedAt: number }>({
    maxSize: bytesMax,
    sizeCalculation: ({ value }, key) => bytesOf(value, key),
  })
  const loading = new Map<string, Promise<T>>()

  async function loadInto(key: string, basis: Basis | null, load: () => Promise<T>): Promise<T> {
    const value = await load()
    cache.set(key, { value, basis, loadedAt: now() })
    return value
  }

  function loaded(key: string, basis: Basis | null, load: () => Promise<T>): Promise<T> {
    const underWay = loading.get(key)
    if (underWay) return join(underWay)
    const begun = loadInto(key, basis, load).finally(() => loading.delete(key))
    loading.set(key, begun)
    return begun
  }

  return {
    get(key, basis, load) {
      const cached = cache.get(key)
      const ageMs = cached ? msSince(cached.loadedAt, now()) : Number.POSITIVE_INFINITY
      if (cached && ageMs <= (isSame(cached.basis, basis) ? SAME_MS : FRESH_MS)) return cached.value
      const value = loaded(key, basis, load)
      if (!cached || ageMs >= STALE_MS) return value
      // If the load fails, the cached value stays.
      value.catch(() => {})
      return cached.value
    },
  }
}

function isSame(before: Basis | null, now: Basis | null): boolean {
  return before !== null && now !== null && before.every((part, at) => part === now[at])
}
