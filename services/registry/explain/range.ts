import { DAY_MS } from '../../../schemas/durations.ts'
import { PERIOD_DAYS_MAX } from '../../../schemas/http/panel/limits.ts'
import { toEpochMs } from '../resources/conversions.ts'
import { FieldErrors } from '../resources/field-errors.ts'

const DAYS_DEFAULT = 30

/**
 * The time range of a list, [from, to) in UTC epoch milliseconds. The default is the 30 days before `to`, and `to` defaults to
 * `toDefault`.
 * @throws Problem INVALID
 */
export function rangeOf(
  query: { from?: string | undefined; to?: string | undefined },
  toDefault: number,
): { from: number; to: number } {
  const fieldErrors = new FieldErrors()
  const read = (name: 'from' | 'to', otherwise: number) =>
    query[name] === undefined ? otherwise : toEpochMs(query[name], `querystring/${name}`, fieldErrors)
  const to = read('to', toDefault)
  const from = read('from', to - DAYS_DEFAULT * DAY_MS)
  fieldErrors.throwIfAny()
  fieldErrors.check(from < to, 'querystring/to', 'must be later than from')
  fieldErrors.check(
    to - from <= PERIOD_DAYS_MAX * DAY_MS,
    'querystring/from',
    `must be at most ${PERIOD_DAYS_MAX} days before to`,
  )
  fieldErrors.throwIfAny()
  return { from, to }
}
