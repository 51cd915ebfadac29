import { type TopicName, topicNames } from '../../../schemas/topics.ts'
import type { LogRecord, NewRecord } from '../port.ts'

/**
 * The layout of records between threads and in the database: many records in one buffer, which is transferred without a copy.
 *
 *     record   = key length: i32 | value length: i32 | key: UTF-8 | value        a length of -1 is null
 *     block    = record …                                                       offsets follow one another
 *     appends  = (topic: u8, its index in topicNames | record) …                what a client sends
 *     fetched  = (first offset: f64 | appended at: f64 | records: u32 | block) …  what a client gets
 *
 * All numbers are little-endian.
 */
const RECORD_HEADER_BYTES = 8
const TOPIC_BYTES = 1
const FETCHED_HEADER_BYTES = 20
const NULL = -1

const topicNumbers = new Map(topicNames.map((name, index) => [name, index]))

/** @returns the frame `appends`, in a buffer of its own that may be transferred. `totalBytes` is the sum of their `recordBytes`. */
export function packAppends(records: readonly NewRecord[], totalBytes: number): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(totalBytes + records.length * (TOPIC_BYTES + RECORD_HEADER_BYTES))
  const buffer = Buffer.from(frame.buffer)
  let at = 0
  for (const { topic, key, value } of records) {
    buffer[at] = topicNumbers.get(topic)!
    const header = at + TOPIC_BYTES
    const body = header + RECORD_HEADER_BYTES
    const keyBytes = key === null ? NULL : buffer.write(key, body)
    buffer.writeInt32LE(keyBytes, header)
    buffer.writeInt32LE(value === null ? NULL : value.length, header + 4)
    at = body + Math.max(0, keyBytes)
    if (value !== null) {
      frame.set(value, at)
      at += value.length
    }
  }
  return frame
}

/** The place of one record in a frame. */
export interface RecordSlice {
  topic: TopicName
  /** Where the record's header begins; `end` is the first byte after the record. */
  start: number
  end: number
  /** Empty for a null key, which `keyIsNull` tells from an empty one. */
  key: Buffer
  keyIsNull: boolean
  valueIsNull: boolean
}

/** The records of a frame `appends`, in turn. */
export function* eachAppend(frame: Buffer): Generator<RecordSlice> {
  for (let at = 0; at < frame.length; ) {
    const start = at + TOPIC_BYTES
    const keyBytes = frame.readInt32LE(start)
    const valueBytes = frame.readInt32LE(start + 4)
    const keyStart = start + RECORD_HEADER_BYTES
    const valueStart = keyStart + Math.max(0, keyBytes)
    const end = valueStart + Math.max(0, valueBytes)
    const key = frame.subarray(keyStart, valueStart)
    const topic = topicNames[frame[at]!]!
    yield { topic, start, end, key, keyIsNull: keyBytes === NULL, valueIsNull: valueBytes === NULL }
    at = end
  }
}

/** The end of the record that begins at `at` in a block. */
export function endOfRecord(block: Buffer, at: number): number {
  return at + RECORD_HEADER_BYTES + Math.max(0, block.readInt32LE(at)) + Math.max(0, block.readInt32LE(at + 4))
}

/** One record in the layout of a block. */
export function packRecord(key: string | null, value: Uint8Array | null): Buffer {
  const keyBytes = key === null ? NULL : Buffer.byteLength(key)
  const header = Buffer.alloc(RECORD_HEADER_BYTES)
  header.writeInt32LE(keyBytes, 0)
  header.writeInt32LE(value === null ? NULL : value.length, 4)
  return Buffer.concat([header, Buffer.from(key ?? ''), value ?? Buffer.alloc(0)])
}

/** Consecutive records of one block. */
export interface Run {
  firstOffset: number
  appendedAt: number
  records: number
  bytes: Buffer
}

/** @returns the frame `fetched`, in a buffer of its own that may be transferred. */
export function packRuns(runs: readonly Run[]): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(runs.reduce((sum, run) => sum + FETCHED_HEADER_BYTES + run.bytes.length, 0))
  const buffer = Buffer.from(frame.buffer)
  let at = 0
  for (const run of runs) {
    buffer.writeDoubleLE(run.firstOffset, at)
    buffer.writeDoubleLE(run.appendedAt, at + 8)
    buffer.writeUInt32LE(run.records, at + 16)
    frame.set(run.bytes, at + FETCHED_HEADER_BYTES)
    at += FETCHED_HEADER_BYTES + run.bytes.length
  }
  return frame
}

/** The records of a frame `fetched`. Their values are views of the frame: to keep one, copy it. */
export function unpackRecords(frame: Uint8Array, topic: TopicName, partition: number): LogRecord[] {
  const buffer = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength)
  const records: LogRecord[] = []
  for (let at = 0; at < buffer.length; ) {
    const firstOffset = buffer.readDoubleLE(at)
    const appendedAt = buffer.readDoubleLE(at + 8)
    const count = buffer.readUInt32LE(at + 16)
    at += FETCHED_HEADER_BYTES
    for (let index = 0; index < count; index++) {
      const keyBytes = buffer.readInt32LE(at)
      const valueBytes = buffer.readInt32LE(at + 4)
      const keyStart = at + RECORD_HEADER_BYTES
      const valueStart = keyStart + Math.max(0, keyBytes)
      at = valueStart + Math.max(0, valueBytes)
      const key = keyBytes === NULL ? null : buffer.toString('utf8', keyStart, valueStart)
      const value = valueBytes === NULL ? null : buffer.subarray(valueStart, at)
      records.push({ topic, partition, offset: firstOffset + index, key, value, appendedAt })
    }
  }
  return records
}
