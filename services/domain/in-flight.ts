/**
 * For so long an emitted ad is expected to be viewed, or clicked: its money is set aside, and it counts towards caps. What
 * is viewed or clicked later is not reckoned with, and may find the budget spent: it is then given away.
 */
export const HOLD_MS = 60_000

/** Emissions are told apart by the bucket of time that they fall in; a bucket is in flight until its last ad is not. */
const BUCKET_MS = 10_000
/** No emission is in flight for longer: see `endOfFlight`. */
export const FLIGHT_MAX_MS = HOLD_MS + BUCKET_MS

export function bucketOf(emittedAt: number): number {
  return Math.floor(emittedAt / BUCKET_MS)
}

/** From when on nothing that was emitted in the bucket is in flight. */
export function endOfFlight(bucket: number): number {
  return (bucket + 1) * BUCKET_MS + HOLD_MS
}

/** Counts the micros billed for views of display ads that a campaign emitted in a bucket, while they were in flight. */
export function settledKey(campaignId: string, bucket: number): string {
  return `settled/${campaignId}/${bucket}`
}

/**
 * The keys of all buckets in flight at `now` but the oldest, which a process whose clock is up to a bucket ahead has
 * stopped to set money aside for; and of the next one, which it may be in already.
 */
export function settledKeys(campaignId: string, now: number): string[] {
  const keys: string[] = []
  for (let bucket = bucketOf(now - HOLD_MS) + 1; bucket <= bucketOf(now) + 1; bucket++) {
    keys.push(settledKey(campaignId, bucket))
  }
  return keys
}
