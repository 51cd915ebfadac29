import { type Analytics, AnalyticsRejected, type Fence, isBlock, type RowBlock } from '../../infra/analytics/port.ts'
import { readClosedUntil } from '../../infra/analytics/retention/closed-months.ts'
import type { LogRecord } from '../../infra/event-log/port.ts'
import { decode } from '../../schemas/wire/codec.ts'
import type { DeadRecord } from '../runtime/pipeline/outcome.ts'
import type { StoredTopic } from './rows.ts'
import { type TableRows, tableRowsOf } from './table-rows.ts'

/** How many rows of one batch the store may reject. If it rejects more, it is the table that is wrong, not the rows. */
const REJECTED_ROWS_MAX = 100

/** The records of one partition from offset `first` to `last`, which are stored together. */
export interface SinkBatch {
  topic: StoredTopic
  partition: number
  first: number
  last: number
  records: LogRecord[]
  /** The epoch under which the batch is stored. Earlier epochs of the partition may no longer store anything. */
  epoch: number
}

/** The outcome of storing a batch. */
export interface StoredRows {
  /** How many rows the batch has, without the rejected ones. */
  rows: number
  /** The records that cannot be stored. */
  dead: DeadRecord[]
}

/** A batch on its way into the tables. */
interface Storing {
  batch: SinkBatch
  tables: TableRows[]
  /** Records that do not decode as a record of their topic. */
  dead: DeadRecord[]
  /** Records whose row the store rejects. */
  rejected: DeadRecord[]
}

export function fenceOf({ topic, partition, epoch }: Pick<SinkBatch, 'topic' | 'partition' | 'epoch'>): Fence {
  return { scope: `${topic}/${partition}`, epoch }
}

/**
 * Stores batches of which nothing is stored yet, each of a different partition, with one insert per table.
 * @throws AnalyticsUnavailable, AnalyticsFenced: any part of any batch may have been stored.
 */
export async function storeBatches(analytics: Analytics, batches: readonly SinkBatch[]): Promise<StoredRows[]> {
  const storing: Storing[] = []
  for (const batch of batches) storing.push({ batch, rejected: [], ...(await tableRowsOf(batch)) })
  const parts = storing.flatMap((of) => of.tables.map((rows) => ({ of, rows })))
  for (const [table, ofTable] of Map.groupBy(parts, ({ rows }) => rows.table)) {
    const blocks = ofTable.map(({ rows }) => rows.blockOf([...rows.offsets.keys()]))
    try {
      await analytics.insert(table, joined(blocks), { fences: ofTable.map(({ of }) => fenceOf(of.batch)) })
    } catch (error) {
      if (!(error instanceof AnalyticsRejected)) throw error
      for (const { of, rows } of ofTable) of.rejected.push(...(await insertMissing(analytics, of.batch, rows)))
    }
  }
  return storing.map(storedRows)
}

/**
 * Stores the rows of a batch that are missing. Call it only once no earlier epoch can store anything.
 * @throws as `storeBatches`.
 */
export async function storeMissing(analytics: Analytics, batch: SinkBatch): Promise<StoredRows> {
  const storing: Storing = { batch, rejected: [], ...(await tableRowsOf(batch)) }
  for (const rows of storing.tables) storing.rejected.push(...(await insertMissing(analytics, batch, rows)))
  return storedRows(storing)
}

/**
 * Stores the rows that a batch has for `table` in `into`, a table of the same columns, where they are missing there.
 * @throws as `storeBatches`.
 */
export async function storeMissingIn(
  analytics: Analytics,
  batch: SinkBatch,
  { table, into, fence }: { table: string; into: string; fence: Fence },
): Promise<void> {
  const { tables } = await tableRowsOf(batch)
  for (const rows of tables) {
    if (rows.table === table) await insertMissing(analytics, batch, { ...rows, table: into }, [fence])
  }
}

function storedRows({ tables, dead, rejected }: Storing): StoredRows {
  const rows = tables.reduce((sum, { offsets }) => sum + offsets.length, 0) - rejected.length
  return { rows, dead: [...dead, ...rejected] }
}

/** Joins blocks of one table into one. Takes at least one block. */
function joined(blocks: readonly (readonly object[] | RowBlock)[]): readonly object[] | RowBlock {
  const [first] = blocks
  if (blocks.length === 1) return first!
  const binary = blocks.filter((each) => isBlock(each))
  if (binary.length === 0) return (blocks as readonly (readonly object[])[]).flat()
  return {
    columns: binary[0]!.columns,
    length: binary.reduce((sum, { length }) => sum + length, 0),
    bytes: new Uint8Array(Buffer.concat(binary.map(({ bytes }) => bytes))),
  }
}

/**
 * Inserts the rows that are neither stored nor dropped since (`closed-months.ts`), as one block. When the store rejects a block, its
 * two halves are tried, and so on down to the single rows at fault.
 * @returns the records of those rows.
 */
async function insertMissing(
  analytics: Analytics,
  batch: SinkBatch,
  { table, offsets, blockOf }: TableRows,
  fences: readonly Fence[] = [fenceOf(batch)],
): Promise<DeadRecord[]> {
  const dead: DeadRecord[] = []
  const kept = await keptRows(analytics, batch, offsets)
  const queue = [await missingRows(analytics, batch, { table, offsets }, kept)]
  for (let some = queue.pop(); some !== undefined; some = queue.pop()) {
    if (some.length === 0) continue
    try {
      await analytics.insert(table, blockOf(some), { fences })
    } catch (error) {
      if (!(error instanceof AnalyticsRejected) || dead.length === REJECTED_ROWS_MAX) throw error
      if (some.length === 1) {
        dead.push({ offset: offsets[some[0]!]!, code: 'REJECTED', message: error.message })
        continue
      }
      // The store splits a block that spans two months, and may have stored the first part before it rejected the second.
      const left = await missingRows(analytics, batch, { table, offsets }, some)
      const half = left.length >> 1
      queue.push(left.slice(half), left.slice(0, half))
    }
  }
  return dead
}

/** The rows outside of closed months. Rows of closed months are missing because they were dropped. */
async function keptRows(
  analytics: Analytics,
  { topic, records }: SinkBatch,
  offsets: readonly number[],
): Promise<number[]> {
  const rows = [...offsets.keys()]
  const closedUntil = topic === 'emissions' ? await readClosedUntil(analytics) : Number.NEGATIVE_INFINITY
  if (closedUntil === Number.NEGATIVE_INFINITY) return rows
  const valueAt = new Map(records.map(({ offset, value }) => [offset, value]))
  return rows.filter((row) => decode('Emission', valueAt.get(offsets[row]!)!).occurredAt >= closedUntil)
}

async function missingRows(
  analytics: Analytics,
  { topic, partition, first, last }: SinkBatch,
  { table, offsets }: Pick<TableRows, 'table' | 'offsets'>,
  rows: readonly number[],
): Promise<number[]> {
  if (rows.length === 0) return []
  const found = await analytics.query<{ _offset: number }>(
    `SELECT DISTINCT _offset FROM ${table}
     WHERE _topic = {topic:String} AND _partition = {partition:Int32} AND _offset BETWEEN {first:Int64} AND {last:Int64}`,
    { topic, partition, first, last },
  )
  const stored = new Set(found.map(({ _offset }) => _offset))
  return rows.filter((row) => !stored.has(offsets[row]!))
}
