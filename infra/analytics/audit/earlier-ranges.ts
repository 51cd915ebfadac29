import type { TopicName } from '../../../schemas/topics.ts'
import type { Commit, PartitionBounds } from '../../event-log/port.ts'
import type { Analytics } from '../port.ts'
import { completeSince } from '../retention/complete-since.ts'
import { type AuditedTopic, auditedTopics } from './audited-topics.ts'
import { type CheckedRange, checkRange, countRows, OFFSETS_AT_ONCE, type RangeDeps } from './check-range.ts'
import { countsIn } from './counts.ts'
import { deadOffsets } from './dead-offsets.ts'

/** What was counted of a partition's offsets from before the sink counted for itself. */
export interface EarlierCount {
  topic: TopicName
  partition: number
  /** Everything before it is counted. */
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
 * How many offsets are stored that neither the sink nor the ranges have counted; at least 1 while rows may be in the table that
 * came before the sink counted.
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

/** Where the counts of the sink begin. */
const endOfEarlier = (commit: Commit) => countsIn(commit)?.from ?? commit.offset

/**
 * Counts one range of what was stored before the sink counted, and writes the count down, so that it goes on from there after an
 * interruption. Only one process may run it.
 * @returns whether there may be more.
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

/** Of offsets that the log no longer has. */
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

/** The first offset of the table that the log no longer has; null: there is none. */
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
