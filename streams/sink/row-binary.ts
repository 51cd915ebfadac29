import { isUtf8 } from 'node:buffer'

/**
 * Turns the bytes of an Avro record into those of a row in ClickHouse's RowBinary, in one pass and without making JavaScript values:
 *
 *     Avro                           RowBinary
 *     boolean  1 byte                Bool         1 byte
 *     int      zigzag varint         Int32        4 bytes, little-endian
 *     long     zigzag varint         Int64        8 bytes, little-endian
 *     double   8 bytes               Float64      8 bytes
 *     string   zigzag length, UTF-8  String       varint length, UTF-8
 *     enum     zigzag index          String       its symbol
 *     union    zigzag branch, value  Nullable(T)  1 for null; or 0 and the value
 *     array    blocks of items, 0    Array(T)     varint length, items
 *     record   its fields            Tuple(…)     its elements
 *
 * It takes what `encode` writes. It refuses bytes that are not a valid record, and forms that Avro allows but `encode` does not
 * write: an array in several blocks, or a varint of more bytes than the largest accepted value needs.
 */
export const OP = {
  BOOLEAN: 0,
  INT: 1,
  LONG: 2,
  DOUBLE: 3,
  STRING: 4,
  ENUM: 5,
  NULLABLE: 6,
  ARRAY: 7,
  RECORD: 8,
} as const

/** How one value is read and written. */
export interface ValuePlan {
  op: (typeof OP)[keyof typeof OP]
  /** RECORD: its fields. ARRAY, NULLABLE: the item or value, as the only part. */
  parts: readonly ValuePlan[]
  /** ENUM: each symbol as RowBinary. */
  symbols: readonly Uint8Array[]
  /** True when the value is read but not written, because the table has no such column. */
  isLeftOut: boolean
}

/** Bytes that one byte of a record may become: a long of one byte becomes 8, an enum of one byte becomes a length and its symbol. */
const GROWTH_MAX = 32
/** Longest symbol of an enum. */
export const SYMBOL_MAX_BYTES = GROWTH_MAX - 1
const LENGTH_MAX_BYTES = 5
const GROWN_BY_MIN = 64 * 1024
/** Text up to this size is copied byte by byte, because a call to the engine's copy would cost more. */
const COPIED_HERE_MAX_BYTES = 96
/** The upper 32 bits of 2^53, which is the zigzag form of 2^52, the largest long that a record may have. */
const ZIGZAG_HIGH_MAX = 2 ** 21

/** Writes rows one after the other into one buffer, which grows. */
export class RowBinaryWriter {
  #out: Buffer<ArrayBuffer>
  #view: DataView
  #to = 0
  #in: Uint8Array = new Uint8Array(0)
  #at = 0
  /** The long that was read last, decoded from zigzag: its lower and upper 32 bits. */
  #low = 0
  #high = 0

  constructor(capacityBytes: number) {
    this.#out = Buffer.allocUnsafeSlow(capacityBytes)
    this.#view = new DataView(this.#out.buffer)
  }

  get length(): number {
    return this.#to
  }

  /** The bytes written so far. */
  bytes(): Uint8Array<ArrayBuffer> {
    return this.#out.subarray(0, this.#to)
  }

  /** Drops everything after the first `length` bytes. */
  cutTo(length: number): void {
    this.#to = length
  }

  string(text: string): void {
    const bytes = Buffer.from(text)
    this.#reserve(bytes.length + LENGTH_MAX_BYTES)
    this.#length(bytes.length)
    this.#to += bytes.copy(this.#out, this.#to)
  }

  int32(value: number): void {
    this.#reserve(4)
    this.#view.setInt32(this.#to, value, true)
    this.#to += 4
  }

  int64(value: number): void {
    this.#reserve(8)
    this.#view.setInt32(this.#to, value | 0, true)
    this.#view.setInt32(this.#to + 4, Math.floor(value / 2 ** 32), true)
    this.#to += 8
  }

  /**
   * @param from where the record begins in `bytes`, which it must fill to their end.
   * @returns false when it refuses the record. The caller must then cut what was written of it.
   */
  record(fields: readonly ValuePlan[], bytes: Uint8Array, from: number): boolean {
    this.#reserve((bytes.length - from) * GROWTH_MAX)
    this.#in = bytes
    this.#at = from
    return this.#fields(fields) && this.#at === bytes.length
  }

  #fields(fields: readonly ValuePlan[]): boolean {
    for (let i = 0; i < fields.length; i++) {
      const plan = fields[i]!
      const start = this.#to
      if (!this.#value(plan)) return false
      if (plan.isLeftOut) this.#to = start
    }
    return true
  }

  #value(plan: ValuePlan): boolean {
    switch (plan.op) {
      case OP.BOOLEAN: {
        const byte = this.#in[this.#at++]!
        this.#out[this.#to++] = byte
        return byte === 0 || byte === 1
      }
      case OP.INT: {
        if (!this.#readLong()) return false
        this.#view.setInt32(this.#to, this.#low, true)
        this.#to += 4
        return this.#high === this.#low >> 31
      }
      case OP.LONG: {
        if (!this.#readLong()) return false
        this.#view.setInt32(this.#to, this.#low, true)
        this.#view.setInt32(this.#to + 4, this.#high, true)
        this.#to += 8
        return true
      }
      case OP.DOUBLE:
        return this.#double()
      case OP.STRING:
        return this.#string()
      case OP.ENUM: {
        const symbol = plan.symbols[this.#readLength()]
        if (symbol === undefined) return false
        for (let i = 0; i < symbol.length; i++) this.#out[this.#to++] = symbol[i]!
        return true
      }
      case OP.NULLABLE: {
        const branch = this.#in[this.#at++]
        this.#out[this.#to++] = branch === 0 ? 1 : 0
        return branch === 0 || (branch === 2 && this.#value(plan.parts[0]!))
      }
      case OP.ARRAY:
        return this.#array(plan.parts[0]!)
      case OP.RECORD:
        return this.#fields(plan.parts)
    }
  }

  #array(item: ValuePlan): boolean {
    const count = this.#readLength()
    if (count < 0 || count > this.#in.length - this.#at) return false
    this.#length(count)
    for (let left = count; left > 0; left--) if (!this.#value(item)) return false
    return count === 0 || this.#in[this.#at++] === 0
  }

  #string(): boolean {
    const length = this.#readLength()
    const from = this.#at
    const end = from + length
    if (length < 0 || end > this.#in.length) return false
    this.#length(length)
    this.#at = end
    if (length > COPIED_HERE_MAX_BYTES) {
      const text = this.#in.subarray(from, end)
      this.#out.set(text, this.#to)
      this.#to += length
      return isUtf8(text)
    }
    let seen = 0
    let to = this.#to
    const read = this.#in
    const out = this.#out
    for (let at = from; at < end; at++) {
      const byte = read[at]!
      seen |= byte
      out[to++] = byte
    }
    this.#to = to
    return seen < 0x80 || isUtf8(read.subarray(from, end))
  }

  /** Writes 0 for -0 and for numbers that JSON lacks (NaN, infinities), as for older rows, which were inserted as JSON. */
  #double(): boolean {
    const from = this.#at
    this.#at += 8
    if (this.#at > this.#in.length) return false
    for (let i = 0; i < 8; i++) this.#out[this.#to + i] = this.#in[from + i]!
    const value = this.#view.getFloat64(this.#to, true)
    if (value === 0 || !Number.isFinite(value)) this.#view.setFloat64(this.#to, 0, true)
    this.#to += 8
    return true
  }

  /** A length, count or index; negative when the bytes hold none below 2^27. */
  #readLength(): number {
    let zigzag = 0
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.#in[this.#at++]!
      zigzag |= (byte & 0x7f) << shift
      if (byte < 0x80) return (zigzag & 1) === 0 ? zigzag >> 1 : -1
    }
    return -1
  }

  /** False when the bytes hold no long within ±2^52. */
  #readLong(): boolean {
    let low = 0
    let high = 0
    let shift = 0
    let byte = 0x80
    for (; shift < 28 && byte >= 0x80; shift += 7) {
      byte = this.#in[this.#at++]!
      low |= (byte & 0x7f) << shift
    }
    for (shift = 0; shift < 28 && byte >= 0x80; shift += 7) {
      byte = this.#in[this.#at++]!
      high |= (byte & 0x7f) << shift
    }
    if (!(byte < 0x80)) return false
    const zigzagLow = low | (high << 28)
    const zigzagHigh = high >>> 4
    if (zigzagHigh > ZIGZAG_HIGH_MAX || (zigzagHigh === ZIGZAG_HIGH_MAX && zigzagLow !== 0)) return false
    const sign = -(zigzagLow & 1)
    this.#low = ((zigzagLow >>> 1) | (zigzagHigh << 31)) ^ sign
    this.#high = (zigzagHigh >>> 1) ^ sign
    return true
  }

  #length(length: number): void {
    let rest = length
    while (rest >= 0x80) {
      this.#out[this.#to++] = (rest & 0x7f) | 0x80
      rest >>>= 7
    }
    this.#out[this.#to++] = rest
  }

  #reserve(bytes: number): void {
    const needed = this.#to + bytes
    if (needed <= this.#out.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed + GROWN_BY_MIN, this.#out.length * 2))
    this.#out.copy(larger, 0, 0, this.#to)
    this.#out = larger
    this.#view = new DataView(larger.buffer)
  }
}
