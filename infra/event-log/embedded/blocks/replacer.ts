import type { DatabaseSync } from 'node:sqlite'
import type { Replacement } from '../../port.ts'
import type { Partition } from '../database.ts'
import { endOfRecord, packRecord } from '../frame.ts'

interface StoredBlock {
  id: number
  first_offset: number
  last_offset: number
  bytes: Uint8Array
}

/**
 * Replaces records of a retained topic within their blocks; the other records of a block stay byte for byte. Call it in a
 * transaction. Records that retention has removed meanwhile are skipped.
 */
export function createBlockReplacer(database: DatabaseSync) {
  const blockAt = database.prepare(
    `SELECT id, first_offset, last_offset, bytes FROM blocks
     WHERE partition_id = ? AND first_offset <= ? AND last_offset >= ? ORDER BY first_offset DESC LIMIT 1`,
  )
  const update = database.prepare('UPDATE blocks SET bytes = ? WHERE id = ?')

  return function replace(partition: Partition, records: readonly Replacement[]): void {
    if (partition.compacted) throw new Error(`Records of ${partition.topic} are replaced by their keys`)
    const waiting = records.toSorted((a, b) => a.offset - b.offset)
    while (waiting.length > 0) {
      const { offset } = waiting[0]!
      const block = blockAt.get(partition.id, offset, offset) as StoredBlock | undefined
      const inBlock = waiting.filter((each) => each.offset <= (block?.last_offset ?? offset))
      waiting.splice(0, inBlock.length)
      if (block) update.run(withReplaced(block, inBlock), block.id)
    }
  }
}

function withReplaced(block: StoredBlock, records: readonly Replacement[]): Buffer {
  const bytes = Buffer.from(block.bytes.buffer, block.bytes.byteOffset, block.bytes.byteLength)
  const byOffset = new Map(records.map((record) => [record.offset, record]))
  const parts: Buffer[] = []
  let at = 0
  for (let offset = block.first_offset; offset <= block.last_offset; offset++) {
    const end = endOfRecord(bytes, at)
    const replacement = byOffset.get(offset)
    parts.push(replacement ? packRecord(replacement.key, replacement.value) : bytes.subarray(at, end))
    at = end
  }
  return Buffer.concat(parts)
}
