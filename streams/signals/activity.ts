import type { Analytics } from '../../infra/analytics/port.ts'
import {
  countDaysSql,
  countedPositionsSql,
  type NewDay,
  newDaysSql,
} from '../../infra/analytics/queries/signals/signal-days.ts'
import { sumOfOffsets } from '../../infra/event-log/epochs.ts'
import type { Commit, EventLog, Position } from '../../infra/event-log/port.ts'
import { advanced, newRanges, rowsIn } from '../attribution/ranges.ts'
import { SINK_GROUP } from '../sink/offset-metadata.ts'
import { createForgetting } from './forgetting.ts'

export const DAY_MS = 86_400_000
const TOPICS: readonly string[] = ['transactions', 'judged-events', 'corrections']
/** Days of a shop that one statement counts: the ids of their events must fit in the store's memory. */
const DAYS_AT_ONCE = 5
/** A look takes all that is new: what it counts depends on the days that this touches, not on how many rows. */
const ALL = { starts: [], runOffsets: Number.POSITIVE_INFINITY }

export interface Activity {
  /**
   * Counts what the sink has stored since the last call, by shop and day.
   * @param sinceDay what happened before it is not counted (days since the epoch, UTC).
   * @returns the shops that have anything new, each with how many purchases. Without new rows the tables are not asked.
   */
  takeNew(sinceDay: number): Promise<Map<string, number>>
}

/**
 * Keeps `signal_days`: a day that has new rows is counted anew, whole, so that corrections and repeated ids come out right, and
 * a look that stops anywhere may be repeated. What is counted is remembered in the store, and is rebuilt with it.
 */
export function createActivity({
  log,
  analytics,
}: {
  log: Pick<EventLog, 'committed'>
  analytics: Analytics
}): Activity {
  /** Null: not read yet. */
  let counted: readonly Commit[] | null = null
  const forgetDays = createForgetting(analytics, 'signal_days')

  async function countDays(shopId: string, days: readonly number[], { sinceDay, version }: Counting): Promise<void> {
    for (let from = 0; from < days.length; from += DAYS_AT_ONCE) {
      const some = days.slice(from, from + DAYS_AT_ONCE)
      const time = { fromMs: Math.min(...some) * DAY_MS, toMs: (Math.max(...some) + 1) * DAY_MS }
      await analytics.command(countDaysSql, { shopId, days: some, ...time, since: sinceDay * DAY_MS, version })
    }
  }

  return {
    async takeNew(sinceDay) {
      const stored = (await log.committed(SINK_GROUP)).filter(({ topic }) => TOPICS.includes(topic))
      counted ??= (await analytics.query<Position>(countedPositionsSql)).map((each) => ({ ...each, metadata: '' }))
      const ranges = newRanges(stored, counted, ALL)
      if (ranges.length === 0) return new Map()
      await forgetDays(sinceDay)
      const sql = newDaysSql((topic) => rowsIn(ranges.filter((range) => range.topic === topic)))
      const days = sql ? await analytics.query<NewDay>(sql, { since: sinceDay * DAY_MS }) : []
      const version = sumOfOffsets(stored.map(({ offset }) => offset))
      const byShop = Map.groupBy(days, ({ shopId }) => shopId)
      for (const [shopId, ofShop] of byShop) {
        const inWindow = ofShop.map(({ day }) => day).filter((day) => day >= sinceDay)
        await countDays(shopId, inWindow, { sinceDay, version })
      }
      counted = advanced(counted, ranges)
      await analytics.insert('signal_positions', counted, { token: `positions ${version}` })
      return new Map([...byShop].map(([shopId, ofShop]) => [shopId, sum(ofShop)]))
    },
  }
}

interface Counting {
  sinceDay: number
  /** Grows with what is stored. */
  version: number
}

const sum = (days: readonly NewDay[]): number => days.reduce((total, { purchases }) => total + purchases, 0)
