import type { Analytics } from '../infra/analytics/port.ts'
import type { Commit, EventLog } from '../infra/event-log/port.ts'
import {
  affectedSql,
  allTransactionsSql,
  type NewRows,
  newLinksSql,
  scopeSql,
  sliceStatements,
  touchedSql,
} from './attribution-sql.ts'
import type { StoredTopic } from './rows.ts'
import { SINK_GROUP } from './sink-note.ts'

export const ATTRIBUTION_GROUP = 'attribution'
/** What credit depends on. */
export const attributionTopics = [
  'transactions',
  'judged-events',
  'emissions',
  'page-views',
  'registry',
  'products',
] as const satisfies readonly StoredTopic[]

/** Transactions computed at once; with their touches they must fit in memory. */
const SLICE_TRANSACTIONS = 20_000
/** Offsets of one partition taken into one run. */
const RUN_MAX_OFFSETS = 200_000
const KEPT_WINDOWS = { clickWindowHours: null, viewWindowHours: null }

interface Range {
  topic: StoredTopic
  partition: number
  from: number
  to: number
}

export interface AttributionDeps {
  log: EventLog
  analytics: Analytics
}

/**
 * Credits the lines that what the sink has stored since the last run can have changed. After any order of arrival,
 * repetition or crash, `attributed_lines` is the same as if computed from all events at once. Only one may run.
 * @returns how many transactions it computed; null when the sink has stored nothing new.
 */
export async function attribute({ log, analytics }: AttributionDeps): Promise<number | null> {
  const before = await log.committed(ATTRIBUTION_GROUP)
  const ranges = newRanges(await log.committed(SINK_GROUP), before)
  if (ranges.length === 0) return null
  const after = merged(before, ranges)
  const done = versionOf(before)
  const version = versionOf(after)
  const newRows: NewRows = (topic) => rowsIn(ranges.filter((range) => range.topic === topic))

  const links = newLinksSql(newRows)
  if (links !== null) await analytics.command(links, { version })
  await analytics.command('TRUNCATE TABLE attribution_touched')
  const touched = before.length === 0 ? null : touchedSql(newRows)
  if (touched !== null) await analytics.command(touched)
  await analytics.command('TRUNCATE TABLE attribution_scope')
  const affected = before.length === 0 ? allTransactionsSql : affectedSql(newRows)
  await analytics.command(scopeSql(affected), { sliceSize: SLICE_TRANSACTIONS, done })
  const [scope] = await analytics.query<{ transactions: number; slices: number }>(
    'SELECT count() AS transactions, uniqExact(slice) AS slices FROM attribution_scope',
  )
  for (let slice = 0; slice < scope!.slices; slice++) {
    for (const statement of sliceStatements) await analytics.command(statement, { slice, version, ...KEPT_WINDOWS })
  }
  await log.reset(ATTRIBUTION_GROUP, after)
  return scope!.transactions
}

/** What is stored and was not looked at, cut to what one run can bear; the very first run takes everything. */
function newRanges(stored: readonly Commit[], before: readonly Commit[]): Range[] {
  const max = before.length === 0 ? Number.POSITIVE_INFINITY : RUN_MAX_OFFSETS
  return stored.flatMap((commit) => {
    const topic = commit.topic as StoredTopic
    if (!(attributionTopics as readonly string[]).includes(topic)) return []
    const from = before.find((each) => each.topic === topic && each.partition === commit.partition)?.offset ?? 0
    const to = Math.min(commit.offset, from + max)
    return to > from ? [{ topic, partition: commit.partition, from, to }] : []
  })
}

function merged(before: readonly Commit[], ranges: readonly Range[]): Commit[] {
  const untouched = before.filter(
    ({ topic, partition }) => !ranges.some((range) => range.topic === topic && range.partition === partition),
  )
  return [...untouched, ...ranges.map(({ topic, partition, to }) => ({ topic, partition, offset: to, metadata: '' }))]
}

/** Grows with every run, needs no counter, and a run that is done again has the same: how much was looked at. */
function versionOf(commits: readonly Commit[]): number {
  return commits.reduce((sum, { offset }) => sum + offset, 0)
}

function rowsIn(ranges: readonly Range[]): string | null {
  if (ranges.length === 0) return null
  return ranges
    .map(({ partition, from, to }) => `(_partition = ${partition} AND _offset >= ${from} AND _offset < ${to})`)
    .join(' OR ')
}
