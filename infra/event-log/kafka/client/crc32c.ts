/** Castagnoli polynomial, bits reversed. */
const POLYNOMIAL = 0x82f63b78
const STEP = 8

/** Table k holds the checksum of each byte followed by k zero bytes, so that eight bytes are taken at once. */
const tables = makeTables()

function makeTables(): Uint32Array[] {
  const first = Uint32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1
    return crc
  })
  const all = [first]
  for (let k = 1; k < STEP; k++) all.push(all[k - 1]!.map((crc) => (crc >>> 8) ^ first[crc & 0xff]!))
  return all
}

/** CRC-32C of bytes from `start` to the end, as Kafka's record batches carry it (RFC 3720, appendix B.4). */
export function crc32c(bytes: Buffer, start = 0): number {
  const [t0, t1, t2, t3, t4, t5, t6, t7] = tables as [
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ]
  let crc = -1
  let at = start
  for (const end = bytes.length - STEP; at <= end; at += STEP) {
    crc ^= bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
    crc =
      t7[crc & 0xff]! ^
      t6[(crc >>> 8) & 0xff]! ^
      t5[(crc >>> 16) & 0xff]! ^
      t4[crc >>> 24]! ^
      t3[bytes[at + 4]!]! ^
      t2[bytes[at + 5]!]! ^
      t1[bytes[at + 6]!]! ^
      t0[bytes[at + 7]!]!
  }
  for (; at < bytes.length; at++) crc = t0[(crc ^ bytes[at]!) & 0xff]! ^ (crc >>> 8)
  return ~crc >>> 0
}
