import type { TopicName } from '../../../schemas/topics.ts'
import type { Commit, PartitionBounds } from '../../event-log/port.ts'
import type { Analytics } from '../port.ts'
import { completeSince } from '../retention/complete-since.ts'
import { type AuditedTopic, auditedTopics } from './audited-topics.ts'
import { type CheckedRange, checkRange, countRows, OFFSETS_AT_ONCE, type RangeDeps } from './check-range.ts'
import { countsIn } from './counts.ts'
import { deadOffsets } from './dead-offsets.ts'

/** Counts of the offsets of a partition that were stored before the sink kept counts. */
export interface EarlierCount {
  topic: TopicName
  partition: number
  /** All offsets before it are counted. */
  upTo: number
  records: number
  stored: number
  tableRows: number
  dead: number
}

export const readEarlier = (analytics: Analytics): Promise<EarlierCount[]> =>
  analytics.query<EarlierCount>(
    `SELECT topic, partition, max(toOffset) AS upTo, sum(records) AS records, sum(stored) AS stored,
       sum(tableRows) AS tableRows, sum(dead) AS dead
     FROM counted_ranges FINAL GROUP BY topic, partition`,
  )

/**
 * How many stored offsets are counted neither by the sink nor in `counted_ranges`; at least 1 while the table may have uncounted rows
 * from before the sink kept counts.
 */
export function uncountedIn(
  earlier: readonly EarlierCount[],
  { partition, start }: PartitionBounds,
  commit: Commit | undefined,
): number {
  if (!commit) return 0
  const end = endOfEarlier(commit)
  const upTo = earlier.find((each) => each.topic === commit.topic && each.partition === partition)?.upTo ?? 0
  return upTo >= end ? 0 : Math.max(1, end - Math.max(start, upTo))
}

/** The offset at which the counts of the sink begin. */
const endOfEarlier = (commit: Commit) => countsIn(commit)?.from ?? commit.offset

/**
 * Counts one range of the offsets that were stored before the sink kept counts, and records the result, so that counting continues
 * there after an interruption. Only one process may run it.
 * @returns whether there may be more to count.
 */
export async function countEarlier(deps: RangeDeps & { now: () => number }): Promise<boolean> {
  const { log, analytics } = deps
  const commits = await log.committed('sink')
  const earlier = await readEarlier(analytics)
  for (const audited of auditedTopics.filter(({ group }) => group === 'sink')) {
    for (const bounds of await log.bounds(audited.topic)) {
      const { partition, start } = bounds
      const commit = commits.find((each) => each.topic === audited.topic && each.partition === partition)
      if (uncountedIn(earlier, bounds, commit) === 0) continue
      const end = endOfEarlier(commit!)
      const held = Math.min(start, end)
      const counted = earlier.find((each) => each.topic === audited.topic && each.partition === partition)?.upTo
      const from = counted ?? (await firstStored(analytics, audited, { partition, before: held })) ?? held
      const to = Math.min(end, from + OFFSETS_AT_ONCE, from < start ? start : end)
      await countOne(deps, audited, { partition, from, to }, start)
      return true
    }
  }
  return false
}

async function countOne(
  deps: RangeDeps & { now: () => number },
  audited: AuditedTopic,
  range: CheckedRange,
  start: number,
) {
  const { topic } = audited
  const { partition, from: fromOffset, to: toOffset } = range
  const place = { topic, partition, fromOffset, toOffset }
  const counts = range.from < start ? await countPast(deps, audited, range) : await countHeld(deps, audited, range)
  await deps.analytics.insert('counted_ranges', [{ ...place, ...counts }], {
    token: `counted/${topic}/${partition}/${fromOffset}/${toOffset}`,
  })
}

/** Counts offsets that the log no longer has. */
async function countPast({ analytics }: RangeDeps, audited: AuditedTopic, range: CheckedRange) {
  const { tableRows, stored } = await countRows(analytics, audited, range)
  return { records: stored, stored, tableRows, dead: 0 }
}

async function countHeld(deps: RangeDeps & { now: () => number }, audited: AuditedTopic, range: CheckedRange) {
  const dead = await deadOffsets(deps.log, audited)
  const found = await checkRange(deps, audited, range, {
    dead,
    completeSince: (await completeSince(deps))(audited.table),
  })
  const { records, stored, duplicates, expired } = found
  return { records: records - expired, stored, tableRows: stored + duplicates, dead: found.dead }
}

/** The first offset in the table before `before`, where the log begins; null when there is none. */
async function firstStored(
  analytics: Analytics,
  { table, partition, offset }: AuditedTopic,
  { partition: at, before }: { partition: number; before: number },
): Promise<number | null> {
  const [found] = await analytics.query<{ tableRows: number; first: number }>(
    `SELECT count() AS tableRows, min(${offset}) AS first FROM ${table}
     WHERE ${partition} = {at:Int32} AND ${offset} < {before:Int64}`,
    { at, before },
  )
  return found!.tableRows > 0 ? found!.first : null
}
