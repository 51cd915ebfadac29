import { LRUCache } from 'lru-cache'

type Expiry = Pick<LRUCache.OptionsBase<string, unknown, unknown>, 'ttl' | 'ttlResolution' | 'perf'>

/**
 * A cache of at most so many entries; the least recently used is evicted first. Its memory grows with its entries: with its option
 * `max`, the package would set aside room for all of them at once, which takes 6 ms of the processor for 100,000.
 */
export function lruCache<V extends {}>(entriesMax: number, expiry: Expiry = {}): LRUCache<string, V> {
  return new LRUCache({ maxSize: entriesMax, sizeCalculation: () => 1, ...expiry } as LRUCache.OptionsSizeLimit<
    string,
    V,
    unknown
  >)
}

/** From this length on, V8 does not copy a part of a text, and keeps the whole text in memory for as long as the part. */
const SHARED_PART_CHARS_MIN = 13

/** A part of a text, without the text: what is cached by parts of texts would otherwise keep all the texts. */
export const copied = (part: string): string =>
  part.length < SHARED_PART_CHARS_MIN ? part : Buffer.from(part).toString()

/** Makes caches that have so many entries together. When they are full, all are emptied, so that more caches take no more memory. */
export function jointlyLimited(entriesMax: number) {
  const caches: Map<string, unknown>[] = []
  let entries = 0
  return {
    create<V>(): Map<string, V> {
      const cache = new Map<string, V>()
      caches.push(cache)
      return cache
    },
    /** @param key one that the cache does not have. */
    add<V>(cache: Map<string, V>, key: string, value: V): void {
      if (entries === entriesMax) {
        for (const each of caches) each.clear()
        entries = 0
      }
      cache.set(key, value)
      entries++
    },
  }
}
