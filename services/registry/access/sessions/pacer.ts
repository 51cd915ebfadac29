/**
 * The generic cell rate algorithm (ITU-T I.371): a burst at once, then as many in each window, evenly. What is over is
 * delayed and never locked out: the next one is due after a fraction of the window.
 */
export interface Pacer {
  key(key: string): {
    /** How long until one more is due; 0: now. */
    waitMs(): number
    take(): void
    giveBack(): void
  }
}

/** @param keysMax keys remembered; the longest unused are forgotten first. */
export function createPacer(options: { burst: number; windowMs: number; keysMax: number; now: () => number }): Pacer {
  const { burst, windowMs, keysMax, now } = options
  const intervalMs = windowMs / burst
  /** When each key would be at rest: as if it had never been taken. In the order of their last use. */
  const restingAt = new Map<string, number>()

  function rest(key: string, at: number): void {
    restingAt.delete(key)
    if (at > now()) restingAt.set(key, at)
    for (const [oldest, oldestAt] of restingAt) {
      if (restingAt.size <= keysMax && oldestAt > now()) break
      restingAt.delete(oldest)
    }
  }

  return {
    key: (key) => ({
      waitMs: () => Math.max(0, (restingAt.get(key) ?? 0) + intervalMs - windowMs - now()),
      take: () => rest(key, Math.max(restingAt.get(key) ?? 0, now()) + intervalMs),
      giveBack: () => rest(key, (restingAt.get(key) ?? 0) - intervalMs),
    }),
  }
}
