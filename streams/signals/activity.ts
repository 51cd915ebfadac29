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
   * Looks which days the rows are of that the sink has stored since the last look.
   * @param sinceDay what happened before it is not counted (days since the epoch, UTC).
   * @returns the shops that have anything new, each with how many purchases. Without new rows the tables are not asked.
   */
  look(sinceDay: number): Promise<Map<string, number>>
  /** Counts the days of a shop that looks have found. */
  count(shopId: string, sinceDay: number): Promise<void>
  /** Remembers in the store up to where all shops are counted. */
  remember(): Promise<void>
}

/** Days of a shop that are to be counted. */
interface Uncounted {
  days: Set<number>
  /** Up to where its rows are counted. */
  countedTo: readonly Commit[]
}

/**
 * Keeps `signal_days`: a day that has new rows is counted anew, whole, so that corrections and repeated ids come out right. To look
 * costs what is new, to count costs the day; so the shops are looked at often, and each is counted when its signals are computed.
 * What stops anywhere may be repeated. What is counted is remembered in the store, and is rebuilt with it.
 */
export function createActivity({
  log,
  analytics,
}: {
  log: Pick<EventLog, 'committed'>
  analytics: Analytics
}): Activity {
  /** Null: not read yet. */
  let remembered: readonly Commit[] | null = null
  /** Null: there was no look at anything. */
  let lookedTo: readonly Commit[] | null = null
  /** By shop; the one that has been waiting longest first. */
  const uncounted = new Map<string, Uncounted>()
  const forgetDays = createForgetting(analytics, 'signal_days')

  async function countDays(shopId: string, days: readonly number[], { sinceDay, version }: Counting): Promise<void> {
    for (let from = 0; from < days.length; from += DAYS_AT_ONCE) {
      const some = days.slice(from, from + DAYS_AT_ONCE)
      const time = { fromMs: Math.min(...some) * DAY_MS, toMs: (Math.max(...some) + 1) * DAY_MS }
      await analytics.command(countDaysSql, { shopId, days: some, ...time, since: sinceDay * DAY_MS, version })
    }
  }

  return {
    async look(sinceDay) {
      const stored = (await log.committed(SINK_GROUP)).filter(({ topic }) => TOPICS.includes(topic))
      remembered ??= await readRemembered(analytics)
      const before = lookedTo ?? remembered
      const ranges = newRanges(stored, before, ALL)
      if (ranges.length === 0) return new Map()
      await forgetDays(sinceDay)
      const sql = newDaysSql((topic) => rowsIn(ranges.filter((range) => range.topic === topic)))
      const found = sql ? await analytics.query<NewDay>(sql, { since: sinceDay * DAY_MS }) : []
      const byShop = Map.groupBy(found, ({ shopId }) => shopId)
      for (const [shopId, ofShop] of byShop) {
        const waiting = uncounted.get(shopId) ?? { days: new Set(), countedTo: before }
        for (const { day } of ofShop) waiting.days.add(day)
        uncounted.set(shopId, waiting)
      }
      lookedTo = advanced(before, ranges)
      return new Map([...byShop].map(([shopId, ofShop]) => [shopId, sum(ofShop)]))
    },
    async count(shopId, sinceDay) {
      const waiting = uncounted.get(shopId)
      if (!waiting) return
      const days = [...waiting.days].filter((day) => day >= sinceDay).sort((a, b) => a - b)
      await countDays(shopId, days, { sinceDay, version: versionOf(lookedTo!) })
      uncounted.delete(shopId)
    },
    async remember() {
      const [longest] = uncounted.values()
      const countedTo = longest ? longest.countedTo : lookedTo
      if (countedTo === null || countedTo === remembered) return
      await analytics.insert('signal_positions', countedTo, { token: `positions ${versionOf(countedTo)}` })
      remembered = countedTo
    },
  }
}

async function readRemembered(analytics: Analytics): Promise<Commit[]> {
  return (await analytics.query<Position>(countedPositionsSql)).map((each) => ({ ...each, metadata: '' }))
}

/** Grows with what is stored. */
const versionOf = (commits: readonly Commit[]): number => sumOfOffsets(commits.map(({ offset }) => offset))

interface Counting {
  sinceDay: number
  version: number
}

const sum = (days: readonly NewDay[]): number => days.reduce((total, { purchases }) => total + purchases, 0)
