import type { TopicName } from '../../../schemas/topics.ts'
import { readLogEpoch } from '../../event-log/log-epoch.ts'
import type { EventLog, PartitionBounds, PartitionOffset } from '../../event-log/port.ts'
import { completeSince } from '../retention/complete-since.ts'
import type { AuditDeps } from './audit.ts'
import { type AuditedTopic, auditedTopics } from './audited-topics.ts'
import { type CheckedRange, checkRange, type RangeCount } from './check-range.ts'
import { deadOffsets } from './dead-offsets.ts'

/** The part of a topic to check: one partition or all, by offsets or by the time at which the log took the records. */
export interface CheckedSpan {
  topic: TopicName
  partition: number | undefined
  /** Offsets, [from, to). */
  from: number | undefined
  to: number | undefined
  /** When the log took the records, [since, until) in UTC epoch milliseconds. */
  since: number | undefined
  until: number | undefined
}

type CheckFigures = Omit<RangeCount, 'missing' | 'repeated' | 'records' | 'dead'> & {
  logged: number
  deadLetters: number
  missing: number
}

export interface DeepCheck extends CheckFigures {
  /** Offsets [from, to) were checked. A later check continues at `next`, which is null when the partition is done. */
  partitions: (CheckFigures & CheckedRange & { next: number | null })[]
  /** Positions of some records without a row. */
  missingAt: PartitionOffset[]
  /** Positions of some records with several rows. */
  repeatedAt: PartitionOffset[]
}

/** Offsets that one check reads, of all partitions together. */
const CHECKED_OFFSETS_MAX = 200_000
const POSITIONS_MAX = 100

/** Checks whether each record of a span has one row, by reading log and table, up to the committed offsets of the topic's group. */
export async function deepCheck(deps: AuditDeps, span: CheckedSpan): Promise<DeepCheck> {
  const audited = auditedTopics.find(({ topic }) => topic === span.topic)
  if (!audited) throw new TypeError(`${span.topic} is not audited`)
  const known = {
    dead: await deadOffsets(deps.log, audited),
    completeSince: (await completeSince(deps))(audited.table),
  }
  const partitions: DeepCheck['partitions'] = []
  const missingAt: PartitionOffset[] = []
  const repeatedAt: PartitionOffset[] = []
  let left = CHECKED_OFFSETS_MAX
  for (const range of await rangesOf(deps.log, audited, span)) {
    const to = Math.min(range.to, range.from + left)
    left -= to - range.from
    const count = await checkRange(deps, audited, { ...range, to }, known)
    partitions.push({ ...range, to, next: to < range.to ? to : null, ...figuresOf(count) })
    noteSome(missingAt, range, count.missing)
    noteSome(repeatedAt, range, count.repeated)
  }
  const total = (figure: keyof CheckFigures) => partitions.reduce((sum, each) => sum + each[figure], 0)
  return {
    logged: total('logged'),
    stored: total('stored'),
    duplicates: total('duplicates'),
    deadLetters: total('deadLetters'),
    missing: total('missing'),
    expired: total('expired'),
    partitions,
    missingAt,
    repeatedAt,
  }
}

function figuresOf({ records, stored, duplicates, dead, missing, expired }: RangeCount): CheckFigures {
  return { logged: records, stored, duplicates, deadLetters: dead, missing: missing.length, expired }
}

function noteSome(positions: PartitionOffset[], { partition }: CheckedRange, offsets: readonly number[]): void {
  positions.push(...offsets.slice(0, POSITIONS_MAX - positions.length).map((offset) => ({ partition, offset })))
}

async function rangesOf(log: EventLog, { topic, group }: AuditedTopic, span: CheckedSpan): Promise<CheckedRange[]> {
  const commits = await log.committed(group)
  // Events that were judged before the log was restored are left out: their judgements name offsets of the old log.
  const judgedTo = topic === 'ad-events' ? (await readLogEpoch(log)).judgedTo : []
  const ranges: CheckedRange[] = []
  for (const bounds of await log.bounds(topic)) {
    const { partition } = bounds
    if (span.partition !== undefined && span.partition !== partition) continue
    const first = judgedTo.find((each) => each.partition === partition)?.offset ?? 0
    const since = span.since === undefined ? bounds.start : await firstSince(log, topic, bounds, span.since)
    const until = span.until === undefined ? bounds.end : await firstSince(log, topic, bounds, span.until)
    const from = Math.max(bounds.start, first, since, span.from ?? 0)
    const done = commits.find((commit) => commit.topic === topic && commit.partition === partition)?.offset ?? 0
    const to = Math.min(bounds.end, done, until, span.to ?? bounds.end)
    if (from < to) ranges.push({ partition, from, to })
  }
  return ranges
}

/** The first offset that the log took at a time or later, provided that its clock did not go back. */
async function firstSince(log: EventLog, topic: TopicName, { partition, start, end }: PartitionBounds, time: number) {
  let low = start
  let high = end
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2)
    const [record] = await log.read(topic, partition, middle, 1)
    if (!record || record.offset >= high || record.appendedAt >= time) high = middle
    else low = record.offset + 1
  }
  return low
}
