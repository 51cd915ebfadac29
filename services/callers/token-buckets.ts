import { createHmac } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Draw, SharedBuckets } from '../../infra/rate-limits/port.ts'

const MINUTE_MS = 60_000
/** Buckets remembered, some 20 MiB; the one that was drawn from the longest ago is forgotten first, and full again. */
const BUCKETS_MAX = 100_000
/** A process tells the others once it has drawn this share of a bucket, so that seldom callers cost Redis nothing … */
const TOLD_SHARE = 1 / 20
/** … and not before so long, so that busy ones cost it one call. */
const TELL_EVERY_MS = 500
const TOLD_AT_ONCE_MAX = 500

interface Bucket {
  level: number
  /** When it had that level, UTC epoch milliseconds. */
  at: number
  perMinute: number
  /** Drawn here, and not yet told to the other processes. */
  untold: number
}

export interface TokenBuckets {
  /**
   * Draws from all of these buckets, or from none when one is empty. A bucket that is not empty gives what is asked for
   * and may go below zero: so a draw is never too large for its bucket, and the debt is waited for by the next one.
   */
  draw(draws: readonly Draw[]): { tag: 'DRAWN' } | { tag: 'EMPTY'; draw: Draw; waitMs: number }
  close(): void
}

/**
 * Token buckets of this process. With `shared`, each is a copy of one that all processes draw from: draws are decided here at
 * once and told later, so that no request waits for Redis. Together, processes let pass at most a twentieth of a bucket
 * each, and what half a second brings, more than one process would. While Redis is away each limits by itself.
 */
export function createTokenBuckets(deps: {
  /** `hashKey`: what the buckets are called outside, since names hold addresses. */
  shared: { buckets: SharedBuckets; hashKey: Buffer } | null
  now: () => number
  onError: (error: unknown) => void
}): TokenBuckets {
  const { shared, now, onError } = deps
  const buckets = new LRUCache<string, Bucket>({ max: BUCKETS_MAX })
  const toTell = new Map<string, Bucket>()
  let timer: NodeJS.Timeout | null = null
  let closed = false

  function bucketNow({ key, perMinute }: Draw, at: number): Bucket {
    let bucket = buckets.get(key)
    if (!bucket) {
      bucket = { level: perMinute, at, perMinute, untold: 0 }
      buckets.set(key, bucket)
    }
    bucket.level = Math.min(perMinute, bucket.level + (Math.max(0, at - bucket.at) * perMinute) / MINUTE_MS)
    bucket.at = at
    return bucket
  }

  function drawn(bucket: Bucket, { key, amount, perMinute }: Draw): void {
    bucket.level -= amount
    if (!shared) return
    bucket.untold += amount
    if (bucket.untold < perMinute * TOLD_SHARE) return
    toTell.set(key, bucket)
    tellSoon()
  }

  function tellSoon(): void {
    if (closed || toTell.size === 0) return
    timer ??= setTimeout(() => {
      tell()
        .catch(onError)
        .finally(() => {
          timer = null
          tellSoon()
        })
    }, TELL_EVERY_MS).unref()
  }

  const outerKey = (key: string) => createHmac('sha256', shared!.hashKey).update(key).digest('base64url')

  async function tell(): Promise<void> {
    const told = [...toTell].slice(0, TOLD_AT_ONCE_MAX)
    for (const [key] of told) toTell.delete(key)
    const draws = told.map(([key, bucket]) => {
      const draw = { key: outerKey(key), amount: bucket.untold, perMinute: bucket.perMinute }
      bucket.untold = 0
      return draw
    })
    try {
      const levels = await shared!.buckets.draw(draws)
      const at = now()
      for (const [index, [, bucket]] of told.entries()) {
        bucket.level = levels[index]! - bucket.untold
        bucket.at = at
      }
    } catch (error) {
      // They are told with the next draw that is worth it.
      for (const [index, [, bucket]] of told.entries()) bucket.untold += draws[index]!.amount
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
    close() {
      closed = true
      if (timer) clearTimeout(timer)
    },
  }
}
