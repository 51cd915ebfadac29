import { v7 } from 'uuid'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The spelling that the service uses for an id: a UUID in lower case, since its case means nothing (RFC 9562, section 4). */
export function canonicalId(id: string): string {
  return UUID.test(id) ? id.toLowerCase() : id
}

const BLOCK_BYTES = 4096

/** Draws random bytes in blocks: asking the system for each id would cost more than all the rest of making the id. */
export function inBlocks(randomBytes: (size: number) => Buffer): (size: number) => Buffer {
  let block: Buffer = Buffer.alloc(0)
  let used = 0
  return (size) => {
    if (used + size > block.length) {
      block = randomBytes(Math.max(size, BLOCK_BYTES))
      used = 0
    }
    used += size
    return block.subarray(used - size, used)
  }
}

const SEQUENCE_MAX = 0xffff_ffff

/**
 * Makes UUIDs of version 7 (RFC 9562, section 5.7). Sorted as text, they are in the order in which they were made, even when
 * the clock steps back. The sequence number, which `uuid` writes after the time, starts at random in each millisecond.
 */
export function createUuid(deps: { now: () => number; randomBytes: (size: number) => Buffer }): () => string {
  let msecs = -1
  let seq = 0
  return () => {
    const random = deps.randomBytes(16)
    const now = deps.now()
    if (now > msecs) {
      msecs = now
      seq = random.readUInt32BE(6)
    } else if (seq === SEQUENCE_MAX) {
      msecs++
      seq = 0
    } else {
      seq++
    }
    return v7({ msecs, seq, random })
  }
}
