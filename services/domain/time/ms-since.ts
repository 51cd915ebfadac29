/**
 * How long ago something was noted, in milliseconds; both times by the clock. What was noted before the clock was set back is as old as
 * the clock was ahead, so that nothing waits until the clock is there again.
 */
export const msSince = (notedAt: number, now: number): number => Math.abs(now - notedAt)
