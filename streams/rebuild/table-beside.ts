import type { Analytics } from '../../infra/analytics/port.ts'
import { endedInSql, isNamingTable } from '../../infra/analytics/queries/people/ended-identifiers.ts'
import { readClosedUntil } from '../../infra/analytics/retention/closed-months.ts'
import { readEndedUntil } from '../../infra/analytics/retention/ended-identifiers.ts'
import type { EventLog, Position } from '../../infra/event-log/port.ts'
import type { Erasures } from '../../services/domain/erasure/erasures.ts'
import { OperatorError } from '../../services/domain/errors.ts'
import { createErasuresReader } from '../erasure/erasures-reader.ts'
import { readPages } from '../runtime/pages.ts'
import { fenceOf, storeMissingIn } from '../sink/batch.ts'
import { decodeOffsetMetadata, SINK_GROUP } from '../sink/offset-metadata.ts'
import { type StoredTopic, storedTopics, tablesOf } from '../sink/rows.ts'
import { beginReplacement, type Places, type TableReplacement } from './replacement-table.ts'
import { compareTables } from './table-compare.ts'
import type { TableProof } from './table-proof.ts'

/** The topic of each table that the sink fills. */
export const topicsByTable: ReadonlyMap<string, StoredTopic> = new Map(
  storedTopics.flatMap((topic) => tablesOf[topic].map(({ table }) => [table, topic] as const)),
)

const PAGE_RECORDS = 10_000
/** What the sink has stored meanwhile is read in further rounds, until a round has few enough records or there were enough rounds. */
const LEFT_MAX = 20_000
const CATCH_UPS_MAX = 10
const SAY_EVERY_RECORDS = 500_000

/** The tables that report counts are made from. */
const COUNTED_TABLES = ['judged_events', 'event_corrections', 'emissions']

/** Thrown when a table cannot be rebuilt now because of an erasure. The old table serves on; try again later. */
export class RebuildRefused extends OperatorError {
  override readonly name = 'RebuildRefused'
}

export interface TableBesideDeps {
  log: EventLog
  analytics: Analytics
  /** Whether the new table serves even when it differs from the old one. */
  replaces: boolean
  say: (line: string) => void
  /** UTC epoch milliseconds. */
  now: () => number
}

/**
 * Rebuilds a table next to the one that serves, and exchanges the two when they are equal. Rows that are older than what the log holds
 * are copied. What the log holds is read from it, as far as the sink has stored it. What the sink stores meanwhile is copied while
 * its inserts are paused for the exchange. docs/exactly-once.md says why nothing is lost or doubled. If somebody was erased from the
 * old table meanwhile, the new one may still name the person, so it does not come to serve.
 * @throws RebuildRefused while people are being erased, or when somebody was erased meanwhile.
 */
export async function rebuildTableBeside(table: string, deps: TableBesideDeps): Promise<TableProof> {
  const { log, analytics, replaces, say, now } = deps
  const readErasures = createErasuresReader(log)
  const erasures = await readErasures()
  refuseBeside(erasures)
  const erasedBefore = namesOf(erasures)
  const topic = topicsByTable.get(table)!
  const scopes = (await log.bounds(topic)).map(({ partition }) => fenceOf({ topic, partition, epoch: 0 }).scope)
  const fenceSink = async () => {
    const commits = (await log.committed(SINK_GROUP)).filter((each) => each.topic === topic)
    const next = commits.map((commit) => decodeOffsetMetadata(commit).epoch + 1)
    await analytics.raiseFences(commits.map(({ partition }, at) => fenceOf({ topic, partition, epoch: next[at]! })))
  }
  const replacement = await beginReplacement({ analytics, table, scopes, fenceSink, now, say })

  const starts = new Map((await log.bounds(topic)).map(({ partition, start }) => [partition, start]))
  const copied = await replacement.copyBefore(starts)
  say(`${table}: ${copied} rows are copied, because the log no longer has their records.`)

  const ends = await fillFromLog(topic, { replacement, starts, log, analytics, say })
  // The log still names people whose identifiers have ended in the table.
  const endedUntil = await readEndedUntil(analytics)
  if (endedUntil > 0 && isNamingTable(table)) await analytics.command(endedInSql(replacement.table, table, endedUntil))
  const compared = await compareTables(analytics, table, replacement.table, ends)
  let isOutdated = false
  const { proof, exchanged } = await replacement.exchange(ends, async () => {
    const proof = await compared()
    isOutdated = namesOf(await readErasures()) !== erasedBefore
    return { proof, agreed: !isOutdated && (proof.equal || replaces) }
  })
  if (isOutdated) throw new RebuildRefused(`${table}: a person was erased in the meantime. Run this again.`)
  if (exchanged && !proof.equal && COUNTED_TABLES.includes(table)) await countAnew(analytics)
  say(
    exchanged
      ? `${table}: the new table is in use; the one before is removed.`
      : `${table}: the new table differs from the one before, and is dropped. The one before stays in use. With REPLACE=yes ` +
          'the new one is used nevertheless.',
  )
  return proof
}

/**
 * Has all report counts made again, except those of closed months, which have no rows left to count. The old ones must go: a count
 * replaces only counts of the same groups, made from as many rows or fewer. Reports read the rows of cells that are not noted as
 * counted, so the notes go first, and once more at the end, because a count that was under way may have noted some.
 */
async function countAnew(analytics: Analytics): Promise<void> {
  const closedUntil = await readClosedUntil(analytics)
  const drop = (table: string, isOfEvents: string) =>
    analytics.command(
      closedUntil === Number.NEGATIVE_INFINITY
        ? `TRUNCATE TABLE ${table}`
        : `ALTER TABLE ${table} DELETE WHERE ${isOfEvents} OR startAt >= ${closedUntil} SETTINGS mutations_sync = 1`,
    )
  const dropNotes = () => drop('report_cells', "source = 'EVENTS'")
  await dropNotes()
  await drop('report_counts', "fact = 'event'")
  await dropNotes()
}

function refuseBeside(erasures: Erasures): void {
  const waiting = erasures.active().filter(({ erasedAt }) => erasedAt === null).length
  if (waiting === 0) return
  throw new RebuildRefused(
    `Erasures that are under way: ${waiting}. Run this again when the panel shows them as erased.`,
  )
}

const namesOf = (erasures: Erasures) =>
  erasures
    .all()
    .map(({ id }) => id)
    .join()

/** Stores the records of the log from `starts` on, as far as the sink has stored them. @returns how far that is. */
async function fillFromLog(
  topic: StoredTopic,
  {
    replacement,
    starts,
    log,
    analytics,
    say,
  }: Pick<TableBesideDeps, 'log' | 'analytics' | 'say'> & { replacement: TableReplacement; starts: Places },
): Promise<Places> {
  const { of: table, table: into, fence } = replacement
  let from = starts
  let records = 0
  for (let round = 0; ; round++) {
    const to = placesOf(topic, await log.committed(SINK_GROUP), from)
    let left = 0
    for (const [partition, first] of from) {
      for await (const page of readPages(log, topic, partition, {
        from: first,
        to: to.get(partition)!,
        pageRecords: PAGE_RECORDS,
      })) {
        const batch = { topic, partition, first: page[0]!.offset, last: page.at(-1)!.offset, records: page, epoch: 0 }
        await storeMissingIn(analytics, batch, { table, into, fence })
        left += page.length
        if (
          Math.floor((records + left) / SAY_EVERY_RECORDS) >
          Math.floor((records + left - page.length) / SAY_EVERY_RECORDS)
        )
          say(`${table}: ${records + left} records read from the log.`)
      }
    }
    records += left
    from = to
    if (left <= LEFT_MAX || round === CATCH_UPS_MAX) {
      say(`${table}: ${records} records read from the log.`)
      return to
    }
  }
}

/** The offset before which the sink has certainly stored everything of each partition; its start where the sink has not begun. */
function placesOf(topic: StoredTopic, commits: readonly Position[], starts: Places): Places {
  const stored = new Map(
    commits.filter((each) => each.topic === topic).map(({ partition, offset }) => [partition, offset]),
  )
  return new Map([...starts].map(([partition, start]) => [partition, Math.max(start, stored.get(partition) ?? start)]))
}
