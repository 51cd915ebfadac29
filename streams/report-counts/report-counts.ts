import type { Analytics } from '../../infra/analytics/port.ts'
import {
  type ChangedListedCell,
  changedListedSql,
  listedParams,
  type NewQuarter,
  newQuartersSql,
} from '../../infra/analytics/queries/listed-cells.ts'
import {
  type CellSource,
  type StoredTime,
  storedTimeSql,
  type UncountedCell,
  uncountedCellsQuery,
} from '../../infra/analytics/queries/report-cells.ts'
import { type CellsToCount, recountStatements } from '../../infra/analytics/queries/report-recount.ts'
import { readClosedUntil } from '../../infra/analytics/retention/closed-months.ts'
import type { Commit, EventLog } from '../../infra/event-log/port.ts'
import { DAY_MS } from '../../schemas/durations.ts'
import { chunksBySize, chunksOf } from '../../services/domain/chunks.ts'
import type { Entity, Snapshot } from '../../services/domain/snapshot.ts'
import type { Cell } from '../../services/domain/time/local-cells.ts'
import { newRanges, newRowsIn } from '../attribution/ranges.ts'
import { SINK_GROUP } from '../sink/offset-metadata.ts'
import { dueAt, type PendingCell, PendingCells } from './pending-cells.ts'
import { cellsOfQuarters, shopCells } from './shop-cells.ts'

/** The time span and the number of shops that one look covers, so that its answer stays short. */
const LOOK_MS = 40 * DAY_MS
const LOOK_SHOPS = 50
/** By how much looks overlap and go beyond what is stored, so that each local day of a shop is completely within one of them. */
const BESIDE_MS = 2 * DAY_MS
/** Quarters of an hour with new rows that are noted one by one. If there are as many, everything stored is looked over instead. */
const NEW_QUARTERS_MAX = 50_000
/** Cells that are looked at together. */
const CELLS_ASKED = 2_000
/** Rows that one statement counts, unless one cell has more. */
const STATEMENT_ROWS = 500_000
/** A turn ends after it has counted this many rows, which shows others that it is alive. */
const TURN_ROWS = 5_000_000
const SOURCES: readonly CellSource[] = ['EVENTS', 'EMISSIONS']
/** The topics whose rows are counted. */
const TOPICS: readonly string[] = ['judged-events', 'corrections', 'emissions']

/** A part of what is stored that is looked over at once: some shops in a time span. */
interface Look {
  shops: readonly Entity<'Shop'>[]
  time: Cell
}

export interface ReportCountsDeps {
  log: Pick<EventLog, 'committed'>
  analytics: Analytics
  snapshot: Snapshot
  /** UTC epoch milliseconds. */
  now: () => number
}

/**
 * Keeps `report_counts`: counts the hours and days of shops when they are over, and again when more rows of them have come. Everything
 * stored of a shop is looked over when the shop is first seen, and when its time zone changes. From then on, the rows that the sink
 * has stored since the last turn tell which cells have changed.
 *
 * Reports read raw rows for every cell whose count is missing or stale, so nothing here is urgent: a turn that stops part-way is simply
 * repeated. Two processes that count at once do the same work twice.
 * @returns a turn, which resolves to whether there is more to do at once.
 */
export function createReportCounts({ log, analytics, snapshot, now }: ReportCountsDeps): () => Promise<boolean> {
  const pending = new PendingCells()
  /** The offsets before which new rows are noted; null before the first turn. */
  let readTo: readonly Commit[] | null = null
  /** The looks that are still to be done, the latest time last. */
  let unlooked: Look[] = []
  /** The time zones of the shops that have been looked over, or will be. */
  let zones: ReadonlyMap<string, string> = new Map()

  async function noteNew(): Promise<void> {
    const stored = (await log.committed(SINK_GROUP)).filter(({ topic }) => TOPICS.includes(topic))
    const found = readTo === null ? [] : await readNewQuarters(stored, readTo)
    const shops = [...snapshot.allEver('Shop')]
    const others = shops.filter(({ id, body }) => zones.get(id) !== body.timeZone)
    if (found === null) unlooked = await readLooks(shops)
    else if (others.length > 0) unlooked = [...unlooked, ...(await readLooks(others))]
    for (const cell of cellsOfQuarters(snapshot, found ?? [])) pending.note(cell)
    readTo = stored
    zones = new Map(shops.map(({ id, body }) => [id, body.timeZone]))
  }

  /** The quarters of an hour with new rows. Null when they are too many to list. */
  async function readNewQuarters(stored: readonly Commit[], done: readonly Commit[]): Promise<NewQuarter[] | null> {
    const sql = newQuartersSql(newRowsIn(newRanges(stored, done)))
    const found = sql ? await analytics.query<NewQuarter>(sql, { max: NEW_QUARTERS_MAX }) : []
    return found.length < NEW_QUARTERS_MAX ? found : null
  }

  /** The looks that cover everything stored of some shops. */
  async function readLooks(shops: readonly Entity<'Shop'>[]): Promise<Look[]> {
    const rows = await Promise.all(SOURCES.map((source) => analytics.query<StoredTime>(storedTimeSql(source))))
    const first = Math.min(...rows.flatMap(([row]) => row?.from ?? [])) - BESIDE_MS
    const last = Math.max(...rows.flatMap(([row]) => row?.to ?? [])) + BESIDE_MS
    const looks: Look[] = []
    for (let end = last; end > first; end -= LOOK_MS - BESIDE_MS) {
      const time = { start: Math.max(end - LOOK_MS, first), end }
      for (const some of chunksOf(shops, LOOK_SHOPS)) looks.push({ shops: some, time })
    }
    return looks.reverse()
  }

  async function lookOver({ shops, time }: Look): Promise<void> {
    const query = uncountedCellsQuery(SOURCES, shopCells(shops, time), await readClosedUntil(analytics))
    const found = query ? await analytics.query<UncountedCell>(query.sql, query.params) : []
    for (const { source, grain, shopId, startAt, endAt } of found)
      pending.note({ source, grain, shopId, startAt, endAt })
  }

  /** @param cells of one source and grain. @returns how many rows it has counted. */
  async function countDue(cells: readonly PendingCell[], at: number): Promise<number> {
    const { source, grain } = cells[0]!
    // The rows of closed months are gone.
    const closedUntil = source === 'EMISSIONS' ? await readClosedUntil(analytics) : Number.NEGATIVE_INFINITY
    const open = cells.filter(({ startAt }) => startAt >= closedUntil)
    const changed = await analytics.query<ChangedListedCell>(changedListedSql(source, grain), listedParams(open))
    const { due = [], later = [] } = Object.groupBy(changed, (cell) =>
      dueAt(cell, cell.lastCountedAt) <= at ? 'due' : 'later',
    )
    for (const some of chunksBySize(due, ({ storedRows }) => storedRows, STATEMENT_ROWS)) {
      await count(analytics, { source, grain, cells: some }, at)
    }
    for (const cell of cells) pending.forget(cell)
    for (const { shopId, startAt, endAt, lastCountedAt } of later) {
      pending.postpone({ source, grain, shopId, startAt, endAt }, dueAt({ endAt }, lastCountedAt))
    }
    return due.reduce((sum, { storedRows }) => sum + storedRows, 0)
  }

  return async () => {
    const at = now()
    await noteNew()
    let rows = 0
    for (const ofKind of Map.groupBy(pending.due(at), ({ source, grain }) => `${source} ${grain}`).values()) {
      for (const cells of chunksOf(ofKind, CELLS_ASKED)) {
        rows += await countDue(cells, at)
        if (rows >= TURN_ROWS) return true
      }
    }
    const look = unlooked.at(-1)
    if (look === undefined) return false
    await lookOver(look)
    unlooked.pop()
    return true
  }
}

async function count(analytics: Analytics, { source, grain, cells }: CellsToCount, at: number): Promise<void> {
  for (const { sql, params } of recountStatements({ source, grain, cells })) await analytics.command(sql, params)
  const rows = cells.map(({ shopId, startAt, endAt, storedRows }) => {
    return { source, grain, shopId, startAt, endAt, storedRows, countedAt: at }
  })
  const { shopId, startAt } = cells[0]!
  await analytics.insert('report_cells', rows, { token: `${source} ${grain} ${shopId} ${startAt} ${at}` })
}
