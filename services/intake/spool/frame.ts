import { crc32 } from 'node:zlib'
import { type NewRecord, RECORD_MAX_BYTES, RecordTooLarge } from '../../../infra/event-log/port.ts'
import { type TopicName, topics } from '../../../schemas/topics.ts'

/**
 * The layout of records in a segment of the spool, one after the other:
 *
 *     frame = body length: u32 | crc32 of length and body: u32 | body              little-endian
 *     body  = topic length: u8 | key length: i32 | value length: i32 | topic | key: UTF-8 | value   a length of -1 is null
 *
 * A topic is written by its name, because a later version of the program may drain what this one has spooled.
 */
const HEADER_BYTES = 8
const BODY_HEADER_BYTES = 9
const NULL = -1
/** The maximum size of a frame: a record, headers and the name of a topic. */
export const FRAME_MAX_BYTES = RECORD_MAX_BYTES + HEADER_BYTES + BODY_HEADER_BYTES + 255

/** @throws RecordTooLarge for a record that the log would not accept either. */
export function encodeFrame({ topic, key, value }: NewRecord): Buffer {
  const topicBytes = Buffer.byteLength(topic)
  const keyBytes = key === null ? NULL : Buffer.byteLength(key)
  const valueBytes = value === null ? NULL : value.length
  const recordBytes = Math.max(0, keyBytes) + Math.max(0, valueBytes)
  if (recordBytes > RECORD_MAX_BYTES)
    throw new RecordTooLarge(`A record of ${recordBytes} bytes is over ${RECORD_MAX_BYTES}`)

  const frame = Buffer.allocUnsafe(HEADER_BYTES + BODY_HEADER_BYTES + topicBytes + recordBytes)
  frame.writeUInt32LE(frame.length - HEADER_BYTES, 0)
  frame[HEADER_BYTES] = topicBytes
  frame.writeInt32LE(keyBytes, HEADER_BYTES + 1)
  frame.writeInt32LE(valueBytes, HEADER_BYTES + 5)
  let at = HEADER_BYTES + BODY_HEADER_BYTES
  at += frame.write(topic, at)
  if (key !== null) at += frame.write(key, at)
  if (value !== null) value.copy(frame, at)
  frame.writeUInt32LE(checksum(frame), 4)
  return frame
}

/** The record at `at` and where its frame ends; null when no complete, intact frame begins there. The value is a view of `bytes`. */
export function decodeFrame(bytes: Buffer, at: number): { record: NewRecord; end: number } | null {
  if (at + HEADER_BYTES + BODY_HEADER_BYTES > bytes.length) return null
  const end = at + HEADER_BYTES + bytes.readUInt32LE(at)
  if (end > bytes.length || end < at + HEADER_BYTES + BODY_HEADER_BYTES) return null
  const frame = bytes.subarray(at, end)
  if (checksum(frame) !== frame.readUInt32LE(4)) return null

  const keyBytes = frame.readInt32LE(HEADER_BYTES + 1)
  const valueBytes = frame.readInt32LE(HEADER_BYTES + 5)
  const topicAt = HEADER_BYTES + BODY_HEADER_BYTES
  const keyAt = topicAt + frame[HEADER_BYTES]!
  const valueAt = keyAt + Math.max(0, keyBytes)
  const topic = frame.toString('latin1', topicAt, keyAt)
  if (!Object.hasOwn(topics, topic)) throw new Error(`The spool holds a record of topic ${topic}, which is not known`)
  const key = keyBytes === NULL ? null : frame.toString('utf8', keyAt, valueAt)
  const value = valueBytes === NULL ? null : frame.subarray(valueAt, valueAt + valueBytes)
  return { record: { topic: topic as TopicName, key, value }, end }
}

/** The checksum of a frame, leaving out the bytes of the checksum itself. */
function checksum(frame: Buffer): number {
  return crc32(frame.subarray(HEADER_BYTES), crc32(frame.subarray(0, 4)))
}
