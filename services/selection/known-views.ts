import { type Counters, CountersUnavailable } from '../../infra/counters/port.ts'
import { COUNTERS_WHOLE_KEY } from '../domain/counter-keys.ts'
import { createRest } from './rest.ts'

/** About 200 bytes each. */
const KNOWN_MAX = 100_000

/**
 * Values of counters that hold all that was judged.
 * @throws CountersUnavailable also while they are being counted again, when a 0 says nothing.
 */
export async function readWhole(counters: Pick<Counters, 'read'>, keys: readonly string[]): Promise<number[]> {
  const [whole, ...values] = await counters.read([COUNTERS_WHOLE_KEY, ...keys])
  if (whole === 0) throw new CountersUnavailable('The counters are being counted again')
  return values
}

/**
 * Counters of views that answer while the counters are away: with the values last read, and for a key that is not known
 * with infinity, which reaches any cap. So caps hold, at the price of ads with a cap for people who have just come.
 */
export function createKnownViews(deps: {
  counters: Pick<Counters, 'read'>
  now: () => number
  /** Counters that take longer are left alone for a while. */
  slowMs: number
  onError: (error: unknown) => void
}): Pick<Counters, 'read'> {
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
          const values = await rest.watch(readWhole(deps.counters, keys))
          remember(keys, values)
          return values
        } catch (error) {
          deps.onError(error)
        }
      }
      return keys.map((key) => known.get(key) ?? Number.POSITIVE_INFINITY)
    },
  }
}
