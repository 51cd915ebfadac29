import { type Analytics, AnalyticsUnavailable } from '../../infra/analytics/port.ts'
import {
  affectedSql,
  allTransactionsSql,
  type NewRows,
  newLinksSql,
  touchedSql,
} from '../../infra/analytics/queries/attribution/affected.ts'
import {
  createScratchStatements,
  heldSql,
  leftScratchSql,
  type Scratch,
  scopeSql,
  scratchOf,
  sliceStatements,
} from '../../infra/analytics/queries/attribution/slices.ts'
import type { Commit, EventLog } from '../../infra/event-log/port.ts'
import { CREDIT_RULES_VERSION } from '../../services/domain/attribution/credit.ts'
import { SINK_GROUP } from '../sink/offset-metadata.ts'
import type { StoredTopic } from '../sink/rows.ts'

export const ATTRIBUTION_GROUP = 'attribution'
/** What credit depends on. */
export const attributionTopics = [
  'transactions',
  'transaction-returns',
  'judged-events',
  'corrections',
  'emissions',
  'page-views',
  'registry',
  'item-groups',
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
  /** A name that no other run has. */
  runId: () => string
}

/**
 * Credits the lines that what the sink has stored since the last run can have changed. After any order of arrival,
 * repetition or crash, `attributed_lines` is the same as if computed from all events at once. One process should run it;
 * two at once do the same work twice.
 * @returns how many transactions it computed; null when the sink has stored nothing new.
 */
export async function attribute({ log, analytics, runId }: AttributionDeps): Promise<number | null> {
  const committed = await log.committed(ATTRIBUTION_GROUP)
  const before = committed.every(({ metadata }) => metadata === String(CREDIT_RULES_VERSION)) ? committed : []
  const ranges = newRanges(await log.committed(SINK_GROUP), before)
  if (ranges.length === 0) return null
  const after = merged(before, ranges)
  const scratch = scratchOf(runId())
  try {
    for (const statement of createScratchStatements(scratch)) await analytics.command(statement)
    const computed = await creditNew(
      { analytics, scratch, ranges, isFirst: before.length === 0 },
      versionOf(before),
      versionOf(after),
    )
    await log.reset(ATTRIBUTION_GROUP, after)
    return computed
  } finally {
    await drop(analytics, Object.values(scratch)).catch(() => {})
  }
}

/** Attribution as work that is done again and again: a turn of it says whether there is more to do at once. */
export function createAttribution(deps: AttributionDeps): () => Promise<boolean> {
  let isTidy = false
  return async () => {
    if (!isTidy) await dropLeftScratch(deps)
    isTidy = true
    return (await attribute(deps)) !== null
  }
}

/** Removes what runs that were killed have left. A run under way elsewhere fails, and is done again. */
async function dropLeftScratch({ analytics }: AttributionDeps): Promise<void> {
  const left = await analytics.query<{ name: string }>(leftScratchSql)
  await drop(
    analytics,
    left.map(({ name }) => name),
  )
}

async function drop(analytics: Analytics, tables: readonly string[]): Promise<void> {
  for (const table of tables) await analytics.command(`DROP TABLE IF EXISTS ${table} SYNC`)
}

interface Run {
  analytics: Analytics
  scratch: Scratch
  ranges: readonly Range[]
  /** Nothing was looked at before: everything is computed. */
  isFirst: boolean
}

/** @param done the version of the last run. @returns how many transactions were computed. */
async function creditNew({ analytics, scratch, ranges, isFirst }: Run, done: number, version: number): Promise<number> {
  const newRows: NewRows = (topic) => rowsIn(ranges.filter((range) => range.topic === topic))
  const held = async () => (await analytics.query<Held>(heldSql(scratch)))[0]!

  const links = newLinksSql(newRows)
  if (links !== null) await analytics.command(links, { version })
  const touched = isFirst ? null : touchedSql(newRows, scratch)
  if (touched !== null) await analytics.command(touched)
  const { touched: people } = await held()
  const affected = isFirst ? allTransactionsSql : affectedSql(newRows, scratch)
  await analytics.command(scopeSql(affected, scratch), { sliceSize: SLICE_TRANSACTIONS, done })
  const { transactions, slices } = await held()
  for (let slice = 0; slice < slices; slice++) {
    for (const statement of sliceStatements(scratch))
      await analytics.command(statement, { slice, version, ...KEPT_WINDOWS })
  }
  const end = await held()
  if (end.touched !== people || end.transactions !== transactions) {
    throw new AnalyticsUnavailable(
      'The analytics store was started anew during the run and has lost its scratch tables',
    )
  }
  return transactions
}

interface Held {
  touched: number
  transactions: number
  slices: number
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
  return [
    ...untouched,
    ...ranges.map(({ topic, partition, to }) => ({
      topic,
      partition,
      offset: to,
      metadata: String(CREDIT_RULES_VERSION),
    })),
  ]
}

/** Grows with every run and rule, needs no counter, and a run that is done again has the same: how much was looked at. */
function versionOf(commits: readonly Commit[]): number {
  return commits.reduce((sum, { offset }) => sum + offset, CREDIT_RULES_VERSION)
}

function rowsIn(ranges: readonly Range[]): string | null {
  if (ranges.length === 0) return null
  return ranges
    .map(({ partition, from, to }) => `(_partition = ${partition} AND _offset >= ${from} AND _offset < ${to})`)
    .join(' OR ')
}
