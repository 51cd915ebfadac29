import { memoized } from '../memoized.ts'

/**
 * The time within which an emitted ad is expected to be viewed or clicked. Until it is over, the ad's cost is reserved and
 * the ad counts towards caps. A later view or click has no reservation, and is given away if the budget is spent by then.
 *
 * The time is measured by the judge watermark, not by the clock: a view that waits to be judged is still in flight.
 */
export const RESERVATION_MS = 60_000

/** Emissions are grouped by buckets of time. A bucket is in flight as long as its last emission is. */
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

/** The judge watermark at which nothing that was emitted in the bucket is in flight any longer. */
export function endOfFlight(bucket: number): number {
  return (bucket + 1) * BUCKET_MS + RESERVATION_MS
}

const settledGroup = memoized((bucket: number) => ({
  name: `settled/${bucket}`,
  keptUntil: endOfFlight(bucket) + SETTLED_KEPT_MS,
  spread: 1,
  exact: true,
}))

/** Counts the micros billed, while in flight, for views of the display ads that a campaign emitted in a bucket. */
export function settledKey(shard: number, campaignId: string, bucket: number) {
  return { shard, group: settledGroup(bucket), id: campaignId }
}

/**
 * The keys of the buckets in flight. The oldest is left out, because a process that knows a later watermark no longer
 * reserves money for it. The next bucket is included, because a process whose clock is ahead may already emit in it.
 */
export function settledKeys(
  shard: number,
  campaignId: string,
  { judgeWatermark, now }: { judgeWatermark: number; now: number },
) {
  const first = bucketOf(judgeWatermark - RESERVATION_MS) + 1
  const last = bucketOf(Math.min(now + BUCKET_MS, judgeWatermark + SETTLED_AHEAD_MS))
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => settledKey(shard, campaignId, first + i))
}
