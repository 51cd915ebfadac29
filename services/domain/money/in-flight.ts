/**
 * How long an emitted ad is expected to be viewed or clicked: meanwhile its cost is reserved, and it counts towards caps. A
 * later view or click has no reservation, and is given away if the budget is spent by then.
 *
 * The time ends by the judge watermark, not by the clock: a view that waits to be judged is still in flight.
 */
export const RESERVATION_MS = 60_000

/**
 * The counters' source whose position is the judge watermark, UTC epoch milliseconds: every event received before it has
 * been judged.
 */
export const JUDGE_WATERMARK = 'judged-until'

/** Emissions are grouped by buckets of time. A bucket is in flight until its last emission is not. */
const BUCKET_MS = 10_000
/** The longest that an emission is in flight, by the judge watermark: see `endOfFlight`. */
export const FLIGHT_MAX_MS = RESERVATION_MS + BUCKET_MS
/** Buckets that begin later than this after the watermark are not read: little of them can be settled yet. */
const SETTLED_AHEAD_MS = 60_000
/** How long settled amounts are kept while the slowest partition of the log catches up. */
const SETTLED_KEPT_MS = 60_000

export function bucketOf(emittedAt: number): number {
  return Math.floor(emittedAt / BUCKET_MS)
}

/** The watermark from which nothing that was emitted in the bucket is in flight. */
export function endOfFlight(bucket: number): number {
  return (bucket + 1) * BUCKET_MS + RESERVATION_MS
}

/** Counts the micros billed, while in flight, for views of the display ads that a campaign emitted in a bucket. */
export function settledKey(campaignId: string, bucket: number): string {
  return `settled/${campaignId}/${bucket}`
}

/** When `settledKey` of the bucket expires. */
export function settledUntil(bucket: number): number {
  return endOfFlight(bucket) + SETTLED_KEPT_MS
}

/**
 * The keys of all buckets in flight, without the oldest, for which a process that knows a later watermark no longer reserves
 * money; and with the next one, in which a process whose clock is ahead may emit already.
 */
export function settledKeys(
  campaignId: string,
  { judgeWatermark, now }: { judgeWatermark: number; now: number },
): string[] {
  const last = bucketOf(Math.min(now + BUCKET_MS, judgeWatermark + SETTLED_AHEAD_MS))
  const keys: string[] = []
  for (let bucket = bucketOf(judgeWatermark - RESERVATION_MS) + 1; bucket <= last; bucket++) {
    keys.push(settledKey(campaignId, bucket))
  }
  return keys
}
