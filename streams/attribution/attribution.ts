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
import { sumOfOffsets } from '../../infra/event-log/epochs.ts'
import type { Commit, EventLog } from '../../infra/event-log/port.ts'
import { CREDIT_RULES_VERSION } from '../../services/domain/attribution/credit.ts'
import { createLagMeter, type Stretch, sharedCall, type TopicLag } from '../runtime/lag.ts'
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

/** Transactions computed at once; with their touches they must fit in the store's memory. */
const SLICE_TRANSACTIONS = 20_000
/** Offsets of one partition that one run takes. */
const RUN_MAX_OFFSETS = 200_000
/** Parameters of the queries: null keeps the windows of each shop. */
const SHOPS_WINDOWS = { clickWindowHours: null, viewWindowHours: null }

export interface AttributionDeps {
  log: EventLog
  analytics: Analytics
  /** A name that no other run has. */
  runId: () => string
}

/**
 * One run of attribution: computes again every line whose credit the rows can have changed that the sink has stored since
 * the last run. The rules are those of `services/domain/attribution`.
 *
 * After any order of arrival, duplicates or crashes, `attributed_lines` is as if it were computed from all events at once. A
 * run that stops anywhere is repeated under the same version and stores the same rows. One process should run it; two at
 * once do the same work twice.
 * @returns how many transactions it computed; null when the sink has stored nothing new.
 */
export async function attribute({ log, analytics, runId }: AttributionDeps): Promise<number | null> {
  const done = doneUnderTheseRules(await log.committed(ATTRIBUTION_GROUP))
  const ranges = newRanges(await log.committed(SINK_GROUP), done)
  if (ranges.length === 0) return null
  const doneAfter = advanced(done, ranges)

  const newRows: NewRows = (topic) => rowsIn(ranges.filter((range) => range.topic === topic))
  const version = versionOf(doneAfter)
  const scratch = scratchOf(runId())
  try {
    for (const statement of createScratchStatements(scratch)) await analytics.command(statement)
    await linkPersons(analytics, newRows, version)
    const scope = await findAffected(analytics, scratch, newRows, {
      isFirst: done.length === 0,
      since: versionOf(done),
    })
    await creditAffected(analytics, scratch, scope, version)
    await log.reset(ATTRIBUTION_GROUP, doneAfter)
    return scope.transactions
  } finally {
    await drop(analytics, Object.values(scratch)).catch(() => {})
  }
}

/** What attribution has done. After a change of the rules that is nothing: everything is computed again. */
export function doneUnderTheseRules(committed: readonly Commit[]): readonly Commit[] {
  return committed.every(({ metadata }) => metadata === String(CREDIT_RULES_VERSION)) ? committed : []
}

/** Attribution as periodic work: each turn is a run, and resolves to whether there may be more to do at once. */
export function createAttribution(deps: AttributionDeps): () => Promise<boolean> {
  let isTidy = false
  return async () => {
    if (!isTidy) await dropLeftScratch(deps.analytics)
    isTidy = true
    return (await attribute(deps)) !== null
  }
}

/** How far attribution is behind the sink, for each partition that the sink has stored anything of. */
export function createAttributionLag(deps: {
  log: Pick<EventLog, 'read' | 'committed'>
  /** UTC epoch milliseconds. */
  now: () => number
}): () => Promise<TopicLag[]> {
  const { log } = deps
  const measure = createLagMeter(deps)
  return sharedCall(async () => {
    const [stored, committed] = await Promise.all([log.committed(SINK_GROUP), log.committed(ATTRIBUTION_GROUP)])
    const done = doneUnderTheseRules(committed)
    const stretches = stored.flatMap(({ topic, partition, offset: end }): Stretch[] => {
      if (!(attributionTopics as readonly string[]).includes(topic)) return []
      const from = done.find((each) => each.topic === topic && each.partition === partition)?.offset ?? 0
      return [{ topic, partition, from, end }]
    })
    return measure(stretches)
  })
}

/** Stores which cids and uids the new rows show together. */
async function linkPersons(analytics: Analytics, newRows: NewRows, version: number): Promise<void> {
  const links = newLinksSql(newRows)
  if (links !== null) await analytics.command(links, { version })
}

/** What the scratch tables hold. */
interface Scope {
  touched: number
  transactions: number
  slices: number
}

/**
 * Fills the scratch tables with the transactions to compute again.
 * @param of.isFirst no run has finished under these rules, so that all transactions are computed.
 * @param of.since the version of the last run.
 */
async function findAffected(
  analytics: Analytics,
  scratch: Scratch,
  newRows: NewRows,
  { isFirst, since }: { isFirst: boolean; since: number },
): Promise<Scope> {
  const touched = isFirst ? null : touchedSql(newRows, scratch)
  if (touched !== null) await analytics.command(touched)
  const { touched: before } = await readScope(analytics, scratch)
  const affected = isFirst ? allTransactionsSql : affectedSql(newRows, scratch)
  await analytics.command(scopeSql(affected, scratch), { sliceSize: SLICE_TRANSACTIONS, done: since })
  return { ...(await readScope(analytics, scratch)), touched: before }
}

/** @throws AnalyticsUnavailable when the store restarted during the run: its scratch tables live in memory. */
async function creditAffected(analytics: Analytics, scratch: Scratch, scope: Scope, version: number): Promise<void> {
  for (let slice = 0; slice < scope.slices; slice++) {
    for (const statement of sliceStatements(scratch)) {
      await analytics.command(statement, { slice, version, ...SHOPS_WINDOWS })
    }
  }
  const { touched, transactions } = await readScope(analytics, scratch)
  if (touched !== scope.touched || transactions !== scope.transactions) {
    throw new AnalyticsUnavailable('The analytics store restarted during the run and has lost its scratch tables')
  }
}

async function readScope(analytics: Analytics, scratch: Scratch): Promise<Scope> {
  return (await analytics.query<Scope>(heldSql(scratch)))[0]!
}

/** Drops what killed runs have left. A run that is under way in another process fails and is repeated. */
async function dropLeftScratch(analytics: Analytics): Promise<void> {
  const left = await analytics.query<{ name: string }>(leftScratchSql)
  await drop(
    analytics,
    left.map(({ name }) => name),
  )
}

async function drop(analytics: Analytics, tables: readonly string[]): Promise<void> {
  for (const table of tables) await analytics.command(`DROP TABLE IF EXISTS ${table} SYNC`)
}

/** Offsets [from, to) of a partition. */
interface Range {
  topic: StoredTopic
  partition: number
  from: number
  to: number
}

/**
 * What the sink has stored and attribution has not seen, limited to what one run can bear. What comes first of a partition is
 * taken whole: nobody knows at which offset it begins.
 */
function newRanges(stored: readonly Commit[], done: readonly Commit[]): Range[] {
  return stored.flatMap((commit) => {
    const topic = commit.topic as StoredTopic
    if (!(attributionTopics as readonly string[]).includes(topic)) return []
    const from = done.find((each) => each.topic === topic && each.partition === commit.partition)?.offset ?? null
    const to = from === null ? commit.offset : Math.min(commit.offset, from + RUN_MAX_OFFSETS)
    return to > (from ?? 0) ? [{ topic, partition: commit.partition, from: from ?? 0, to }] : []
  })
}

/** The commits once these ranges are done too. */
function advanced(done: readonly Commit[], ranges: readonly Range[]): Commit[] {
  const metadata = String(CREDIT_RULES_VERSION)
  const others = done.filter(
    ({ topic, partition }) => !ranges.some((range) => range.topic === topic && range.partition === partition),
  )
  return [...others, ...ranges.map(({ topic, partition, to }) => ({ topic, partition, offset: to, metadata }))]
}

/** How much of the log is done. It grows with every run and with the rules, and is the same when a run is repeated. */
function versionOf(commits: readonly Commit[]): number {
  return sumOfOffsets(commits.map(({ offset }) => offset)) + CREDIT_RULES_VERSION
}

function rowsIn(ranges: readonly Range[]): string | null {
  if (ranges.length === 0) return null
  return ranges
    .map(({ partition, from, to }) => `(_partition = ${partition} AND _offset >= ${from} AND _offset < ${to})`)
    .join(' OR ')
}
