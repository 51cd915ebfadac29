const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The spelling under which the service knows an id: case makes no difference to a UUID (RFC 9562, section 4). */
export function canonicalId(id: string): string {
  return UUID.test(id) ? id.toLowerCase() : id
}

/** How many ids of one millisecond keep their order: the 12 bits of rand_a. */
const COUNTER_MAX = 0xfff

/**
 * Makes UUIDs of version 7 (RFC 9562, section 5.7, with the counter of section 6.2, method 1): sorted by their text they
 * are in the order in which they were made, even when the clock steps back. 62 bits of each are random.
 */
export function createUuid(deps: { now: () => number; randomBytes: (size: number) => Buffer }): () => string {
  let lastMs = -1
  let counter = 0
  return () => {
    const ms = Math.max(deps.now(), lastMs)
    counter = ms === lastMs ? counter + 1 : 0
    lastMs = ms
    if (counter > COUNTER_MAX) {
      lastMs++
      counter = 0
    }
    const bytes = deps.randomBytes(16)
    bytes.writeUIntBE(lastMs, 0, 6)
    bytes.writeUInt16BE(0x7000 | counter, 6)
    bytes[8] = 0x80 | (bytes[8]! & 0x3f)
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  }
}
