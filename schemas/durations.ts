/** Lengths of time in milliseconds. A day has 24 hours here; that of a shop can be longer or shorter (`shopDay`). */

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
