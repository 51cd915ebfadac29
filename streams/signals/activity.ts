import type { Analytics, QueryParams } from '../../infra/analytics/port.ts'
import {
  type CountedDay,
  countDaysSql,
  countedDaysSql,
  countedPositionsSql,
  countedTopics,
  type NewDay,
  newDaysSql,
  versionDaysSql,
} from '../../infra/analytics/queries/signals/signal-days.ts'
import { sumOfOffsets } from '../../infra/event-log/epochs.ts'
import type { Commit, EventLog, Position } from '../../infra/event-log/port.ts'
import { DAY_MS } from '../../schemas/durations.ts'
import { chunksBySize } from '../../services/domain/chunks.ts'
import { advanced, newRanges, newRowsIn } from '../attribution/ranges.ts'
import { SINK_GROUP } from '../sink/offset-metadata.ts'
import { createForgetting } from './forgetting.ts'

/** Rows that one statement counts, unless a single day has more: the ids of their events must fit in the store's memory. */
const ROWS_AT_ONCE = 200_000

export interface Activity {
  /**
   * Finds the days of the rows that the sink has stored since the last look, which costs little. What happened before
   * `sinceDay` (days since the epoch, UTC) is not counted. Without new rows the tables are not queried.
   * @returns the shops that have new rows, each with its number of new purchases.
   */
  look(sinceDay: number): Promise<Map<string, number>>
  /** Counts the days that looks have found, for all shops. */
  count(sinceDay: number): Promise<void>
}

/** A day of a shop. */
interface ShopDay {
  shopId: string
  day: number
  /** How many rows of the day are new. */
  arrived: number
}

/**
 * Keeps `signal_days`. New rows are added to the counts of their days, so that the cost depends only on what is new. A day is counted
 * again from all of its rows in two cases: when at least half of them are new, which costs no more, and when another process, or
 * this one before it was ended, has counted some of the new rows already. A count is as if all rows up to its version had been
 * counted at once, whoever made it, so a count that stops part-way may be repeated. How far rows are counted is kept in the store,
 * and is rebuilt with it.
 */
export function createActivity({
  log,
  analytics,
}: {
  log: Pick<EventLog, 'committed'>
  analytics: Analytics
}): Activity {
  /** The offsets before which everything is counted. Null until they are read from the store. */
  let counted: readonly Commit[] | null = null
  /** The offsets before which looks have found the days. */
  let lookedTo: readonly Commit[] = []
  /** The days to count. */
  let found = new Map<string, ShopDay>()
  const forgetDays = createForgetting(analytics, 'signal_days')

  async function read(): Promise<readonly Commit[]> {
    const positions = await analytics.query<Position>(countedPositionsSql)
    lookedTo = positions.map((each) => ({ ...each, metadata: '' }))
    return lookedTo
  }

  function note({ shopId, day, arrived }: ShopDay): void {
    const known = found.get(`${day} ${shopId}`)?.arrived ?? 0
    found.set(`${day} ${shopId}`, { shopId, day, arrived: known + arrived })
  }

  async function remember(): Promise<void> {
    await analytics.insert('signal_day_positions', lookedTo, { token: `positions ${versionOf(lookedTo)}` })
    counted = lookedTo
  }

  return {
    async look(sinceDay) {
      const stored = (await log.committed(SINK_GROUP)).filter(({ topic }) => topic in countedTopics)
      counted ??= await read()
      const ranges = newRanges(stored, lookedTo)
      if (ranges.length === 0) return new Map()
      await forgetDays(sinceDay)
      const sql = newDaysSql(newRowsIn(ranges))
      const days = sql ? await analytics.query<NewDay>(sql) : []
      for (const { shopId, day, arrived } of days) note({ shopId, day, arrived })
      lookedTo = advanced(lookedTo, ranges)
      if (found.size === 0) await remember()
      return new Map([...Map.groupBy(days, ({ shopId }) => shopId)].map(([shopId, own]) => [shopId, sum(own)]))
    },
    async count(sinceDay) {
      if (counted === null || found.size === 0) return
      const newRows = newRowsIn(newRanges(lookedTo, counted))
      const since = sinceDay * DAY_MS
      const versions = versionDaysSql(newRows)
      const ofVersions = versions ? await analytics.query<Omit<ShopDay, 'arrived'>>(versions, { since }) : []
      for (const day of ofVersions) note({ ...day, arrived: 0 })
      const days = [...found.values()].filter(({ day }) => day >= sinceDay)
      const [version, countedVersion] = [versionOf(lookedTo), versionOf(counted)]
      const places = { ...endsOf('Before', counted), ...endsOf('To', lookedTo) }
      const params = { version, countedVersion, since, ...places }
      const { anew, added } = await sorted(days, countedVersion)
      for (const some of anew) await analytics.command(countDaysSql(null), { ...params, ...scopeOf(some) })
      for (const some of added) await analytics.command(countDaysSql(newRows), { ...params, ...scopeOf(some) })
      await remember()
      found = new Map()
    },
  }

  /** The days to count again from all rows, and those to add new rows to, each in groups for one statement. */
  async function sorted(days: readonly ShopDay[], countedVersion: number) {
    const known = days.length === 0 ? [] : await analytics.query<CountedDay>(countedDaysSql, scopeOf(days))
    const byDay = new Map(known.map((each) => [`${each.day} ${each.shopId}`, each]))
    const countOf = ({ shopId, day }: ShopDay) => byDay.get(`${day} ${shopId}`) ?? { counted: 0, version: 0 }
    const { anew = [], added = [] } = Object.groupBy(days, (each) => {
      const { counted, version } = countOf(each)
      return each.arrived >= counted || version > countedVersion ? 'anew' : 'added'
    })
    return {
      anew: grouped(anew, (each) => each.arrived + countOf(each).counted),
      added: grouped(added, ({ arrived }) => arrived),
    }
  }
}

/** Days in the order of time, in groups for one statement each. A group may have days of several shops. */
const grouped = (days: readonly ShopDay[], rowsOf: (day: ShopDay) => number): ShopDay[][] =>
  chunksBySize(
    days.toSorted((a, b) => a.day - b.day),
    rowsOf,
    ROWS_AT_ONCE,
  )

const scopeOf = (days: readonly ShopDay[]): QueryParams => ({
  shopIds: days.map(({ shopId }) => shopId),
  days: days.map(({ day }) => day),
})

/** Query parameters: for each topic, the first offset of each partition that is not counted. */
function endsOf(edge: 'Before' | 'To', commits: readonly Commit[]): QueryParams {
  const ends = Object.entries(countedTopics).map(([topic, [before, to]]) => {
    const ofTopic = commits.filter((each) => each.topic === topic)
    const offsets = Array.from({ length: 1 + Math.max(-1, ...ofTopic.map(({ partition }) => partition)) }, () => 0)
    for (const { partition, offset } of ofTopic) offsets[partition] = offset
    return [edge === 'Before' ? before : to, offsets]
  })
  return Object.fromEntries(ends)
}

/** Grows with what is stored. */
const versionOf = (commits: readonly Commit[]): number => sumOfOffsets(commits.map(({ offset }) => offset))

const sum = (days: readonly NewDay[]): number => days.reduce((total, { purchases }) => total + purchases, 0)
