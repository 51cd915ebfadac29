import { DAY_MS } from '../../../schemas/durations.ts'
import { EVENT_AGE_MAX_DAYS } from '../../../schemas/event-times.ts'
import type { FieldError } from '../../domain/errors.ts'
import { type RejectedEvent, rejected } from './validation.ts'

/** A clock that differs by no more than this is not worth a warning. */
const CLOCK_SKEW_MAX_MS = 5_000

/**
 * When an event happened, in UTC epoch milliseconds and never after `receivedAt`; or why it is rejected. A clock that is ahead
 * does not get the event rejected: a time in the future, or an unreadable or missing one, is read as the time of receipt.
 * @param given ISO 8601 with an offset.
 */
export function readOccurredAt(
  given: string | null | undefined,
  receivedAt: number,
): { at: number; warnings: FieldError[] } | RejectedEvent {
  const path = '/occurredAt'
  const now = (message: string) => ({
    at: receivedAt,
    warnings: [{ path, message: `${message}: the time of receipt is used` }],
  })
  if (given === null || given === undefined) return { at: receivedAt, warnings: [] }
  const at = Date.parse(given)
  if (Number.isNaN(at)) return now('is not a time')
  if (at > receivedAt + CLOCK_SKEW_MAX_MS) return now('is in the future')
  if (at < receivedAt - EVENT_AGE_MAX_DAYS * DAY_MS) {
    return rejected(path, `is more than ${EVENT_AGE_MAX_DAYS} days ago`)
  }
  return { at: Math.min(at, receivedAt), warnings: [] }
}

/**
 * When an ad was viewed or clicked: not before it was served. An earlier time would count for the budget and the cap of an earlier day,
 * and as a touch before a purchase that was already made.
 * @param at as `readOccurredAt` gives it.
 */
export function notBeforeServed(
  at: number,
  { emittedAt, receivedAt }: { emittedAt: number; receivedAt: number },
): { at: number; warnings: FieldError[] } {
  // The clock of the process that served the ad may be ahead.
  const earliest = Math.min(emittedAt, receivedAt)
  const isWorthWarning = at < earliest - CLOCK_SKEW_MAX_MS
  const message = 'is before the ad was served: the time at which it was served is used'
  return { at: Math.max(at, earliest), warnings: isWorthWarning ? [{ path: '/occurredAt', message }] : [] }
}
