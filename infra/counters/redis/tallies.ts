import type { IdFingerprint } from '../fingerprint.ts'

/**
 * Tallies lie in blocks: strings of entries that are only appended, so that a batch costs Redis one command a block, and all blocks
 * are read by one MGET. An entry is 40 bits of the fingerprint, the number of the counter (8 bits) and an amount (16 bits); a counter
 * is the sum of its entries. store.lua adds up a block that has grown. It makes a block of many counters wide: the block becomes a
 * hash, whose fields are the fingerprint and number of each counter, and whose values are the sums.
 */
export const ENTRY_BYTES = 8
const FIELD_BYTES = 6

export function entriesOf(block: Buffer): DataView {
  return new DataView(block.buffer, block.byteOffset, block.length)
}

/** Adds up the counters of an id in its block. @param sums gets the sums, from index `first` on. */
export function addTallies(entries: DataView, { low, high }: IdFingerprint, sums: Float64Array, first: number): void {
  const last = high & 0xff
  for (let at = 0; at < entries.byteLength; at += ENTRY_BYTES) {
    if (entries.getInt32(at, true) === low && entries.getUint8(at + 4) === last) {
      sums[first + entries.getUint8(at + 5)]! += entries.getUint16(at + 6, true)
    }
  }
}

/** The field of a counter in a wide block. */
export function wideField({ low, high }: IdFingerprint, count: number): Buffer {
  const field = Buffer.allocUnsafe(FIELD_BYTES)
  field.writeInt32LE(low, 0)
  field.writeUInt16LE((high & 0xff) | (count << 8), 4)
  return field
}
