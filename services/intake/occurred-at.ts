const DAY_MS = 86_400_000
/** How far back an event may have happened. */
export const PAST_MAX_MS = 7 * DAY_MS
/** The caller's clock may be ahead of ours by this much; such an event happened when it was received. */
export const CLOCK_SKEW_MAX_MS = 5_000

/**
 * When an event happened, UTC epoch milliseconds and never after `receivedAt`; or, as a string, what is wrong with the time given.
 * @param given ISO 8601 with an offset; without it the event happened when it was received.
 */
export function occurredAt(given: string | null | undefined, receivedAt: number): number | string {
  if (given === null || given === undefined) return receivedAt
  const at = Date.parse(given)
  if (Number.isNaN(at)) return 'is not a time'
  if (at > receivedAt + CLOCK_SKEW_MAX_MS) return 'is in the future'
  if (at < receivedAt - PAST_MAX_MS) return 'is more than 7 days back'
  return Math.min(at, receivedAt)
}
