/**
 * For so long an emitted ad is expected to be viewed, or clicked: its money is set aside, and it counts towards caps. What
 * is viewed or clicked later is not reckoned with, and may find the budget spent: it is then given away.
 *
 * Flights end by what the judge has seen and not by the clock: a view that waits to be judged is still in flight.
 */
export const RESERVATION_MS = 60_000

/**
 * The source of the counters whose position is a time, UTC epoch milliseconds: everything that was received before it has
 * been judged.
 */
export const JUDGE_WATERMARK = 'judged-until'

/** Emissions are told apart by the bucket of time that they fall in; a bucket is in flight until its last ad is not. */
const BUCKET_MS = 10_000
/** No emission is in flight for longer, by what has been judged: see `endOfFlight`. */
export const FLIGHT_MAX_MS = RESERVATION_MS + BUCKET_MS
/** Buckets that began so long after what has been judged are not asked for: little of them can be settled yet. */
const SETTLED_AHEAD_MS = 60_000
/** Partitions of the log are not judged evenly: what is settled is remembered while the slowest catches up. */
const SETTLED_KEPT_MS = 60_000

export function bucketOf(emittedAt: number): number {
  return Math.floor(emittedAt / BUCKET_MS)
}

/** Once what was received before this time has been judged, nothing that was emitted in the bucket is in flight. */
export function endOfFlight(bucket: number): number {
  return (bucket + 1) * BUCKET_MS + RESERVATION_MS
}

/** Counts the micros billed for views of display ads that a campaign emitted in a bucket, while they were in flight. */
export function settledKey(campaignId: string, bucket: number): string {
  return `settled/${campaignId}/${bucket}`
}

/** Until when `settledKey` of the bucket is of use. */
export function settledUntil(bucket: number): number {
  return endOfFlight(bucket) + SETTLED_KEPT_MS
}

/**
 * The keys of all buckets in flight but the oldest, which a process that has heard more of the judge has stopped to set
 * money aside for; and of the next one, which a process whose clock is ahead may be in already.
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
