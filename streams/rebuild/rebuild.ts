import type { Analytics } from '../../infra/analytics/port.ts'
import { endingTables, isLinkTable } from '../../infra/analytics/queries/people/ended-identifiers.ts'
import { TABLE_NAME } from '../../infra/analytics/queries/system/tables.ts'
import { type CompleteSince, completeSince } from '../../infra/analytics/retention/complete-since.ts'
import { readEndedUntil, settledUntilOf } from '../../infra/analytics/retention/ended-identifiers.ts'
import type { EventLog } from '../../infra/event-log/port.ts'
import { ATTRIBUTION_GROUP, attribute } from '../attribution/attribution.ts'
import { runToEnd } from '../runtime/run-to-end.ts'
import type { StreamLogger } from '../runtime/stream.ts'
import { fenceOf } from '../sink/batch.ts'
import { restoreSinkCommits, TablesOfAnotherLog } from '../sink/lost-commits.ts'
import { decodeOffsetMetadata, encodeOffsetMetadata, laterEpoch, SINK_GROUP } from '../sink/offset-metadata.ts'
import { storedTopics } from '../sink/rows.ts'
import { createSink } from '../sink/sink.ts'
import { REBUILDING } from './replacement-table.ts'
import { type Fingerprint, type TableProof, tableProof } from './table-proof.ts'

export interface RebuildDeps {
  log: EventLog
  analytics: Analytics
  /** Creates the tables that are missing. */
  migrate: (analytics: Analytics) => Promise<unknown>
  /** UTC epoch milliseconds. */
  now: () => number
  /** Makes a name that no other run of attribution has. */
  runId: () => string
  logger: StreamLogger
}

/** Not a projection: it says which epochs of a partition may no longer store anything. */
const FENCES_TABLE = 'fences'
/** Counts of what was stored before the sink began to count. A sink that starts over counts everything itself. */
const COUNTED_TABLE = 'counted_ranges'
/** Not made from records of the log. */
const FORGOTTEN_TABLE = 'forgotten_rows'
const ENDED_TABLE = 'ended_identifiers'
const IDENTITY_TABLE = 'store_identity'
/** Tables that a rebuild does not drop. */
const KEPT_TABLES: readonly string[] = [FENCES_TABLE, ENDED_TABLE, IDENTITY_TABLE]
/** What attribution computes. */
const LINES_TABLES = ['attributed_lines', 'credited_lines']

/**
 * Drops every table of Analytics except fences, the store's identity and the lines of settled purchases, makes them again from the log, and
 * compares. Call it only while no sink and no attribution run. After a crash, run it again: it then compares with what was left. Until
 * then, no sink stores anything.
 */
export async function rebuildAnalytics(deps: RebuildDeps): Promise<TableProof[]> {
  const { log, analytics, migrate, now } = deps
  if (!(await wasEnded(log)) && (await areOfThisLog(deps))) await catchUp(deps)
  const endedUntil = await readEndedUntil(analytics)
  const since = comparedSince(await completeSince({ analytics, now }), endedUntil)
  const before = await fingerprints(analytics, since)
  const release = await rewindSink(deps)
  await log.reset(ATTRIBUTION_GROUP, null)
  for (const table of await tablesIn(analytics)) {
    await analytics.command(
      LINES_TABLES.includes(table) && endedUntil > 0 ? unsettledSql(table, endedUntil) : `DROP TABLE ${table} SYNC`,
    )
  }
  await migrate(analytics)
  await release()
  await catchUp(deps)
  const after = await fingerprints(analytics, since)
  return [...new Set([...before.keys(), ...after.keys()])].map((table) => ({
    ...tableProof(table, before.get(table) ?? NO_TABLE, after.get(table) ?? NO_TABLE),
    ...(Number.isFinite(since(table)) && { comparedFrom: new Date(since(table)).toISOString() }),
  }))
}

/** Settled lines stay: attribution would credit them by what holds now, and could not where the log has forgotten the touches. */
const unsettledSql = (table: string, endedUntil: number) =>
  `ALTER TABLE ${table} DELETE WHERE occurredAt >= ${settledUntilOf(endedUntil)} SETTINGS mutations_sync = 1`

/**
 * The time since which the rows of a table can be compared. Where identifiers had ended, the log brings them back; links are then those
 * of everybody, so they are not compared at all.
 */
function comparedSince(completeSince: CompleteSince, endedUntil: number): CompleteSince {
  if (endedUntil === 0) return completeSince
  return (table) => {
    if (isLinkTable(table)) return Number.POSITIVE_INFINITY
    const isNamingAgain = endingTables.includes(table) && !LINES_TABLES.includes(table)
    return isNamingAgain ? Math.max(completeSince(table), endedUntil) : completeSince(table)
  }
}

/** Stores and credits everything that the log holds. */
async function catchUp({ log, analytics, now, runId, logger }: RebuildDeps): Promise<void> {
  const sink = createSink({ log, analytics, now, logger })
  await runToEnd(sink)
  while ((await attribute({ log, analytics, runId })) !== null) {
    // A run takes only a part of a long log.
  }
}

/** Whether an earlier rebuild was ended while it dropped tables. What is left of them is not what the sink's commits say. */
async function wasEnded(log: EventLog): Promise<boolean> {
  return (await log.committed(SINK_GROUP)).some((commit) => decodeOffsetMetadata(commit).areTablesDropped)
}

/** Whether the tables can be completed from the log: not if they hold rows of another one. */
async function areOfThisLog(deps: RebuildDeps): Promise<boolean> {
  try {
    await restoreSinkCommits(deps)
    return true
  } catch (error) {
    if (!(error instanceof TablesOfAnotherLog)) throw error
    return false
  }
}

/**
 * Sets the sink back to the start of each partition, under a new epoch, so that what a frozen sink may still send is refused.
 * @returns allows a sink to store again: call it when the tables are empty.
 */
async function rewindSink({ log, analytics, now }: RebuildDeps): Promise<() => Promise<void>> {
  const commits = await log.committed(SINK_GROUP)
  const epoch = laterEpoch(commits, now())
  const starts = storedTopics.map(async (topic) =>
    (await log.bounds(topic)).map(({ partition, start }) => ({ topic, partition, offset: start })),
  )
  const places = (await Promise.all(starts)).flat()
  async function rewind(state: { areTablesDropped?: boolean }): Promise<void> {
    const metadata = encodeOffsetMetadata({ epoch, pendingLast: null, ...state })
    await log.reset(
      SINK_GROUP,
      places.map((place) => ({ ...place, metadata })),
    )
  }
  await rewind({ areTablesDropped: true })
  await analytics.raiseFences(places.map(({ topic, partition }) => fenceOf({ topic, partition, epoch })))
  return () => rewind({})
}

const NO_TABLE: Fingerprint = { rows: 0, hash: '' }

/**
 * The tables to drop, in order. The list of migrations comes first, so that a start makes the tables again that were dropped before
 * the process was ended.
 */
async function tablesIn(analytics: Analytics): Promise<string[]> {
  const tables = await analytics.query<{ name: string }>(
    `SELECT ${TABLE_NAME} AS name FROM system.tables
     WHERE database = currentDatabase() AND engine != 'Distributed' ORDER BY name != 'migrations', name`,
  )
  return tables.map(({ name }) => name).filter((name) => !KEPT_TABLES.includes(name))
}

/**
 * The fingerprint of what a reader sees in each table, in any order and in all columns but `version`. Left out are views, scratch
 * tables, fences, the list of migrations, tables that forget rows by themselves, and what signals, phrase lifts, reports and the
 * audit count from other tables. Of a table that has forgotten rows or identifiers, only the rows from then on are included.
 */
async function fingerprints(analytics: Analytics, since: CompleteSince): Promise<Map<string, Fingerprint>> {
  const found = new Map<string, Fingerprint>()
  const tables = await analytics.query<{ name: string; final: string }>(
    `SELECT ${TABLE_NAME} AS name, if(match(engine, '^(Replicated)?(Replacing|Aggregating)'), 'FINAL', '') AS final
     FROM system.tables
     WHERE database = currentDatabase() AND engine NOT IN ('View', 'Distributed') AND name NOT IN {others:Array(String)}
       AND NOT match(name, '^(attribution|signal|phrase|report)_|^${REBUILDING}') AND name != '${COUNTED_TABLE}'
       AND create_table_query NOT LIKE '% TTL %' ORDER BY name`,
    { others: ['migrations', FORGOTTEN_TABLE, ...KEPT_TABLES] },
  )
  for (const { name, final } of tables.filter((each) => since(each.name) !== Number.POSITIVE_INFINITY)) {
    const from = Number.isFinite(since(name)) ? `WHERE occurredAt >= ${since(name)}` : ''
    const [fingerprint] = await analytics.query<Fingerprint>(
      `SELECT count() AS rows, lower(leftPad(hex(sum(cityHash64(row))), 16, '0')) AS hash FROM (
         SELECT formatRowNoNewline('JSONEachRow', COLUMNS('^') EXCEPT (version)) AS row FROM ${name} ${final} ${from})`,
    )
    found.set(name, fingerprint!)
  }
  return found
}
