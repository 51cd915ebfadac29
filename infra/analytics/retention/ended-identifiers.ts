import { DAY_MS, HOUR_MS } from '../../../schemas/durations.ts'
import { CLICK_WINDOW_HOURS_MAX } from '../../../schemas/http/panel/limits.ts'
import type { Analytics } from '../port.ts'

/**
 * Identifiers of people may end before the facts that they belong to. A mark says until when they have ended: rows of events from
 * before it are made to name nobody, and stay otherwise as they are. The mark comes first, the rows are changed afterwards, so a
 * reader of the mark never takes a blank identifier for a person. It only moves forwards.
 *
 * A purchase is credited by what its person saw in the time before. So purchases are settled for somewhat longer than their
 * identifiers have ended: a settled purchase keeps the credit that it has, whatever changes later, and only returns are still
 * deducted from it.
 */

/** For as long a touch may earn what its person buys, in any shop. */
const EARNING_MAX_MS = CLICK_WINDOW_HOURS_MAX * HOUR_MS
/** For as long, at least, purchases are credited anew when something of them changes. Events are at most `LOGGED_AFTER_MAX_MS` late. */
const UNSETTLED_DAYS_MIN = 30
export const IDENTIFIER_DAYS_MIN = EARNING_MAX_MS / DAY_MS + UNSETTLED_DAYS_MIN

/** The time before which purchases are settled, while identifiers have ended until then; 0 while none have. */
export const settledUntilOf = (endedUntil: number): number => (endedUntil === 0 ? 0 : endedUntil + EARNING_MAX_MS)

/** Until when identifiers have ended, UTC epoch milliseconds; 0 while none have. */
export async function readEndedUntil(analytics: Pick<Analytics, 'query'>): Promise<number> {
  const [found] = await analytics.query<{ until: number }>(
    'SELECT max(ended_identifiers.until) AS until FROM ended_identifiers',
  )
  return found?.until ?? 0
}

export const markEnded = (analytics: Pick<Analytics, 'insert'>, until: number): Promise<void> =>
  analytics.insert('ended_identifiers', [{ until }], { token: `identifiers ${until}` })
