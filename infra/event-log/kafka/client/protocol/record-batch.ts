import { constants, gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { crc32c } from '@node-rs/crc32'

/**
 * Record batches of Kafka, format 2 (KIP-98):
 *
 *     baseOffset int64 · length int32 · leaderEpoch int32 · magic int8 · crc uint32 · attributes int16 ·
 *     lastOffsetDelta int32 · baseTimestamp int64 · maxTimestamp int64 · producerId int64 · producerEpoch int16 ·
 *     baseSequence int32 · count int32 · records
 *
 * and a record, once all of them are decompressed:
 *
 *     length varint · attributes int8 · timestampDelta varlong · offsetDelta varint ·
 *     keyLength varint · key · valueLength varint · value · headers varint [ … ]
 */
const LENGTH_AT = 8
const AFTER_LENGTH = 12
const CRC_AT = 17
const ATTRIBUTES_AT = 21
const LAST_DELTA_AT = 23
const BASE_TIME_AT = 27
const MAX_TIME_AT = 35
const PRODUCER_AT = 43
const EPOCH_AT = 51
const SEQUENCE_AT = 53
const COUNT_AT = 57
const HEADER_BYTES = 61
const MAGIC = 2
const CODEC_MASK = 0x07
const LOG_TIME = 0x08
const TRANSACTIONAL = 0x10
const CONTROL = 0x20
/** The most bytes of a record besides its key and value: five varints of up to 5 bytes, and three single bytes. */
const RECORD_OVERHEAD_BYTES = 28
/** Attributes, a timestamp delta of 0 and a count of 0 headers, a byte each. */
const FIXED_BYTES = 3
const ABORT_MARKER = 0
const COMPRESSION_LEVEL = 1

/** How the records of a batch are compressed; the numbers are those of the batch's attributes. */
const CODECS = { none: 0, gzip: 1, zstd: 4 } as const
export type Codec = keyof typeof CODECS

export interface BatchRecord {
  key: Buffer | null
  value: Buffer | null
}

/** The producer of a batch, and the sequence number of its first record: by these a broker recognises a repetition. */
export interface BatchOrigin {
  producerId: bigint
  producerEpoch: number
  firstSequence: number
  transactional: boolean
}

export interface ReadRecord {
  offset: number
  key: string | null
  value: Buffer | null
  /** UTC epoch milliseconds. */
  timestamp: number
}

/** @param timestamp of all the records; the broker replaces it when the topic says LogAppendTime. */
export function encodeBatch(
  records: readonly BatchRecord[],
  { producerId, producerEpoch, firstSequence, transactional }: BatchOrigin,
  { codec, timestamp }: { codec: Codec; timestamp: number },
): Buffer {
  const plain = encodeRecords(records, codec === 'none' ? HEADER_BYTES : 0)
  const batch = codec === 'none' ? plain : Buffer.concat([Buffer.alloc(HEADER_BYTES), compress(codec, plain)])
  batch.writeBigInt64BE(0n, 0)
  batch.writeInt32BE(batch.length - AFTER_LENGTH, LENGTH_AT)
  batch.writeInt32BE(-1, AFTER_LENGTH)
  batch.writeInt8(MAGIC, 16)
  batch.writeInt16BE(CODECS[codec] | (transactional ? TRANSACTIONAL : 0), ATTRIBUTES_AT)
  batch.writeInt32BE(records.length - 1, LAST_DELTA_AT)
  batch.writeBigInt64BE(BigInt(timestamp), BASE_TIME_AT)
  batch.writeBigInt64BE(BigInt(timestamp), MAX_TIME_AT)
  batch.writeBigInt64BE(producerId, PRODUCER_AT)
  batch.writeInt16BE(producerEpoch, EPOCH_AT)
  batch.writeInt32BE(firstSequence, SEQUENCE_AT)
  batch.writeInt32BE(records.length, COUNT_AT)
  batch.writeUInt32BE(checksumOf(batch), CRC_AT)
  return batch
}

/** The records one after the other, after `headroom` free bytes. */
function encodeRecords(records: readonly BatchRecord[], headroom: number): Buffer {
  let bytes = headroom
  for (const { key, value } of records) bytes += RECORD_OVERHEAD_BYTES + (key?.length ?? 0) + (value?.length ?? 0)
  const into = Buffer.allocUnsafe(bytes)
  let at = headroom
  for (let delta = 0; delta < records.length; delta++) {
    const { key, value } = records[delta]!
    at = writeVarint(into, at, FIXED_BYTES + sizeOf(delta) + sizeOfBytes(key) + sizeOfBytes(value))
    into[at++] = 0
    into[at++] = 0
    at = writeVarint(into, at, delta)
    at = writeBytes(into, at, key)
    at = writeBytes(into, at, value)
    into[at++] = 0
  }
  return into.subarray(0, at)
}

function writeBytes(into: Buffer, at: number, bytes: Buffer | null): number {
  if (bytes === null) return writeVarint(into, at, -1)
  const start = writeVarint(into, at, bytes.length)
  into.set(bytes, start)
  return start + bytes.length
}

const sizeOfBytes = (bytes: Buffer | null) => (bytes === null ? sizeOf(-1) : sizeOf(bytes.length) + bytes.length)

function sizeOf(value: number): number {
  const zigzag = ((value << 1) ^ (value >> 31)) >>> 0
  return zigzag < 0x80 ? 1 : zigzag < 0x4000 ? 2 : zigzag < 0x200000 ? 3 : zigzag < 0x10000000 ? 4 : 5
}

function writeVarint(into: Buffer, at: number, value: number): number {
  let zigzag = ((value << 1) ^ (value >> 31)) >>> 0
  let next = at
  while (zigzag >= 0x80) {
    into[next++] = (zigzag & 0x7f) | 0x80
    zigzag >>>= 7
  }
  into[next++] = zigzag
  return next
}

function compress(codec: Codec, records: Buffer): Buffer {
  if (codec === 'none') return records
  return codec === 'gzip'
    ? gzipSync(records, { level: COMPRESSION_LEVEL })
    : zstdCompressSync(records, { params: { [constants.ZSTD_c_compressionLevel]: COMPRESSION_LEVEL } })
}

const checksumOf = (batch: Buffer) => crc32c(batch.subarray(ATTRIBUTES_AT))

/** A batch inside a response. */
export interface BatchView {
  firstOffset: number
  lastOffset: number
  records: number
  /** Its compressed size. */
  bytes: number
  isControl: boolean
  /** The id of the producer whose transaction the batch belongs to; null outside transactions. */
  transactionOf: bigint | null
  /** A control batch that ends an aborted transaction. */
  isAbort: boolean
  /** All its records, including those before the offset that was asked for. */
  decode(): ReadRecord[]
}

/** The complete batches of a fetched record set, in order, without one that is cut off at the end. @throws when one is damaged. */
export function* batchesIn(bytes: Buffer): Generator<BatchView> {
  for (let at = 0; at + HEADER_BYTES <= bytes.length; ) {
    const end = at + AFTER_LENGTH + bytes.readInt32BE(at + LENGTH_AT)
    if (end > bytes.length) return
    yield viewOf(bytes.subarray(at, end))
    at = end
  }
}

function viewOf(batch: Buffer): BatchView {
  const firstOffset = Number(batch.readBigInt64BE(0))
  if (checksumOf(batch) !== batch.readUInt32BE(CRC_AT)) {
    throw new Error(`The batch of the log at offset ${firstOffset} is damaged: its checksum is wrong`)
  }
  const attributes = batch.readInt16BE(ATTRIBUTES_AT)
  const isControl = (attributes & CONTROL) !== 0
  return {
    firstOffset,
    lastOffset: firstOffset + batch.readInt32BE(LAST_DELTA_AT),
    records: batch.readInt32BE(COUNT_AT),
    bytes: batch.length,
    isControl,
    transactionOf: attributes & TRANSACTIONAL ? batch.readBigInt64BE(PRODUCER_AT) : null,
    isAbort: isControl && markerTypeOf(batch) === ABORT_MARKER,
    decode: () => decodeRecords(batch, firstOffset, attributes),
  }
}

/** The key of a control record holds its version and its type, both int16. A marker whose record was compacted away has none. */
function markerTypeOf(batch: Buffer): number | null {
  if (batch.readInt32BE(COUNT_AT) === 0) return null
  const cursor = { at: HEADER_BYTES }
  readVarint(batch, cursor)
  cursor.at += 1
  readVarlong(batch, cursor)
  readVarint(batch, cursor)
  return readBytes(batch, cursor)!.readInt16BE(2)
}

function decodeRecords(batch: Buffer, firstOffset: number, attributes: number): ReadRecord[] {
  const count = batch.readInt32BE(COUNT_AT)
  const baseTime = Number(batch.readBigInt64BE(BASE_TIME_AT))
  const logTime = attributes & LOG_TIME ? Number(batch.readBigInt64BE(MAX_TIME_AT)) : null
  const bytes = decompress(attributes & CODEC_MASK, batch.subarray(HEADER_BYTES))
  const records = new Array<ReadRecord>(count)
  const cursor = { at: 0 }
  for (let index = 0; index < count; index++) {
    const end = readVarint(bytes, cursor) + cursor.at
    cursor.at += 1
    const timeDelta = readVarlong(bytes, cursor)
    const offset = firstOffset + readVarint(bytes, cursor)
    const key = readText(bytes, cursor)
    const value = readBytes(bytes, cursor)
    records[index] = { offset, key, value, timestamp: logTime ?? baseTime + timeDelta }
    cursor.at = end
  }
  return records
}

/** @param codec of the batch's attributes. */
function decompress(codec: number, records: Buffer): Buffer {
  if (codec === CODECS.none) return records
  if (codec === CODECS.gzip) return gunzipSync(records)
  if (codec === CODECS.zstd) return zstdDecompressSync(records)
  throw new Error(`A batch of the log is compressed with codec ${codec}, which is neither gzip nor zstd`)
}

/** Records of a batch at or after an offset. */
export function recordsFrom(batch: BatchView, offset: number): ReadRecord[] {
  const records = batch.decode()
  return batch.firstOffset >= offset ? records : records.filter((record) => record.offset >= offset)
}

interface Cursor {
  at: number
}

function readBytes(bytes: Buffer, cursor: Cursor): Buffer | null {
  const start = skipBytes(bytes, cursor)
  return start < 0 ? null : bytes.subarray(start, cursor.at)
}

function readText(bytes: Buffer, cursor: Cursor): string | null {
  const start = skipBytes(bytes, cursor)
  return start < 0 ? null : bytes.toString('utf8', start, cursor.at)
}

/** Moves the cursor behind bytes that follow their length. @returns where they begin; -1 for null. */
function skipBytes(bytes: Buffer, cursor: Cursor): number {
  const length = readVarint(bytes, cursor)
  if (length < 0) return -1
  const start = cursor.at
  cursor.at += length
  return start
}

function readVarint(bytes: Buffer, cursor: Cursor): number {
  let value = 0
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[cursor.at++]!
    value |= (byte & 0x7f) << shift
    if (byte < 0x80) return (value >>> 1) ^ -(value & 1)
  }
}

/** Reads numbers of up to 53 bits, which is enough for times. */
function readVarlong(bytes: Buffer, cursor: Cursor): number {
  let value = 0
  for (let scale = 1; ; scale *= 128) {
    const byte = bytes[cursor.at++]!
    value += (byte & 0x7f) * scale
    if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }
}
