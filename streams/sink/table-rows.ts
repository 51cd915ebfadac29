import type { RowBlock } from '../../infra/analytics/port.ts'
import type { Batch } from '../../infra/event-log/port.ts'
import { type RecordName, topics } from '../../schemas/topics.ts'
import { decode, encode, headerOf, isOfCurrentSchema, UndecodableRecord } from '../../schemas/wire/codec.ts'
import { type DeadRecord, decodeBatch } from '../runtime/pipeline/outcome.ts'
import { inSlices } from '../runtime/slices.ts'
import { RowBinaryWriter } from './row-binary.ts'
import type { RowPlan } from './row-plan.ts'
import { type ExtractTable, type RecordTable, type StoredTopic, tablesOf } from './rows.ts'

/** The rows that one table gets from a batch. A row is identified by its index. */
export interface TableRows {
  table: string
  /** For each row, the offset of the record that it comes from. */
  offsets: readonly number[]
  /** The block to insert for some of the rows. Their indices must ascend. */
  blockOf(rows: readonly number[]): readonly object[] | RowBlock
}

type Records = Omit<Batch, 'assignment'> & { topic: StoredTopic }

/** A row takes about this much: the place of the record, and the bytes of the record and a fifth more. */
const PLACE_BYTES = 64
const ROW_GROWTH = 1.2
const PLACE_COLUMNS = [
  { name: '_topic', type: 'String' },
  { name: '_partition', type: 'Int32' },
  { name: '_offset', type: 'Int64' },
]

/** The rows of a batch, and the records that do not decode as a record of their topic. None of these topics has tombstones. */
export async function tableRowsOf(batch: Records): Promise<{ tables: TableRows[]; dead: DeadRecord[] }> {
  const tables: readonly (RecordTable | ExtractTable)[] = tablesOf[batch.topic]
  const [first] = tables
  if (first && 'plan' in first) return binaryRows(batch, first)
  const { records, dead } = decodeBatch(batch)
  return { tables: (tables as readonly ExtractTable[]).map((each) => extractedRows(each, records)), dead }
}

function extractedRows({ table, rowOf }: ExtractTable, records: Parameters<ExtractTable['rowOf']>[0][]): TableRows {
  const rows = records.flatMap((record) => {
    const row = rowOf(record)
    return row ? [{ row, offset: record.offset }] : []
  })
  return { table, offsets: rows.map(({ offset }) => offset), blockOf: (some) => some.map((index) => rows[index]!.row) }
}

/** Makes rows directly from the records' bytes. */
async function binaryRows({ topic, partition, records }: Records, { table, plan }: RecordTable) {
  const name = topics[topic].record
  const writer = new RowBinaryWriter(records.reduce((sum, { value }) => sum + PLACE_BYTES + sizeOf(value), 0))
  const offsets: number[] = []
  const ends: number[] = []
  const dead: DeadRecord[] = []
  await inSlices(records, ({ offset, value }) => {
    if (value === null) return
    const start = writer.length
    const writePlace = () => {
      writer.cutTo(start)
      writer.string(topic)
      writer.int32(partition)
      writer.int64(offset)
    }
    try {
      writeRow(writer, { name, plan, value, writePlace })
      offsets.push(offset)
      ends.push(writer.length)
    } catch (error) {
      writer.cutTo(start)
      if (!(error instanceof UndecodableRecord)) throw error
      dead.push({ offset, code: 'UNDECODABLE', message: error.message })
    }
  })
  const bytes = writer.bytes()
  const columns = [...PLACE_COLUMNS, ...plan.columns]
  const bytesOf = (rows: readonly number[]) =>
    rows.length === ends.length
      ? bytes
      : Buffer.concat(rows.map((row) => bytes.subarray(ends[row - 1] ?? 0, ends[row])))
  const blockOf = (rows: readonly number[]): RowBlock => ({ columns, length: rows.length, bytes: bytesOf(rows) })
  return { tables: [{ table, offsets, blockOf }], dead }
}

/**
 * A record that the writer refuses is decoded: it has an older schema, was written by another encoder, or is invalid.
 * @throws UndecodableRecord
 */
function writeRow(
  writer: RowBinaryWriter,
  row: { name: RecordName; plan: RowPlan; value: Uint8Array; writePlace: () => void },
): void {
  const { name, plan, value, writePlace } = row
  const from = headerOf(name).length
  writePlace()
  if (isOfCurrentSchema(name, value) && writer.record(plan.fields, value, from)) return
  const current = encode(name, decode(name, value))
  writePlace()
  if (!writer.record(plan.fields, current, from)) throw new Error(`A ${name} that was encoded here has no row`)
}

function sizeOf(value: Uint8Array | null): number {
  return value === null ? 0 : Math.ceil(value.length * ROW_GROWTH)
}
