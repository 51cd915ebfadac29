import { type Analytics, AnalyticsUnavailable } from '../../infra/analytics/port.ts'
import { affectedSql, peopleStatements, touchedSql } from '../../infra/analytics/queries/attribution/affected.ts'
import {
  copiedTransactionsSql,
  firstOffsetsSql,
  lookupStatements,
  type NewRows,
  PERSON_KEYS,
  transactionsOfKeysSql,
} from '../../infra/analytics/queries/attribution/lookups.ts'
import {
  createScratchStatements,
  heldSql,
  leftScratchSql,
  type Scratch,
  scopeSql,
  scratchOf,
  sliceStatements,
} from '../../infra/analytics/queries/attribution/slices.ts'
import type { Commit, EventLog, Position } from '../../infra/event-log/port.ts'
import { createLagMeter, type Stretch, sharedCall, type TopicLag } from '../runtime/lag.ts'
import { SINK_GROUP } from '../sink/offset-metadata.ts'
import type { StoredTopic } from '../sink/rows.ts'
import { commitsOf, type Progress, progressOf } from './progress.ts'
import { advanced, newRanges, placeIn, rowsIn, versionOf } from './ranges.ts'

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

export interface AttributionLimits {
  /** Transactions computed at once; with their touches they must fit in the store's memory. */
  sliceTransactions: number
  /** Offsets of one partition that one run takes. */
  runOffsets: number
}

const LIMITS: AttributionLimits = { sliceTransactions: 20_000, runOffsets: 200_000 }
/** Parameters of the queries: null keeps the windows of each shop. */
const SHOPS_WINDOWS = { clickWindowHours: null, viewWindowHours: null }

export interface AttributionDeps {
  log: EventLog
  analytics: Analytics
  /** A name that no other run has. */
  runId: () => string
  limits?: AttributionLimits
}

/**
 * Brings attribution up to date: computes every line whose credit the rows can have changed that the sink has stored since the
 * last time. The rules are those of `services/domain/attribution`.
 *
 * After any order of arrival, duplicates or crashes, `attributed_lines` is as if it were computed from all events at once. A
 * run that stops anywhere is repeated under the same version and stores the same rows. One process should run it; two at
 * once do the same work twice.
 * @returns how many transactions it computed; null when the sink has stored nothing new.
 */
export async function attribute(deps: AttributionDeps): Promise<number | null> {
  let total: number | null = null
  for (;;) {
    const run = await runOnce(deps)
    if (run === null) return total
    total = (total ?? 0) + run.transactions
    if (run.progress.phase === 'FOLLOWING') return total
  }
}

/** Attribution as periodic work: each turn is a run, and resolves to whether there may be more to do at once. */
export function createAttribution(deps: AttributionDeps): () => Promise<boolean> {
  let isTidy = false
  return async () => {
    if (!isTidy) await dropLeftScratch(deps.analytics)
    isTidy = true
    return (await runOnce(deps)) !== null
  }
}

interface Run {
  /** Computed by it. */
  transactions: number
  progress: Progress
}

/** One step of `Progress`; null when there is none to take. */
async function runOnce(deps: AttributionDeps): Promise<Run | null> {
  const { log } = deps
  const progress = progressOf(await log.committed(ATTRIBUTION_GROUP))
  const run = await (progress.phase === 'CREDITING' ? creditPart(deps, progress) : takeNew(deps, progress))
  if (run !== null) await log.reset(ATTRIBUTION_GROUP, commitsOf(run.progress))
  return run
}

/** Copies what is new, and outside of the past computes what it affects. */
async function takeNew(deps: AttributionDeps, { phase, done }: Progress): Promise<Run | null> {
  const { log, analytics, limits = LIMITS } = deps
  const stored = (await log.committed(SINK_GROUP)).filter(({ topic }) => isOfAttribution(topic))
  const bounds = { starts: await startsOf(analytics, stored, done), runOffsets: limits.runOffsets }
  const ranges = newRanges(stored, done, bounds)
  if (ranges.length === 0) return null
  const doneAfter = advanced(done, ranges)
  const version = versionOf(doneAfter)
  const newRows: NewRows = (topic) => rowsIn(ranges.filter((range) => range.topic === topic))
  for (const statement of lookupStatements(newRows)) await analytics.command(statement, { version })
  if (phase === 'FOLLOWING') {
    const transactions = await withScratch(deps, async (scratch) => {
      const scope = await findAffected(deps, scratch, newRows, versionOf(done))
      await creditAffected(analytics, scratch, scope, version)
      return scope.transactions
    })
    return { transactions, progress: { phase, done: doneAfter } }
  }
  const isCaughtUp = newRanges(stored, doneAfter, bounds).length === 0
  if (!isCaughtUp) return { transactions: 0, progress: { phase: 'COLLECTING', done: doneAfter } }
  const [copied] = await analytics.query<{ transactions: number }>(copiedTransactionsSql)
  const parts = Math.ceil(copied!.transactions / limits.sliceTransactions)
  const next = parts === 0 ? { phase: 'FOLLOWING' as const } : { phase: 'CREDITING' as const, part: 0, parts }
  return { transactions: 0, progress: { ...next, done: doneAfter } }
}

/** Where the partitions begin that attribution has not begun with. */
async function startsOf(analytics: Analytics, stored: readonly Commit[], done: readonly Commit[]): Promise<Position[]> {
  const isBegun = stored.every((commit) => placeIn(done, commit) !== undefined)
  return isBegun ? [] : await analytics.query<Position>(firstOffsetsSql)
}

function isOfAttribution(topic: string): boolean {
  return (attributionTopics as readonly string[]).includes(topic)
}

/** Computes the transactions of a part of the people. The parts share nothing, so that several processes could take them. */
async function creditPart(deps: AttributionDeps, progress: Progress & { phase: 'CREDITING' }): Promise<Run> {
  const { analytics, limits = LIMITS } = deps
  const { part, parts, done } = progress
  const keys = { fromKey: startOfPart(part, parts), toKey: startOfPart(part + 1, parts) - 1 }
  const transactions = await withScratch(deps, async (scratch) => {
    await analytics.command(scopeSql(transactionsOfKeysSql, scratch), { ...keys, sliceSize: limits.sliceTransactions })
    const scope = await readScope(analytics, scratch)
    await creditAffected(analytics, scratch, scope, versionOf(done))
    return scope.transactions
  })
  const isLast = part + 1 >= parts
  return { transactions, progress: isLast ? { phase: 'FOLLOWING', done } : { ...progress, part: part + 1 } }
}

function startOfPart(part: number, parts: number): number {
  return Math.floor((part * PERSON_KEYS) / parts)
}

/** Gives the run scratch tables of its own. */
async function withScratch<T>(
  { analytics, runId }: AttributionDeps,
  run: (scratch: Scratch) => Promise<T>,
): Promise<T> {
  const scratch = scratchOf(runId())
  try {
    for (const statement of createScratchStatements(scratch)) await analytics.command(statement)
    return await run(scratch)
  } finally {
    await drop(analytics, Object.values(scratch)).catch(() => {})
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
    const progress = progressOf(committed)
    const done = progress.phase === 'FOLLOWING' ? progress.done : []
    const stretches = stored.flatMap(({ topic, partition, offset: end }): Stretch[] => {
      if (!isOfAttribution(topic)) return []
      const from = done.find((each) => each.topic === topic && each.partition === partition)?.offset ?? 0
      return [{ topic, partition, from, end }]
    })
    return measure(stretches)
  })
}

/** What the scratch tables hold. */
interface Scope {
  touched: number
  transactions: number
  slices: number
}

/**
 * Fills the scratch tables with the transactions to compute again.
 * @param since the version of the last run.
 */
async function findAffected(
  { analytics, limits = LIMITS }: AttributionDeps,
  scratch: Scratch,
  newRows: NewRows,
  since: number,
): Promise<Scope> {
  const touched = touchedSql(newRows, scratch)
  if (touched !== null) await analytics.command(touched)
  for (const statement of peopleStatements(scratch)) await analytics.command(statement, { done: since })
  const { touched: before } = await readScope(analytics, scratch)
  await analytics.command(scopeSql(affectedSql(newRows, scratch), scratch), {
    sliceSize: limits.sliceTransactions,
    done: since,
  })
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
