import type { Analytics } from '../infra/analytics/port.ts'
import { AnalyticsRejected } from '../infra/analytics/port.ts'
import type { LogRecord } from '../infra/event-log/port.ts'
import { type DeadRecord, type DecodedRecord, decodeBatch } from './outcome.ts'
import { type StoredTopic, type TableRows, tablesOf } from './rows.ts'

/** Rows of one batch that the store may refuse. More of them, and it is the table that is wrong, not the rows. */
const REJECTED_ROWS_MAX = 100

/** Consecutive records of one partition that are stored together. Which they are is settled before they are stored. */
export interface SinkBatch {
  topic: StoredTopic
  partition: number
  records: LogRecord[]
  /** Counts rebuilds, so that a block stored again after its table was dropped is not taken for a repetition. */
  epoch: number
}

type PlacedRow = object & { _offset: number }

/**
 * Stores a batch, once however often it is called with the same records and epoch.
 * @returns the records that cannot be stored.
 * @throws AnalyticsUnavailable
 */
export async function storeBatch(analytics: Analytics, batch: SinkBatch): Promise<DeadRecord[]> {
  const { records, dead } = decodeBatch(batch)
  for (const table of tablesOf[batch.topic]) {
    dead.push(...(await insertRows(analytics, batch, table.table, rowsOf(table, records))))
  }
  return dead
}

/**
 * Stores a batch that a crash left in doubt. The store writes a block's token down just before the block itself, so a
 * crash between the two leaves a token that stands for nothing: what is missing is stored under another token.
 */
export async function storeBatchAgain(analytics: Analytics, batch: SinkBatch): Promise<DeadRecord[]> {
  const dead = await storeBatch(analytics, batch)
  const lost = new Set(dead.map(({ offset }) => offset))
  const { records } = decodeBatch(batch)
  for (const table of tablesOf[batch.topic]) {
    const stored = await storedOffsets(analytics, table.table, batch)
    const missing = rowsOf(table, records).filter(({ _offset }) => !stored.has(_offset) && !lost.has(_offset))
    if (missing.length > 0) await insertRows(analytics, batch, table.table, missing, '/missing')
  }
  return dead
}

function rowsOf({ rowOf }: TableRows, records: DecodedRecord<unknown>[]): PlacedRow[] {
  return records.map(rowOf).filter((row) => row !== null) as PlacedRow[]
}

/** One block; when the store refuses it, halves of it, down to the rows at fault. The same rows are cut the same way. */
async function insertRows(
  analytics: Analytics,
  batch: SinkBatch,
  table: string,
  rows: PlacedRow[],
  suffix = '',
): Promise<DeadRecord[]> {
  const dead: DeadRecord[] = []
  const queue = [rows]
  for (let block = queue.pop(); block !== undefined; block = queue.pop()) {
    if (block.length === 0) continue
    const token = `${batch.topic}/${batch.partition}/${block[0]!._offset}-${block.at(-1)!._offset}/${batch.epoch}${suffix}`
    try {
      await analytics.insert(table, block, { token })
    } catch (error) {
      if (!(error instanceof AnalyticsRejected) || dead.length === REJECTED_ROWS_MAX) throw error
      const half = block.length >> 1
      if (half === 0) dead.push({ offset: block[0]!._offset, code: 'REJECTED', message: error.message })
      else queue.push(block.slice(half), block.slice(0, half))
    }
  }
  return dead
}

async function storedOffsets(analytics: Analytics, table: string, batch: SinkBatch): Promise<Set<number>> {
  const rows = await analytics.query<{ _offset: number }>(
    `SELECT DISTINCT _offset FROM ${table}
     WHERE _topic = {topic:String} AND _partition = {partition:Int32} AND _offset BETWEEN {first:Int64} AND {last:Int64}`,
    {
      topic: batch.topic,
      partition: batch.partition,
      first: batch.records[0]!.offset,
      last: batch.records.at(-1)!.offset,
    },
  )
  return new Set(rows.map(({ _offset }) => _offset))
}
