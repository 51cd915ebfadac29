/**
 * The generic cell rate algorithm (ITU-T I.371): a burst at once, then the same number in each window, evenly spaced.
 * An attempt beyond the limit is delayed, never locked out: the next one is due after a fraction of the window.
 */
export interface RateLimiter {
  key(key: string): {
    /** How long until another attempt is allowed; 0 when it is allowed now. */
    waitMs(): number
    take(): void
    refund(): void
  }
}

/**
 * @param keysMax keys remembered; those are forgotten first whose attempts will be forgiven soonest. So attempts under thousands of
 * other keys do not make it forget one that has used up its own.
 */
export function createRateLimiter(options: {
  burst: number
  windowMs: number
  keysMax: number
  now: () => number
}): RateLimiter {
  const { burst, windowMs, keysMax, now } = options
  const intervalMs = windowMs / burst
  /** The theoretical arrival time of each key's next attempt (TAT in I.371), least recently used first. */
  const arrivalTimes = new Map<string, number>()

  /** At most a window ahead. A later time means that the clock has been set back, which must not delay anybody for longer. */
  const arrivalTimeOf = (key: string) => Math.min(arrivalTimes.get(key) ?? 0, now() + windowMs)

  function setArrivalTime(key: string, at: number): void {
    arrivalTimes.delete(key)
    if (at > now()) arrivalTimes.set(key, at)
    for (const [oldest, oldestAt] of arrivalTimes) {
      if (oldestAt > now()) break
      arrivalTimes.delete(oldest)
    }
    if (arrivalTimes.size > keysMax) forgetSoonest()
  }

  /** Forgets a tenth at once, because finding them takes a look at all. */
  function forgetSoonest(): void {
    const inOrder = [...arrivalTimes].sort(([, one], [, other]) => one - other)
    for (const [key] of inOrder.slice(0, Math.ceil(keysMax / 10))) arrivalTimes.delete(key)
  }

  return {
    key: (key) => ({
      waitMs: () => Math.max(0, arrivalTimeOf(key) + intervalMs - windowMs - now()),
      take: () => setArrivalTime(key, Math.max(arrivalTimeOf(key), now()) + intervalMs),
      refund: () => setArrivalTime(key, arrivalTimeOf(key) - intervalMs),
    }),
  }
}
