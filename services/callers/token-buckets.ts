import { createHmac } from 'node:crypto'
import type { Draw, SharedBuckets } from '../../infra/rate-limits/port.ts'
import { MINUTE_MS } from '../../schemas/durations.ts'
import { lruCache } from '../domain/caches.ts'

/** Buckets kept, some 20 MiB. The least recently used is evicted first, and starts full again. */
const BUCKETS_MAX = 100_000
/** A process reports its draws to Redis once they reach this share of a bucket, so that rare callers cost Redis nothing. */
const REPORTED_SHARE_MIN = 1 / 20
/** A process reports at most this often, so that busy callers share one call. */
const REPORT_EVERY_MS = 500
/** Buckets of one report. */
const REPORTED_AT_ONCE_MAX = 500

interface Bucket {
  level: number
  /** When it had that level, UTC epoch milliseconds. */
  at: number
  perMinute: number
  /** Drawn here and not yet reported to Redis. */
  unreported: number
}

export interface TokenBuckets {
  /**
   * Draws from all of these buckets, or from none when one is empty. A bucket that is not empty grants the whole amount and
   * may go below zero: no draw is too large for its bucket, and later draws wait until the debt is refilled.
   */
  draw(draws: readonly Draw[]): { tag: 'DRAWN' } | { tag: 'EMPTY'; draw: Draw; waitMs: number }
  /** Draws what a granted request turned out to take in addition, also from empty buckets. */
  charge(draws: readonly Draw[]): void
  close(): void
}

/**
 * Token buckets of this process. With `shared`, each is a local copy of a bucket in Redis: a draw is decided locally at once and
 * reported later, so that no request waits for Redis. Beyond the limit, each process may let through a twentieth of a bucket
 * plus what arrives within half a second. While Redis is unavailable, each process limits by itself.
 */
export function createTokenBuckets(deps: {
  /** `hashKey` hides the names of buckets from Redis, because they contain IP addresses. */
  shared: { buckets: SharedBuckets; hashKey: Buffer } | null
  now: () => number
  onError: (error: unknown) => void
}): TokenBuckets {
  const { shared, now, onError } = deps
  const buckets = lruCache<Bucket>(BUCKETS_MAX)
  const toReport = new Map<string, Bucket>()
  let timer: NodeJS.Timeout | null = null
  let closed = false

  function bucketNow({ key, perMinute }: Draw, at: number): Bucket {
    let bucket = buckets.get(key)
    if (!bucket) {
      bucket = { level: perMinute, at, perMinute, unreported: 0 }
      buckets.set(key, bucket)
    }
    bucket.level = Math.min(perMinute, bucket.level + (Math.max(0, at - bucket.at) * perMinute) / MINUTE_MS)
    bucket.at = at
    return bucket
  }

  function drawn(bucket: Bucket, { key, amount, perMinute }: Draw): void {
    bucket.level -= amount
    if (!shared) return
    bucket.unreported += amount
    if (bucket.unreported < perMinute * REPORTED_SHARE_MIN) return
    toReport.set(key, bucket)
    reportSoon()
  }

  function reportSoon(): void {
    if (closed || toReport.size === 0) return
    timer ??= setTimeout(() => {
      report()
        .catch(onError)
        .finally(() => {
          timer = null
          reportSoon()
        })
    }, REPORT_EVERY_MS).unref()
  }

  const outerKey = (key: string) => createHmac('sha256', shared!.hashKey).update(key).digest('base64url')

  async function report(): Promise<void> {
    const reported = [...toReport].slice(0, REPORTED_AT_ONCE_MAX)
    for (const [key] of reported) toReport.delete(key)
    const draws = reported.map(([key, bucket]) => {
      const draw = { key: outerKey(key), amount: bucket.unreported, perMinute: bucket.perMinute }
      bucket.unreported = 0
      return draw
    })
    try {
      const levels = await shared!.buckets.draw(draws)
      const at = now()
      for (const [index, [, bucket]] of reported.entries()) {
        const level = levels[index] ?? null
        // An amount that may not have been drawn is reported again with a later draw.
        if (level === null) bucket.unreported += draws[index]!.amount
        else Object.assign(bucket, { level: level - bucket.unreported, at })
      }
    } catch (error) {
      for (const [index, [, bucket]] of reported.entries()) bucket.unreported += draws[index]!.amount
      throw error
    }
  }

  return {
    draw(draws) {
      const at = now()
      const drawnFrom: Bucket[] = []
      for (const draw of draws) {
        const bucket = bucketNow(draw, at)
        if (bucket.level <= 0)
          return { tag: 'EMPTY', draw, waitMs: (Math.abs(bucket.level) * MINUTE_MS) / draw.perMinute }
        drawnFrom.push(bucket)
      }
      for (const [index, draw] of draws.entries()) drawn(drawnFrom[index]!, draw)
      return { tag: 'DRAWN' }
    },
    charge(draws) {
      const at = now()
      for (const draw of draws) drawn(bucketNow(draw, at), draw)
    },
    close() {
      closed = true
      if (timer) clearTimeout(timer)
    },
  }
}
