import type { AdKind, ShowIdClaims } from '../records/events.ts'

/**
 * Avro binary of `schemas/wire/show-id-claims.avsc`, coded by hand: six UUIDs cost avsc 6 µs a record, and this code 1 µs.
 * A test compares it with avsc, byte for byte.
 *
 *     int, long  zigzag varint          string  long byte length, then UTF-8
 *     boolean    1 byte                 union   long branch (0 null, 1 string), then the value
 *     enum       int                    fixed   its 16 bytes
 */
const KINDS: readonly AdKind[] = ['SPONSORED', 'DISPLAY']
export const UUID_BYTES = 16
/** A length of up to this takes a varint of one byte. */
const ONE_BYTE_LENGTH_MAX = 63

/**
 * Writes claims to the start of a buffer and returns where they end.
 * @throws RangeError when they do not fit, or an id is not a UUID.
 */
export function writeClaims(claims: ShowIdClaims, into: Buffer): number {
  let at = writeLong(KINDS.indexOf(claims.kind), into, 0)
  at = writeUuid(claims.requestId, into, at)
  at = writeUuid(claims.shopId, into, at)
  at = writeUuid(claims.slotHash, into, at)
  at = writeUuid(claims.adUnitId, into, at)
  at = writeUuid(claims.campaignId, into, at)
  at = writeUuid(claims.accountId, into, at)
  at = writeString(claims.adId, into, at)
  at = writeOptional(claims.itemGroupId, into, at)
  at = writeString(claims.cid, into, at)
  at = writeOptional(claims.uid, into, at)
  at = writeString(claims.algorithm, into, at)
  at = writeLong(claims.position, into, at)
  at = writeLong(claims.priceMicros, into, at)
  at = writeString(claims.currency, into, at)
  into[at++] = claims.autoPromo ? 1 : 0
  at = writeOptional(claims.country, into, at)
  at = writeLong(claims.emittedAt, into, at)
  // Writes past the end of a Buffer are dropped silently; only the position shows them.
  if (at > into.length) throw new RangeError('The claims of this ad do not fit into a showId')
  return at
}

/** Reads claims that fill a buffer exactly; null otherwise. */
export function readClaims(bytes: Buffer): ShowIdClaims | null {
  const reader = new ByteReader(bytes)
  const claims: ShowIdClaims = {
    kind: KINDS[reader.long()] as AdKind,
    requestId: reader.uuid(),
    shopId: reader.uuid(),
    slotHash: reader.uuid(),
    adUnitId: reader.uuid(),
    campaignId: reader.uuid(),
    accountId: reader.uuid(),
    adId: reader.string(),
    itemGroupId: reader.optional(),
    cid: reader.string(),
    uid: reader.optional(),
    algorithm: reader.string(),
    position: reader.long(),
    priceMicros: reader.long(),
    currency: reader.string(),
    autoPromo: reader.byte() === 1,
    country: reader.optional(),
    emittedAt: reader.long(),
  }
  return reader.at === bytes.length && claims.kind !== undefined ? claims : null
}

/** Zigzag of a number >= 0 is its double; claims hold no negative numbers. */
export function writeLong(value: number, into: Buffer, at: number): number {
  let rest = value * 2
  while (rest >= 0x80) {
    into[at++] = (rest % 0x80) | 0x80
    rest = Math.floor(rest / 0x80)
  }
  into[at++] = rest
  return at
}

export function writeOptional(value: string | null, into: Buffer, at: number): number {
  into[at++] = value === null ? 0 : 2
  return value === null ? at : writeString(value, into, at)
}

export function writeString(value: string, into: Buffer, at: number): number {
  return writeShortAscii(value, into, at) || writeUtf8(value, into, at)
}

/** Most strings are short and ASCII, which is cheaper to copy here than to hand over to Buffer. Returns 0 when this one is not. */
function writeShortAscii(value: string, into: Buffer, at: number): number {
  const length = value.length
  if (length > ONE_BYTE_LENGTH_MAX) return 0
  into[at++] = length * 2
  for (let i = 0; i < length; i++) {
    const code = value.charCodeAt(i)
    if (code > 0x7f) return 0
    into[at++] = code
  }
  return at
}

function writeUtf8(value: string, into: Buffer, at: number): number {
  const length = Buffer.byteLength(value)
  const start = writeLong(length, into, at)
  if (start + length <= into.length) into.write(value, start)
  return start + length
}

/** Value of each hexadecimal digit by its character code; 0xff for other characters. */
const DIGITS = new Uint8Array(128).fill(0xff)
for (const digit of '0123456789abcdef') DIGITS[digit.charCodeAt(0)] = Number.parseInt(digit, 16)
/** The index of the first digit of each of the 16 bytes in 8-4-4-4-12. */
const DIGITS_AT = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]

function writeUuid(uuid: string, into: Buffer, at: number): number {
  let seen = 0
  for (let i = 0; i < UUID_BYTES; i++) {
    const high = DIGITS[uuid.charCodeAt(DIGITS_AT[i]!)] ?? 0xff
    const low = DIGITS[uuid.charCodeAt(DIGITS_AT[i]! + 1)] ?? 0xff
    seen |= high | low
    into[at + i] = (high << 4) | low
  }
  if (seen > 0xf || uuid.length !== 36) throw new RangeError(`${uuid} is not a UUID in lower case`)
  return at + UUID_BYTES
}

/** Reads forward; past the end it gives zeros and a position over the length, which `readClaims` refuses. */
export class ByteReader {
  readonly #bytes: Buffer
  at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }
  byte(): number {
    return this.#bytes[this.at++] ?? 0
  }
  long(): number {
    let value = 0
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.byte()
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value / 2
    }
  }
  string(): string {
    const length = this.long()
    this.at += length
    return this.#bytes.toString('utf8', this.at - length, this.at)
  }
  /** Moves past a string without reading it. */
  skip(): void {
    const length = this.long()
    this.at += length
  }
  optional(): string | null {
    return this.byte() === 0 ? null : this.string()
  }
  uuid(): string {
    this.at += UUID_BYTES
    const hex = this.#bytes.toString('hex', this.at - UUID_BYTES, this.at)
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
  }
}
