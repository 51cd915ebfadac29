import type { Counters } from '../../../infra/counters/port.ts'
import { readComplete } from '../../replicas/read-complete.ts'
import { createRest } from '../candidates/circuit-breaker.ts'

/** About 200 bytes each. */
const KNOWN_MAX = 100_000

/** What a request requests of the counters. */
export type ViewCounters = Pick<Counters, 'read' | 'reserve'>

/**
 * Counters of views that answer while the counters are away: with the values last read, and for a key that is not known
 * with infinity, which reaches any cap. So caps hold, at the price of ads with a cap for people who have just come; but for
 * requests of one person at the same time, since everything that these ask for is granted.
 */
export function createKnownViews(deps: {
  counters: ViewCounters
  now: () => number
  /** Counters that take longer are left alone for a while. */
  slowMs: number
  onError: (error: unknown) => void
}): ViewCounters {
  const rest = createRest(deps)
  /** In the order they were first read. */
  const known = new Map<string, number>()

  function remember(keys: readonly string[], values: readonly number[]): void {
    for (const [i, key] of keys.entries()) known.set(key, values[i]!)
    for (const oldest of known.keys()) {
      if (known.size <= KNOWN_MAX) break
      known.delete(oldest)
    }
  }

  return {
    async read(keys) {
      if (!rest.resting()) {
        try {
          const values = await rest.watch(readComplete(deps.counters, keys))
          remember(keys, values)
          return values
        } catch (error) {
          deps.onError(error)
        }
      }
      return keys.map((key) => known.get(key) ?? Number.POSITIVE_INFINITY)
    },
    async reserve(reservations) {
      if (!rest.resting()) {
        try {
          return await rest.watch(deps.counters.reserve(reservations))
        } catch (error) {
          deps.onError(error)
        }
      }
      return reservations.map(({ requested }) => requested)
    },
  }
}
