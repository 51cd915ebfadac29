import type { Analytics } from '../../infra/analytics/port.ts'
import { type UncountedCell, uncountedCellsQuery } from '../../infra/analytics/queries/report-cells.ts'
import {
  closeQuarters,
  dropClosedRows,
  type Month,
  markClosed,
  monthOf,
  oldestMonth,
  readClosedUntil,
} from '../../infra/analytics/retention/closed-months.ts'
import type { EventLog, LogRecord } from '../../infra/event-log/port.ts'
import { DAY_MS, MINUTE_MS } from '../../schemas/durations.ts'
import { decode, UndecodableRecord } from '../../schemas/wire/codec.ts'
import type { Snapshot } from '../../services/domain/snapshot.ts'
import { SINK_GROUP } from '../sink/offset-metadata.ts'
import { shopCells } from './shop-cells.ts'

/** How late an ad request may reach the log. It waits for the log only in the memory of a process, for far less time. */
const LATE_MAX_MS = 8 * DAY_MS
/** A local day of a shop that overlaps a month is within this distance of it. */
const BESIDE_MS = 2 * DAY_MS
/** A month that cannot be closed yet is tried again after this. */
const LOOK_PAUSE_MS = 10 * MINUTE_MS

export interface EmissionRetentionDeps {
  log: Pick<EventLog, 'committed' | 'bounds' | 'read'>
  analytics: Analytics
  snapshot: Snapshot
  /** For how many days after a month's end its rows are kept; undefined: for ever. */
  days: number | undefined
  /** UTC epoch milliseconds. */
  now: () => number
}

export interface EmissionRetention {
  /** @returns whether there may be more to do at once. */
  turn(): Promise<boolean>
  /** For how long a month has been waiting to be closed, as of the last look; 0 when none is due. */
  overdueMs(): number
}

/**
 * Drops the rows of ad requests month by month, once reports can read the month from its counts: `closed-months.ts` has the steps. A
 * turn that stops part-way is repeated, and two processes at once do the same work twice.
 */
export function createEmissionRetention(deps: EmissionRetentionDeps): EmissionRetention {
  const { analytics, days, now } = deps
  let nextLookAt = Number.NEGATIVE_INFINITY
  /** Since when the oldest month has been due to be closed; null when it is not due. */
  let waitingSince: number | null = null

  async function turn(): Promise<boolean> {
    if (days === undefined) return false
    const at = now()
    const closedUntil = await readClosedUntil(analytics)
    await dropClosedRows(analytics, closedUntil)
    if (at < nextLookAt) return false
    const month = await oldestMonth(analytics, closedUntil)
    const dueAt = month === null ? Number.POSITIVE_INFINITY : month.end + days * DAY_MS
    nextLookAt = Math.min(Math.max(dueAt, at + LOOK_PAUSE_MS), at + DAY_MS)
    waitingSince = at < dueAt ? null : dueAt
    if (month === null || at < dueAt || !(await close(deps, month, closedUntil))) return false
    waitingSince = null
    await dropClosedRows(analytics, month.end)
    nextLookAt = at
    return true
  }

  return { turn, overdueMs: () => (waitingSince === null ? 0 : Math.max(0, now() - waitingSince)) }
}

/** @returns whether the month is closed now. */
async function close(deps: EmissionRetentionDeps, month: Month, closedUntil: number): Promise<boolean> {
  const { analytics, now } = deps
  const isCountedBy = (until: number) => isCounted(deps, { start: closedUntil, end: month.end }, until)
  if (!(await isStored(deps, month)) || !(await isCountedBy(closedUntil))) return false
  await closeQuarters(analytics, month)
  // Checked again by the quarters that were written down, because these stand for the rows from now on.
  if (!(await isCountedBy(month.end))) return false
  await markClosed(analytics, month, now())
  return true
}

/** Whether the sink has stored every ad request of a month: in each partition the next record is of a later time, or there is none. */
async function isStored({ log }: EmissionRetentionDeps, { end }: Month): Promise<boolean> {
  const commits = (await log.committed(SINK_GROUP)).filter(({ topic }) => topic === 'emissions')
  for (const { partition, start, end: logEnd } of await log.bounds('emissions')) {
    const next = Math.max(start, commits.find((commit) => commit.partition === partition)?.offset ?? start)
    const [waiting] = next < logEnd ? await log.read('emissions', partition, next, 1) : []
    if (waiting && happenedAt(waiting) < end + LATE_MAX_MS) return false
  }
  return true
}

function happenedAt({ value, appendedAt }: LogRecord): number {
  try {
    return value === null ? appendedAt : decode('Emission', value).occurredAt
  } catch (error) {
    if (error instanceof UndecodableRecord) return appendedAt
    throw error
  }
}

/**
 * Whether the counts of all hours and days that begin in a time span agree with the stored rows, even if they end after it. Those that
 * begin in a closed month can no longer be counted.
 */
async function isCounted(
  { analytics, snapshot }: EmissionRetentionDeps,
  { start, end }: { start: number; end: number },
  closedUntil: number,
): Promise<boolean> {
  const from = Math.max(start, monthOf(end - 1).start - BESIDE_MS)
  const cells = shopCells(snapshot.allEver('Shop'), { start: from - BESIDE_MS, end: end + BESIDE_MS })
  const query = uncountedCellsQuery(['EMISSIONS'], cells, closedUntil)
  const uncounted = query ? await analytics.query<UncountedCell>(query.sql, query.params) : []
  return !uncounted.some(({ startAt }) => startAt >= from && startAt < end)
}
