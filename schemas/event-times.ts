import { DAY_MS } from './durations.ts'

/**
 * How late events may come. Intake refuses later ones. Retention, the expiry of counters, erasures and the end of identifiers all wait for
 * as long, and follow from these times.
 */

/** For how long after its ad was emitted an event counts, by its type. */
export const EVENT_LIFE_MS = { VIEW: DAY_MS, CLICK: 30 * DAY_MS } as const

/** An event that happened longer ago than this is refused when it is received. */
export const EVENT_AGE_MAX_DAYS = 7

/** The longest time from an event to its receipt. One day allows for differing clocks. */
export const RECEIVED_AFTER_MAX_MS = (EVENT_AGE_MAX_DAYS + 1) * DAY_MS

/** The longest time from an event to its place in the log. One more day allows for the spool. */
export const LOGGED_AFTER_MAX_MS = RECEIVED_AFTER_MAX_MS + DAY_MS
