import { type Counters, CountersUnavailable } from '../../infra/counters/port.ts'
import { COUNTERS_COMPLETE_KEY } from '../domain/money/counter-keys.ts'

/**
 * Reads counters that include every judged event.
 * @throws CountersUnavailable also while they are being rebuilt, when a 0 would mean nothing.
 */
export async function readComplete(counters: Pick<Counters, 'read'>, keys: readonly string[]): Promise<number[]> {
  const [complete, ...values] = await counters.read([COUNTERS_COMPLETE_KEY, ...keys])
  if (complete === 0) throw new CountersUnavailable('The counters are being rebuilt')
  return values
}
