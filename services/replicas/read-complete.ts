import { type Counters, CountersUnavailable } from '../../infra/counters/port.ts'
import { COUNTERS_COMPLETE_KEY } from '../domain/money/counter-keys.ts'

/**
 * Values of counters that hold all that was judged.
 * @throws CountersUnavailable also while they are being counted again, when a 0 says nothing.
 */
export async function readComplete(counters: Pick<Counters, 'read'>, keys: readonly string[]): Promise<number[]> {
  const [whole, ...values] = await counters.read([COUNTERS_COMPLETE_KEY, ...keys])
  if (whole === 0) throw new CountersUnavailable('The counters are being counted again')
  return values
}
