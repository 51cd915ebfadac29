import { type Analytics, AnalyticsGaveUp } from '../../infra/analytics/port.ts'
import {
  type Links,
  linksSql,
  lookupRowsSql,
  lostCopiesSql,
  sharedLinksStatements,
} from '../../infra/analytics/queries/attribution/lookup-losses.ts'
import { copiedTables, linkTables } from '../../infra/analytics/queries/attribution/lookups.ts'
import { readEndedUntil } from '../../infra/analytics/retention/ended-identifiers.ts'
import type { Commit } from '../../infra/event-log/port.ts'
import type { NextTurn } from '../runtime/periodic.ts'
import type { StreamLogger } from '../runtime/stream.ts'
import { ATTRIBUTION_GROUP, type AttributionDeps } from './attribution.ts'
import { progressOf } from './progress.ts'

/** By then, the first turns of a new leader have completed what the last one left half done. */
const CONFIRMING_PAUSE_MS = 15_000

/** Rows that a look-up table lacks: at least so many. */
export interface LookupLoss {
  table: string
  rows: number
}

export interface LookupLossesDeps extends Pick<AttributionDeps, 'log' | 'analytics'> {
  /** Runs work while attribution does not run. */
  exclusively: <T>(work: () => Promise<T>) => Promise<T>
  logger: Pick<StreamLogger, 'warn' | 'error'>
}

export interface LookupLosses {
  /** Looks once. */
  turn(): Promise<NextTurn>
  /** Call it after each turn of attribution. After a failure, the store may have restarted without some of its parts. */
  attributed(hasSucceeded: boolean): void
}

/**
 * Notices that look-up tables have lost rows, and has them filled again: ClickHouse drops parts that it finds damaged when it starts,
 * and so does this program (`infra/analytics/mending.ts`).
 *
 * A look asks how many rows each table has, which costs nothing. It compares the tables with the sink's only when this process has
 * not done so yet, when attribution has failed since, and when a table has fewer rows than at the last look. A loss counts when two
 * comparisons in a row find it: by then what may have been half done is completed (a run of attribution or an erasure whose process
 * died). Then attribution begins again with its first phase, which copies everything and then computes all credit. What it cannot copy,
 * because the sink's rows are gone, a table of links gets from the other one.
 */
export function createLookupLosses(deps: LookupLossesDeps): LookupLosses {
  const { log, analytics, exclusively, logger } = deps
  let isDue = true
  let works = true
  let rowsBefore: Readonly<Record<string, number>> = {}
  let suspected: readonly string[] = []
  /** Whether tables were filled again since the last comparison that found nothing. */
  let isFilledAgain = false

  async function compare(): Promise<void> {
    const { phase, done } = progressOf(await log.committed(ATTRIBUTION_GROUP))
    if (phase !== 'FOLLOWING') return
    const found = await findLookupLosses(analytics, done).catch((error) => {
      // What is too much for the store is not asked for over and over.
      if (error instanceof AnalyticsGaveUp) isDue = false
      throw error
    })
    const losses = found.filter(({ table }) => suspected.includes(table))
    suspected = found.map(({ table }) => table)
    isDue = found.length > 0
    if (found.length === 0) isFilledAgain = false
    if (losses.length > 0) await fillAgain(losses)
  }

  async function fillAgain(losses: readonly LookupLoss[]): Promise<void> {
    suspected = []
    if (isFilledAgain) {
      isDue = false
      logger.error({ losses }, 'look-up tables lack rows even after they were filled again')
      return
    }
    logger.warn({ losses }, 'look-up tables have lost rows; they are filled again, and all credit is computed again')
    if (losses.some(({ table }) => isLinkTable(table))) {
      for (const statement of sharedLinksStatements) await analytics.command(statement)
    }
    await log.reset(ATTRIBUTION_GROUP, null)
    isFilledAgain = true
  }

  return {
    async turn() {
      const [rows] = await analytics.query<Record<string, number>>(lookupRowsSql)
      if (Object.entries(rows!).some(([table, count]) => count < (rowsBefore[table] ?? 0))) isDue = true
      rowsBefore = rows!
      if (isDue && works) await exclusively(compare)
      return suspected.length > 0 && { pauseMs: CONFIRMING_PAUSE_MS }
    },
    attributed(hasSucceeded) {
      works = hasSucceeded
      if (!hasSucceeded) isDue = true
    },
  }
}

const isLinkTable = (table: string): boolean => (linkTables as readonly string[]).includes(table)

/**
 * The look-up tables that lack rows. Call it only while attribution does not run.
 * @param done up to which offsets rows are copied.
 */
export async function findLookupLosses(analytics: Analytics, done: readonly Commit[]): Promise<LookupLoss[]> {
  const endedUntil = await readEndedUntil(analytics)
  const losses: LookupLoss[] = []
  for (const [table, { topic }] of Object.entries(copiedTables)) {
    const commits = done.filter((commit) => commit.topic === topic)
    if (commits.length === 0) continue
    const places = {
      partitions: commits.map(({ partition }) => partition),
      offsets: commits.map(({ offset }) => offset),
    }
    const [found] = await analytics.query<{ lost: number }>(lostCopiesSql(table), { ...places, endedUntil })
    losses.push({ table, rows: found!.lost })
  }
  return [...losses, ...(await lostLinks(analytics, endedUntil))].filter(({ rows }) => rows > 0)
}

/** Each table of links should have what the other one has. If both have as many pairs and others, both have lost some. */
async function lostLinks(analytics: Analytics, endedUntil: number): Promise<LookupLoss[]> {
  const read = async (table: (typeof linkTables)[number]) =>
    (await analytics.query<Links>(linksSql(table), { endedUntil }))[0]!
  const [uidTable, cidTable] = linkTables
  // One after the other: each reads all links, and nobody waits.
  const byUid = await read(uidTable)
  const byCid = await read(cidTable)
  if (byUid.hash === byCid.hash) return []
  const difference = byCid.pairs - byUid.pairs
  return [
    { table: uidTable, rows: difference === 0 ? 1 : difference },
    { table: cidTable, rows: difference === 0 ? 1 : -difference },
  ]
}
