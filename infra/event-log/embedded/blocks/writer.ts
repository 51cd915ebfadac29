import type { DatabaseSync } from 'node:sqlite'
import { partitionOf } from '../../partitioner.ts'
import type { Partition, Partitions } from '../database.ts'
import { eachAppend, type RecordSlice } from '../frame.ts'

/** Limits of a block, so that reading from its middle stays cheap. */
const BLOCK_MAX_RECORDS = 1_000
const BLOCK_MAX_BYTES = 256 * 1024

interface OpenBlock {
  firstOffset: number
  parts: Buffer[]
  bytes: number
}

/**
 * Appends within the open transaction, which must end with `finish` or `abandon`. Records of a retained topic that
 * are committed together share blocks; each record of a compacted topic is a row, so that it can be removed when superseded.
 */
export interface BlockWriter {
  /** @returns partition and offset of each record, in turn. */
  append(frame: Buffer): Float64Array<ArrayBuffer>
  /** Writes the blocks that are still open; call before COMMIT. */
  finish(): void
  /** Call after COMMIT: the new ends become visible. @returns the partitions that have grown. */
  committed(): Partition[]
  /** Call after ROLLBACK. */
  abandon(): void
}

export function createBlockWriter(database: DatabaseSync, partitions: Partitions, now: () => number): BlockWriter {
  const insert = database.prepare(
    `INSERT INTO blocks (partition_id, first_offset, last_offset, appended_at, key, is_tombstone, bytes)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const setEnd = database.prepare('UPDATE partitions SET next_offset = ? WHERE id = ?')
  const grown = new Set<Partition>()
  const open = new Map<Partition, OpenBlock>()
  let appendedAt = 0
  let spread = 0

  function choose({ topic, key, keyIsNull }: RecordSlice): Partition {
    const choices = partitions[topic]
    if (choices.length === 1) return choices[0]!
    return choices[keyIsNull ? spread % choices.length : partitionOf(key, choices.length)]!
  }

  function writeBlock(partition: Partition, block: OpenBlock): void {
    const lastOffset = block.firstOffset + block.parts.length - 1
    const bytes = block.parts.length === 1 ? block.parts[0]! : Buffer.concat(block.parts, block.bytes)
    insert.run(partition.id, block.firstOffset, lastOffset, appendedAt, null, 0, bytes)
  }

  function add(partition: Partition, offset: number, part: Buffer): void {
    let block = open.get(partition)
    if (block && (block.parts.length === BLOCK_MAX_RECORDS || block.bytes + part.length > BLOCK_MAX_BYTES)) {
      writeBlock(partition, block)
      block = undefined
    }
    if (!block) {
      block = { firstOffset: offset, parts: [], bytes: 0 }
      open.set(partition, block)
    }
    block.parts.push(part)
    block.bytes += part.length
  }

  return {
    append(frame) {
      if (grown.size === 0) appendedAt = now()
      spread += 1
      const positions: number[] = []
      for (const record of eachAppend(frame)) {
        const partition = choose(record)
        const offset = partition.pendingEnd++
        const part = frame.subarray(record.start, record.end)
        grown.add(partition)
        if (partition.compacted) {
          insert.run(partition.id, offset, offset, appendedAt, record.key, record.valueIsNull ? 1 : 0, part)
        } else add(partition, offset, part)
        positions.push(partition.partition, offset)
      }
      return Float64Array.from(positions)
    },
    finish() {
      for (const [partition, block] of open) writeBlock(partition, block)
      for (const partition of grown) setEnd.run(partition.pendingEnd, partition.id)
    },
    committed() {
      const done = [...grown]
      for (const partition of done) partition.end = partition.pendingEnd
      grown.clear()
      open.clear()
      return done
    },
    abandon() {
      for (const partition of grown) partition.pendingEnd = partition.end
      grown.clear()
      open.clear()
    },
  }
}
