/**
 * How long ago something was noted, in milliseconds of the wall clock. If the clock was set back after that, the result is
 * how far ahead the noted time is, so that nothing waits until the clock reaches it again.
 */
export const msSince = (notedAt: number, now: number): number => Math.abs(now - notedAt)
