const DAY_MS = 86_400_000

/**
 * The UTC date in so many days, for the period of a report. The report ends before its `to`, and a shop's day may be UTC's next: one
 * that holds the shop's today ends in two days.
 */
export const dateIn = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)
