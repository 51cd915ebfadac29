import type { Analytics } from '../../infra/analytics/port.ts'
import {
  type CellSource,
  type StoredTime,
  storedTimeSql,
  type UncountedCell,
  uncountedCellsQuery,
} from '../../infra/analytics/queries/report-cells.ts'
import { recountStatements } from '../../infra/analytics/queries/report-recount.ts'
import { readClosedUntil } from '../../infra/analytics/retention/closed-months.ts'
import type { EventLog } from '../../infra/event-log/port.ts'
import type { Snapshot } from '../../services/domain/snapshot.ts'
import { CELL_STEP_MS, type Cell } from '../../services/domain/time/local-cells.ts'
import { SINK_GROUP } from '../sink/offset-metadata.ts'
import { shopCells } from './shop-cells.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** A cell is first counted so long after its end, when most of what is late has come. */
const SETTLE_MS = 5 * 60_000
/** A cell that has changed is counted again when it is twice as old as when it was last counted, or after this. */
const RECOUNT_PAUSE_MAX_MS = 6 * HOUR_MS
/** Events are at most 7 days late. */
const LATE_MAX_MS = 8 * DAY_MS
/** All that is stored is looked over this often: corrections may be of any time, and so may history that is imported. */
const FULL_LOOK_PAUSE_MS = HOUR_MS
/** Time that one look takes in, so that its lists stay short. */
const LOOK_MS = 100 * DAY_MS
/** Rows that one statement counts, unless one cell has more. */
const STATEMENT_ROWS = 500_000
const STATEMENT_CELLS_MAX = 200
/** Rows that one turn counts, after which it lets others know that it is alive. */
const TURN_ROWS = 5_000_000
const SOURCES: readonly CellSource[] = ['EVENTS', 'EMISSIONS']
/** The topics whose rows are counted. */
const TOPICS: readonly string[] = ['judged-events', 'corrections', 'emissions']

export interface ReportCountsDeps {
  log: Pick<EventLog, 'committed'>
  analytics: Analytics
  snapshot: Snapshot
  /** UTC epoch milliseconds. */
  now: () => number
}

/**
 * Keeps `report_counts`: counts hours and days of the shops when they are over, and again when rows of them have come since. What is
 * not counted as it is stored, reports read from the rows themselves; so nothing here is urgent, and a turn that stops anywhere is
 * repeated. Two processes that count at once do the same work twice.
 * @returns a turn, which resolves to whether there is more to do at once.
 */
export function createReportCounts({ log, analytics, snapshot, now }: ReportCountsDeps): () => Promise<boolean> {
  /** What the last turn that found nothing to do has looked at. */
  let lookedAt: string | null = null
  let lookedOverAt = Number.NEGATIVE_INFINITY

  async function readBasis(at: number): Promise<string> {
    const stored = (await log.committed(SINK_GROUP)).filter(({ topic }) => TOPICS.includes(topic))
    const positions = stored.map(({ topic, partition, offset }) => `${topic}/${partition}/${offset}`).sort()
    return [...positions, Math.floor(at / CELL_STEP_MS)].join(' ')
  }

  /** The times to look at, the latest first. */
  async function readTimes(at: number, isFull: boolean): Promise<Cell[]> {
    const end = at - SETTLE_MS
    if (!isFull) return [{ start: end - LATE_MAX_MS, end }]
    const stored = await Promise.all(SOURCES.map((source) => analytics.query<StoredTime>(storedTimeSql(source))))
    const starts = stored.flatMap(([row]) => row?.from ?? [])
    const first = Math.min(...starts) - DAY_MS
    const times: Cell[] = []
    for (let to = end; to > first; to -= LOOK_MS - DAY_MS) times.push({ start: Math.max(to - LOOK_MS, first), end: to })
    return times
  }

  async function readDue(time: Cell, at: number): Promise<UncountedCell[]> {
    const closedUntil = await readClosedUntil(analytics)
    const query = uncountedCellsQuery(SOURCES, shopCells(snapshot, time), closedUntil)
    const cells = query ? await analytics.query<UncountedCell>(query.sql, query.params) : []
    // The rows of closed months are gone.
    const isOpen = ({ source, startAt }: UncountedCell) => source !== 'EMISSIONS' || startAt >= closedUntil
    return cells.filter((cell) => isOpen(cell) && isDue(cell, at))
  }

  return async () => {
    const at = now()
    const basis = await readBasis(at)
    const isFull = at - lookedOverAt >= FULL_LOOK_PAUSE_MS
    if (!isFull && basis === lookedAt) return false
    let rows = 0
    for (const time of await readTimes(at, isFull)) {
      for (const statement of inStatements(await readDue(time, at))) {
        await count(analytics, statement, at)
        rows += sumOfRows(statement)
        if (rows >= TURN_ROWS) return true
      }
    }
    if (isFull) lookedOverAt = at
    lookedAt = basis
    return false
  }
}

async function count(analytics: Analytics, cells: readonly UncountedCell[], at: number): Promise<void> {
  const { source, grain, shopId } = cells[0]!
  const times = cells.map(({ startAt, endAt, storedRows }) => ({ start: startAt, end: endAt, storedRows }))
  for (const { sql, params } of recountStatements({ source, grain, shopId, cells: times })) {
    await analytics.command(sql, params)
  }
  const rows = cells.map(({ lastCountedAt: _, ...cell }) => ({ ...cell, countedAt: at }))
  await analytics.insert('report_cells', rows, { token: `${source} ${grain} ${shopId} ${cells[0]!.startAt} ${at}` })
}

function isDue({ endAt, lastCountedAt }: UncountedCell, at: number): boolean {
  if (lastCountedAt === 0) return true
  return at - lastCountedAt >= Math.min(Math.max(lastCountedAt - endAt, SETTLE_MS), RECOUNT_PAUSE_MAX_MS)
}

/** @param cells by source, grain and shop, and in each in the order of time. */
function inStatements(cells: readonly UncountedCell[]): UncountedCell[][] {
  const statements: UncountedCell[][] = []
  let rows = 0
  for (const cell of cells) {
    const last = statements.at(-1)
    const fits = last && last.length < STATEMENT_CELLS_MAX && rows + cell.storedRows <= STATEMENT_ROWS
    const first = last?.[0]
    if (fits && first?.source === cell.source && first.grain === cell.grain && first.shopId === cell.shopId) {
      last.push(cell)
      rows += cell.storedRows
    } else {
      statements.push([cell])
      rows = cell.storedRows
    }
  }
  return statements
}

const sumOfRows = (cells: readonly UncountedCell[]): number =>
  cells.reduce((sum, { storedRows }) => sum + storedRows, 0)
