import { type Analytics, AnalyticsRejected, type Fence } from '../../infra/analytics/port.ts'
import type { LogRecord } from '../../infra/event-log/port.ts'
import type { DeadRecord } from '../runtime/outcome.ts'
import type { StoredTopic } from './rows.ts'
import { type TableRows, tableRowsOf } from './table-rows.ts'

/** Rows of one batch that the store may refuse. More of them, and it is the table that is wrong, not the rows. */
const REJECTED_ROWS_MAX = 100

/** What one partition holds from `first` to `last`, to be stored together. */
export interface SinkBatch {
  topic: StoredTopic
  partition: number
  first: number
  last: number
  records: LogRecord[]
  /** Under which it is stored; those before may store nothing any more. */
  epoch: number
}

export function fenceOf({ topic, partition, epoch }: Pick<SinkBatch, 'topic' | 'partition' | 'epoch'>): Fence {
  return { scope: `${topic}/${partition}`, epoch }
}

/**
 * Stores a batch of which nothing is stored yet.
 * @returns the records that cannot be stored.
 * @throws AnalyticsUnavailable, AnalyticsFenced: any part of it may have been stored.
 */
export function storeBatch(analytics: Analytics, batch: SinkBatch): Promise<DeadRecord[]> {
  return storeTables(batch, (rows) => insertRows(analytics, batch, rows, [...rows.offsets.keys()]))
}

/**
 * Stores what is missing of a batch. Only once no earlier epoch can store anything.
 * @returns, @throws as `storeBatch`.
 */
export function storeMissing(analytics: Analytics, batch: SinkBatch): Promise<DeadRecord[]> {
  return storeTables(batch, async (rows) =>
    insertRows(analytics, batch, rows, await missingRows(analytics, batch, rows, [...rows.offsets.keys()])),
  )
}

async function storeTables(batch: SinkBatch, store: (rows: TableRows) => Promise<DeadRecord[]>): Promise<DeadRecord[]> {
  const { tables, dead } = await tableRowsOf(batch)
  for (const rows of tables) dead.push(...(await store(rows)))
  return dead
}

/** One block; when the store refuses it, halves of it, down to the rows at fault. */
async function insertRows(
  analytics: Analytics,
  batch: SinkBatch,
  { table, offsets, blockOf }: TableRows,
  rows: readonly number[],
): Promise<DeadRecord[]> {
  const dead: DeadRecord[] = []
  const queue = [rows]
  for (let some = queue.pop(); some !== undefined; some = queue.pop()) {
    if (some.length === 0) continue
    try {
      await analytics.insert(table, blockOf(some), { fence: fenceOf(batch) })
    } catch (error) {
      if (!(error instanceof AnalyticsRejected) || dead.length === REJECTED_ROWS_MAX) throw error
      if (some.length === 1) {
        dead.push({ offset: offsets[some[0]!]!, code: 'REJECTED', message: error.message })
        continue
      }
      // A block of two months is two to the store, which may have refused the second alone.
      const left = await missingRows(analytics, batch, { table, offsets }, some)
      const half = left.length >> 1
      queue.push(left.slice(half), left.slice(0, half))
    }
  }
  return dead
}

async function missingRows(
  analytics: Analytics,
  { topic, partition, first, last }: SinkBatch,
  { table, offsets }: Pick<TableRows, 'table' | 'offsets'>,
  rows: readonly number[],
): Promise<number[]> {
  const found = await analytics.query<{ _offset: number }>(
    `SELECT DISTINCT _offset FROM ${table}
     WHERE _topic = {topic:String} AND _partition = {partition:Int32} AND _offset BETWEEN {first:Int64} AND {last:Int64}`,
    { topic, partition, first, last },
  )
  const stored = new Set(found.map(({ _offset }) => _offset))
  return rows.filter((row) => !stored.has(offsets[row]!))
}
