import { type Analytics, AnalyticsRejected, type Fence } from '../../infra/analytics/port.ts'
import type { LogRecord } from '../../infra/event-log/port.ts'
import { type DeadRecord, type DecodedRecord, decodeBatch } from '../runtime/outcome.ts'
import { type StoredTopic, type TableRows, tablesOf } from './rows.ts'

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

type PlacedRow = object & { _offset: number }

export function fenceOf({ topic, partition, epoch }: Pick<SinkBatch, 'topic' | 'partition' | 'epoch'>): Fence {
  return { scope: `${topic}/${partition}`, epoch }
}

/**
 * Stores a batch of which nothing is stored yet.
 * @returns the records that cannot be stored.
 * @throws AnalyticsUnavailable, AnalyticsFenced: any part of it may have been stored.
 */
export function storeBatch(analytics: Analytics, batch: SinkBatch): Promise<DeadRecord[]> {
  return storeTables(batch, (table, rows) => insertRows(analytics, batch, table, rows))
}

/**
 * Stores what is missing of a batch. Only once no earlier epoch can store anything.
 * @returns, @throws as `storeBatch`.
 */
export function storeMissing(analytics: Analytics, batch: SinkBatch): Promise<DeadRecord[]> {
  return storeTables(batch, async (table, rows) =>
    insertRows(analytics, batch, table, await missingRows(analytics, batch, table, rows)),
  )
}

async function storeTables(
  batch: SinkBatch,
  store: (table: string, rows: PlacedRow[]) => Promise<DeadRecord[]>,
): Promise<DeadRecord[]> {
  const { records, dead } = decodeBatch(batch)
  for (const table of tablesOf[batch.topic]) dead.push(...(await store(table.table, rowsOf(table, records))))
  return dead
}

function rowsOf({ rowOf }: TableRows, records: DecodedRecord<unknown>[]): PlacedRow[] {
  return records.map(rowOf).filter((row) => row !== null) as PlacedRow[]
}

/** One block; when the store refuses it, halves of it, down to the rows at fault. */
async function insertRows(
  analytics: Analytics,
  batch: SinkBatch,
  table: string,
  rows: PlacedRow[],
): Promise<DeadRecord[]> {
  const dead: DeadRecord[] = []
  const queue = [rows]
  for (let block = queue.pop(); block !== undefined; block = queue.pop()) {
    if (block.length === 0) continue
    try {
      await analytics.insert(table, block, { fence: fenceOf(batch) })
    } catch (error) {
      if (!(error instanceof AnalyticsRejected) || dead.length === REJECTED_ROWS_MAX) throw error
      if (block.length === 1) {
        dead.push({ offset: block[0]!._offset, code: 'REJECTED', message: error.message })
        continue
      }
      // A block of two months is two to the store, which may have refused the second alone.
      const left = await missingRows(analytics, batch, table, block)
      const half = left.length >> 1
      queue.push(left.slice(half), left.slice(0, half))
    }
  }
  return dead
}

async function missingRows(
  analytics: Analytics,
  batch: SinkBatch,
  table: string,
  rows: PlacedRow[],
): Promise<PlacedRow[]> {
  const { topic, partition, first, last } = batch
  const found = await analytics.query<{ _offset: number }>(
    `SELECT DISTINCT _offset FROM ${table}
     WHERE _topic = {topic:String} AND _partition = {partition:Int32} AND _offset BETWEEN {first:Int64} AND {last:Int64}`,
    { topic, partition, first, last },
  )
  const stored = new Set(found.map(({ _offset }) => _offset))
  return rows.filter(({ _offset }) => !stored.has(_offset))
}
