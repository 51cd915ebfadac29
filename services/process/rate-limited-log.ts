import { msSince } from '../domain/time/ms-since.ts'

/** Calls `log` for the first event, then at most once per `everyMs`, with the number of events suppressed in between. */
export function rateLimitedLog<T>(
  options: { everyMs: number; now: () => number },
  log: (event: T, suppressed: number) => void,
): (event: T) => void {
  let loggedAt = Number.NEGATIVE_INFINITY
  let suppressed = 0
  return (event) => {
    if (msSince(loggedAt, options.now()) < options.everyMs) {
      suppressed++
      return
    }
    log(event, suppressed)
    loggedAt = options.now()
    suppressed = 0
  }
}
