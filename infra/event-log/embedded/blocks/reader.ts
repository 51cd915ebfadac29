import type { DatabaseSync } from 'node:sqlite'
import type { Partition } from '../database.ts'
import { endOfRecord, type Run } from '../frame.ts'

/** A fetch ends with the record that reaches this size, so at least one record always fits. */
const FETCH_MAX_BYTES = 4 * 1024 * 1024

export interface BlockReader {
  /** First offset still held; the end of the partition when it is empty. */
  start(partition: Partition): number
  /** Records from an offset on, at most `maxRecords`, and the offset to read on from. */
  fetch(partition: Partition, from: number, maxRecords: number): { runs: Run[]; next: number }
  /** Records in [from, to). */
  count(partition: Partition, from: number, to: number): number
}

interface BlockRow {
  first_offset: number
  last_offset: number
  appended_at: number
  bytes: Uint8Array
}

export function createBlockReader(database: DatabaseSync): BlockReader {
  const first = database.prepare('SELECT min(first_offset) AS start FROM blocks WHERE partition_id = ?')
  // The block that holds the offset begins at or before it.
  const blocksFrom = database.prepare(
    `SELECT first_offset, last_offset, appended_at, bytes FROM blocks
     WHERE partition_id = :id AND last_offset >= :from AND first_offset >= coalesce(
       (SELECT max(first_offset) FROM blocks WHERE partition_id = :id AND first_offset <= :from), 0)
     ORDER BY first_offset`,
  )
  const rows = database.prepare(
    'SELECT count(*) AS records FROM blocks WHERE partition_id = ? AND first_offset >= ? AND first_offset < ?',
  )
  const start = (partition: Partition) => (first.get(partition.id) as { start: number | null }).start ?? partition.end

  return {
    start,
    fetch(partition, from, maxRecords) {
      const runs: Run[] = []
      let next = Math.max(from, 0)
      let left = maxRecords
      let bytes = 0
      if (left <= 0 || next >= partition.end) return { runs, next }
      for (const row of blocksFrom.iterate({ id: partition.id, from: next }) as Iterable<unknown>) {
        const run = cut(row as BlockRow, next, left, FETCH_MAX_BYTES - bytes)
        runs.push(run)
        next = run.firstOffset + run.records
        left -= run.records
        bytes += run.bytes.length
        if (left === 0 || bytes >= FETCH_MAX_BYTES) return { runs, next }
      }
      return { runs, next: partition.end }
    },
    count(partition, from, to) {
      if (partition.compacted) return (rows.get(partition.id, from, to) as { records: number }).records
      // A retained partition has no gaps between its start and its end.
      return Math.max(0, Math.min(to, partition.end) - Math.max(from, start(partition)))
    },
  }
}

/** The records of a block from an offset on: as many as the limits allow, but at least one. */
function cut(block: BlockRow, from: number, maxRecords: number, maxBytes: number): Run {
  const buffer = Buffer.from(block.bytes.buffer, block.bytes.byteOffset, block.bytes.byteLength)
  const firstOffset = Math.max(from, block.first_offset)
  let start = 0
  for (let offset = block.first_offset; offset < firstOffset; offset++) start = endOfRecord(buffer, start)
  const held = block.last_offset - firstOffset + 1
  if (held <= maxRecords && buffer.length - start <= maxBytes) {
    return { firstOffset, appendedAt: block.appended_at, records: held, bytes: buffer.subarray(start) }
  }
  let end = start
  let records = 0
  while (records < Math.min(held, maxRecords) && (records === 0 || end - start < maxBytes)) {
    end = endOfRecord(buffer, end)
    records += 1
  }
  return { firstOffset, appendedAt: block.appended_at, records, bytes: buffer.subarray(start, end) }
}
