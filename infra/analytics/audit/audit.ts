import type { TopicName } from '../../../schemas/topics.ts'
import { msSince } from '../../../services/domain/time/ms-since.ts'
import { epochOf } from '../../event-log/epochs.ts'
import type { Commit, EventLog, PartitionBounds } from '../../event-log/port.ts'
import type { Analytics } from '../port.ts'
import { countStoredRows } from '../retention/closed-months.ts'
import { completeSince } from '../retention/complete-since.ts'
import { type AuditedTopic, auditedTopics } from './audited-topics.ts'
import { recordsIn } from './check-range.ts'
import { countsIn, pendingIn } from './counts.ts'
import { type EarlierCount, readEarlier, uncountedIn } from './earlier-ranges.ts'

export interface AuditFigures {
  /** Records of the log, without those that are still `uncounted`. */
  logged: number
  /** Those of them that have a row. `logged` = `stored` + `deadLetters` once everything is stored. */
  stored: number
  /** Rows beyond the one of each stored record. */
  duplicates: number
  /** Records that could not be processed. */
  deadLetters: number
  /** Offsets that were stored before the sink kept counts, and have not been counted since. */
  uncounted: number
  /** Age of the oldest unprocessed record, or how far it is ahead of a clock that was set back; 0 when there is none. */
  lagMs: number
}
export interface Audit extends AuditFigures {
  topics: (AuditFigures & { topic: TopicName })[]
}

export interface AuditDeps {
  log: EventLog
  analytics: Analytics
  /** UTC epoch milliseconds. */
  now: () => number
}

/** Up to this many offsets after a commit are counted record by record. When there are more, each offset is taken for a record. */
const WAITING_COUNTED_MAX = 10_000

/**
 * Compares what came into the log with what the tables hold. It reads the counts that the sink and the judge keep in their commits,
 * and the number of rows of each table, which ClickHouse knows without reading them. So the effort depends on the number of
 * partitions and on how much waits to be stored, not on how much is stored.
 */
export async function audit(deps: AuditDeps): Promise<Audit> {
  const { log, analytics } = deps
  const commits = async () => byPlace([...(await log.committed('sink')), ...(await log.committed('judge'))])
  const earlier = await readEarlier(analytics)
  const before = await commits()
  const rows = await rowsOfTables(deps, earlier)
  const after = await commits()
  const topics: Audit['topics'] = []
  for (const audited of auditedTopics) {
    const tableRows = rows.get(audited.topic) ?? null
    topics.push(await auditTopic(deps, audited, { earlier, before, after, tableRows }))
  }
  const total = (figure: keyof AuditFigures) => topics.reduce((sum, each) => sum + each[figure], 0)
  return {
    logged: total('logged'),
    stored: total('stored'),
    duplicates: total('duplicates'),
    deadLetters: total('deadLetters'),
    uncounted: total('uncounted'),
    lagMs: Math.max(...topics.map(({ lagMs }) => lagMs)),
    topics,
  }
}

type Commits = ReadonlyMap<string, Commit>

interface Counted {
  earlier: readonly EarlierCount[]
  /** Commits that were read before the rows of the tables were counted. */
  before: Commits
  /** Commits that were read afterwards. */
  after: Commits
  /** Rows of the table; null when there may rightly be more or fewer than were counted. */
  tableRows: number | null
}

async function auditTopic(deps: AuditDeps, audited: AuditedTopic, { earlier, before, after, tableRows }: Counted) {
  const { topic, group } = audited
  const figures: Audit['topics'][number] = {
    topic,
    logged: 0,
    stored: 0,
    duplicates: 0,
    deadLetters: 0,
    uncounted: 0,
    lagMs: 0,
  }
  for (const each of earlier.filter((range) => range.topic === topic)) {
    figures.logged += each.records
    figures.stored += each.stored
    figures.duplicates += each.tableRows - each.stored
    figures.deadLetters += each.dead
  }
  let written = 0
  let writtenAfter = 0
  let underWay = 0
  for (const bounds of await deps.log.bounds(topic)) {
    const commit = before.get(placeOf({ topic, partition: bounds.partition }))
    const done = commit && doneIn(commit, audited)
    figures.logged += done?.logged ?? 0
    figures.deadLetters += done?.dead ?? 0
    if (group === 'sink') figures.uncounted += uncountedIn(earlier, bounds, commit)
    const waiting = await waitingIn(deps, audited, { ...bounds, start: commit?.offset ?? bounds.start })
    figures.logged += waiting.records
    figures.lagMs = Math.max(figures.lagMs, waiting.ageMs)
    written += done?.written ?? 0
    const later = after.get(placeOf({ topic, partition: bounds.partition }))
    writtenAfter += (later && countsIn(later)?.written) ?? 0
    underWay += later ? pendingIn(later) : 0
  }
  figures.stored += written
  if (tableRows !== null && figures.uncounted === 0) {
    const counted = earlier.reduce((sum, each) => sum + (each.topic === topic ? each.tableRows : 0), 0)
    figures.stored -= Math.max(0, counted + written - tableRows)
    figures.duplicates += Math.max(0, tableRows - counted - writtenAfter - underWay)
  }
  return figures
}

/** The counts that a group keeps in its commit of a partition. */
function doneIn(commit: Commit, { keys, isDense }: AuditedTopic) {
  const counts = countsIn(commit)
  if (!counts) return { logged: 0, written: 0, dead: 0 }
  const { from, read, written, dead } = counts
  // Records with other keys are read, but have no rows.
  if (keys) return { logged: written + dead, written, dead }
  // A restored log was copied in transactions, whose markers take offsets too.
  const areDense = isDense && epochOf(commit.offset) === 0
  return { logged: areDense ? commit.offset - from : read, written, dead }
}

/** How many records wait from `start` on, and the age of the oldest. */
async function waitingIn({ log, now }: AuditDeps, audited: AuditedTopic, { partition, start, end }: PartitionBounds) {
  if (start >= end) return { records: 0, ageMs: 0 }
  const { topic } = audited
  const [oldest] = await log.read(topic, partition, start, 1)
  if (!oldest || oldest.offset >= end) return { records: 0, ageMs: 0 }
  const records = await countWaiting(log, audited, { partition, start, end })
  return { records, ageMs: msSince(oldest.appendedAt, now()) }
}

async function countWaiting(log: EventLog, audited: AuditedTopic, { partition, start, end }: PartitionBounds) {
  if (end - start > WAITING_COUNTED_MAX) return end - start
  if (!audited.keys) return log.count(audited.topic, partition, start, end)
  return (await Array.fromAsync(recordsIn(log, audited, { partition, from: start, to: end }))).length
}

/**
 * How many rows the table of each topic has, for topics whose table has one row per counted record. No rows are read. Once months of
 * `emissions` are closed, it is left out if ranges of it were counted by reading the table (`earlier-ranges.ts`): rows of closed
 * months may have been gone by then.
 */
async function rowsOfTables(deps: AuditDeps, earlier: readonly EarlierCount[]): Promise<Map<TopicName, number>> {
  const since = await completeSince(deps)
  const tables = auditedTopics.filter(({ isTableOfTopic }) => isTableOfTopic)
  const forgetting = tables.filter(({ table }) => since(table) !== Number.NEGATIVE_INFINITY)
  const counted = tables.filter((audited) => !forgetting.includes(audited))
  const rows = await deps.analytics.query<{ topic: TopicName; tableRows: number }>(
    counted
      .map(({ topic, table }) => `SELECT '${topic}' AS topic, count() AS tableRows FROM ${table}`)
      .join('\nUNION ALL '),
  )
  const byTopic = new Map(rows.map(({ topic, tableRows }) => [topic, tableRows]))
  const hasClosedMonths = forgetting.some(({ topic }) => topic === 'emissions')
  if (hasClosedMonths && !earlier.some(({ topic }) => topic === 'emissions')) {
    const tableRows = await countStoredRows(deps.analytics)
    if (tableRows !== null) byTopic.set('emissions', tableRows)
  }
  return byTopic
}

const byPlace = (commits: readonly Commit[]): Commits => new Map(commits.map((commit) => [placeOf(commit), commit]))
const placeOf = ({ topic, partition }: { topic: TopicName; partition: number }) => `${topic}/${partition}`
