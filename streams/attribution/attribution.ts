import type { Analytics } from '../../infra/analytics/port.ts'
import {
  copiedSql,
  firstOffsetsSql,
  PERSON_KEYS,
  transactionsOfKeysSql,
  transactionsOfPeopleSql,
} from '../../infra/analytics/queries/attribution/lookups.ts'
import type { Commit, EventLog, Position } from '../../infra/event-log/port.ts'
import { sharedCall } from '../../infra/together.ts'
import { createLagMeter, type Stretch, type TopicLag } from '../runtime/lag.ts'
import { SINK_GROUP } from '../sink/offset-metadata.ts'
import type { StoredTopic } from '../sink/rows.ts'
import { copyNew } from './copy-new.ts'
import {
  createStoreHas,
  creditScope,
  fillPeople,
  fillScope,
  findAffected,
  gather,
  readStoreHas,
  releaseGathered,
} from './credit.ts'
import { commitsOf, type Progress, progressOf } from './progress.ts'
import { advanced, newRanges, newRowsIn, placeIn, versionOf } from './ranges.ts'
import { createScratchTables, dropLeftScratch, type ScratchTables } from './scratch-tables.ts'

export const ATTRIBUTION_GROUP = 'attribution'

/** The topics that credit depends on. */
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
  /** Transactions computed at once, unless they do not fit in the store's memory with their touches. */
  sliceTransactions: number
  /**
   * Lines of the past in one run, on average. A run reads the touches of its people's other cids from all over the store, so that the past
   * costs the fewer reads the larger its parts are.
   */
  partLines: number
  /** Those of them that are computed at once. */
  partSliceLines: number
  /** About how many touches of other cids a run holds in memory, compressed. */
  otherTouches: number
  /** The most offsets of one topic that one run takes. */
  runOffsets: number
  /** The most transactions that are computed only because they fall in the time of new touches, without looking up whose they are. */
  unaskedTransactions: number
}

export const ATTRIBUTION_LIMITS: AttributionLimits = {
  sliceTransactions: 20_000,
  partLines: 1_000_000,
  partSliceLines: 200_000,
  otherTouches: 1_000_000,
  runOffsets: 1_000_000,
  unaskedTransactions: 20_000,
}

/** A slice of the past may be so much larger than the mean: a part that has a few lines more than one slice is not cut in two. */
const SLICE_SPREAD = 1.2

export interface AttributionDeps {
  log: EventLog
  analytics: Analytics
  /** Makes a name that nobody else has. */
  runId: () => string
  limits?: AttributionLimits
}

/**
 * Brings attribution up to date: computes every line whose credit may have changed by rows that the sink has stored since the
 * last run. The rules are those of `services/domain/attribution`.
 *
 * After any order of arrival, duplicates or crashes, `attributed_lines` is as if it were computed from all events at once. A
 * run that stops part-way is repeated under the same version and stores the same rows. One process should run it; two at
 * once do the same work twice.
 * @returns how many transactions it computed; null when the sink has stored nothing new.
 */
export async function attribute(deps: AttributionDeps): Promise<number | null> {
  const kept = keptOf(deps)
  let total: number | null = null
  try {
    for (;;) {
      const run = await runOnce(deps, kept)
      if (run === null) return total
      total = (total ?? 0) + run.transactions
      if (run.progress.phase === 'FOLLOWING') return total
    }
  } finally {
    await kept.tables.drop()
  }
}

/** Attribution as periodic work. Each turn is one run, and resolves to whether there may be more to do at once. */
export function createAttribution(deps: AttributionDeps): () => Promise<boolean> {
  const kept = keptOf(deps)
  let isTidy = false
  return async () => {
    if (!isTidy) await dropLeftScratch(deps.analytics)
    isTidy = true
    return (await runOnce(deps, kept)) !== null
  }
}

function scratchTablesOf({ analytics, runId }: AttributionDeps): ScratchTables {
  return createScratchTables({ analytics, name: runId })
}

/** What a process keeps from run to run. */
interface Kept {
  tables: ScratchTables
  storeHas: ReturnType<typeof createStoreHas>
}

function keptOf(deps: AttributionDeps): Kept {
  return { tables: scratchTablesOf(deps), storeHas: createStoreHas() }
}

interface Run {
  /** How many transactions the run has computed. */
  transactions: number
  progress: Progress
}

/** Takes one step of `Progress`. Null when there is nothing to do. */
async function runOnce(deps: AttributionDeps, kept: Kept): Promise<Run | null> {
  const { log } = deps
  const progress = progressOf(await log.committed(ATTRIBUTION_GROUP))
  const run = await (progress.phase === 'CREDITING'
    ? creditPart(kept.tables, deps.limits ?? ATTRIBUTION_LIMITS, progress)
    : takeNew(deps, kept, progress))
  if (run !== null) await log.reset(ATTRIBUTION_GROUP, commitsOf(run.progress))
  return run
}

/** Copies the new rows. In the phase FOLLOWING, it also computes the transactions that they affect. */
async function takeNew(deps: AttributionDeps, kept: Kept, { phase, done }: Progress): Promise<Run | null> {
  const { log, analytics, limits = ATTRIBUTION_LIMITS } = deps
  const stored = (await log.committed(SINK_GROUP)).filter(({ topic }) => isOfAttribution(topic))
  const bounds = { starts: await startsOf(analytics, stored, done), runOffsets: limits.runOffsets }
  const ranges = newRanges(stored, done, bounds)
  if (ranges.length === 0) return null
  const doneAfter = advanced(done, ranges)
  const version = versionOf(doneAfter)
  const newRows = newRowsIn(ranges)
  const transactions = await kept.tables.use(async (scratch, on) => {
    // In the phase COLLECTING nothing depends on which links are new.
    const news = await copyNew(on, scratch, newRows, { done: phase === 'FOLLOWING' ? versionOf(done) : null, version })
    if (phase !== 'FOLLOWING') return 0
    const { sliceTransactions: sliceSize, unaskedTransactions: unaskedMax } = limits
    const since = { rows: newRows, news, done: versionOf(done) }
    const place = { analytics: on, scratch, has: await kept.storeHas(on, since, version) }
    const scope = await findAffected(place, since, unaskedMax)
    await creditScope(place, scope, { version, sliceSize })
    return scope.transactions
  })
  if (phase === 'FOLLOWING') return { transactions, progress: { phase, done: doneAfter } }
  const isCaughtUp = newRanges(stored, doneAfter, bounds).length === 0
  if (!isCaughtUp) return { transactions: 0, progress: { phase: 'COLLECTING', done: doneAfter } }
  const [copied] = await analytics.query<Copied>(copiedSql)
  const parts = Math.ceil(copied!.lines / limits.partLines)
  const next = parts === 0 ? { phase: 'FOLLOWING' as const } : { phase: 'CREDITING' as const, part: 0, parts }
  return { transactions: 0, progress: { ...next, done: doneAfter } }
}

interface Copied {
  transactions: number
  lines: number
}

/** The first offset of every partition. Empty when attribution has begun with all of them. */
async function startsOf(analytics: Analytics, stored: readonly Commit[], done: readonly Commit[]): Promise<Position[]> {
  const isBegun = stored.every((commit) => placeIn(done, commit) !== undefined)
  return isBegun ? [] : await analytics.query<Position>(firstOffsetsSql)
}

/** Whether credit depends on a topic. */
export function isOfAttribution(topic: string): boolean {
  return (attributionTopics as readonly string[]).includes(topic)
}

/** Computes the transactions of one part of the people. Parts have nothing in common, so several processes could share them. */
async function creditPart(
  tables: ScratchTables,
  limits: AttributionLimits,
  progress: Progress & { phase: 'CREDITING' },
): Promise<Run> {
  const { part, parts, done } = progress
  const keys = { fromKey: startOfPart(part, parts), toKey: startOfPart(part + 1, parts) - 1 }
  const transactions = await tables.use(async (scratch, on) => {
    const place = { analytics: on, scratch, has: await readStoreHas(on) }
    const [copied] = await on.query<Copied>(copiedSql)
    const scope = await fillScope(place, transactionsOfKeysSql, keys)
    const sliceSize = Math.ceil((SLICE_SPREAD * limits.partSliceLines * copied!.transactions) / copied!.lines)
    const hasSlices = scope.transactions > sliceSize
    const gathered = hasSlices ? await gather(place, keys, limits.otherTouches) : undefined
    await creditScope(place, scope, { version: versionOf(done), sliceSize, gathered })
    if (hasSlices) await releaseGathered(place)
    return scope.transactions
  })
  const isLast = part + 1 >= parts
  return { transactions, progress: isLast ? { phase: 'FOLLOWING', done } : { ...progress, part: part + 1 } }
}

/**
 * Computes the credit of some people's transactions again from the current tables, and that of all whom links join with them. Call it
 * only while no other run is under way.
 * @param people SQL that selects shopId, cid.
 */
export async function creditPeople(deps: AttributionDeps, people: string): Promise<void> {
  const { log, limits = ATTRIBUTION_LIMITS } = deps
  const { phase, done } = progressOf(await log.committed(ATTRIBUTION_GROUP))
  // While COLLECTING they need no credit yet: they get it later, with the rest of the past.
  if (phase === 'COLLECTING') return
  const tables = scratchTablesOf(deps)
  try {
    await tables.use(async (scratch, on) => {
      const place = { analytics: on, scratch, has: await readStoreHas(on) }
      await fillPeople(place, people)
      const scope = await fillScope(place, transactionsOfPeopleSql(scratch))
      await creditScope(place, scope, { version: versionOf(done), sliceSize: limits.sliceTransactions })
    })
  } finally {
    await tables.drop()
  }
}

function startOfPart(part: number, parts: number): number {
  return Math.floor((part * PERSON_KEYS) / parts)
}

/** How far attribution is behind the sink, for each partition that the sink has stored records of. */
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
      const from = placeIn(done, { topic, partition })?.offset ?? 0
      return [{ topic, partition, from, end }]
    })
    return measure(stretches)
  })
}
