const DAY_MS = 86_400_000

/**
 * The UTC date in `days` days, for the period of a report. A report ends before its `to`, and a shop's day may already be the next
 * day in UTC, so `to` must be in two days to include the shop's today.
 */
export const dateIn = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)
