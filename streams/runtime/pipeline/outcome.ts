import type { Batch, LogRecord, NewRecord } from '../../../infra/event-log/port.ts'
import { type TopicName, topics } from '../../../schemas/topics.ts'
import { decode, encode, UndecodableRecord, type UnknownSchema, unknownSchemaOf } from '../../../schemas/wire/codec.ts'

/** A record of the log with its value decoded; null is a tombstone. */
export interface DecodedRecord<T> {
  topic: TopicName
  partition: number
  offset: number
  key: string | null
  value: T | null
  /** The encoded value, as it is in the log. */
  bytes: Uint8Array | null
  appendedAt: number
}

/** A record that can never be processed. It goes to `dead-letters` and the stream goes on. */
export interface DeadRecord {
  offset: number
  /** Stable and short, in capitals: `UNDECODABLE`. */
  code: string
  message: string
}

/** The result of a step for one batch. A temporary failure, such as an engine that is down, is thrown instead. */
export interface StepResult {
  /** Appended in the same atomic step that commits the batch. */
  outputs?: NewRecord[]
  dead?: DeadRecord[]
}

/** Size of key and value together. The letter of a larger record leaves both out, and a replay reads them from the topic. */
const LETTER_RECORD_MAX_BYTES = 1_000_000
const LETTER_MESSAGE_MAX_CHARS = 1_000

/** Where a batch must end, because the record at `offset` needs a newer version of the program. */
export interface Unreadable {
  offset: number
  reason: UnknownSchema
}

/** Splits a batch before the first record whose schema this program does not have. */
export function readablePart({ topic, records }: Omit<Batch, 'assignment'>): {
  readable: LogRecord[]
  unreadable: Unreadable | null
} {
  const name = topics[topic].record
  for (const [index, { offset, value }] of records.entries()) {
    const reason = value && unknownSchemaOf(name, value)
    if (reason) return { readable: records.slice(0, index), unreadable: { offset, reason } }
  }
  return { readable: records, unreadable: null }
}

/** Decodes the readable part of a batch, in order. Records that are not valid for the topic's schema are returned as dead. */
export function decodeBatch<T>(batch: Omit<Batch, 'assignment'>): { records: DecodedRecord<T>[]; dead: DeadRecord[] } {
  const name = topics[batch.topic].record
  const records: DecodedRecord<T>[] = []
  const dead: DeadRecord[] = []
  for (const record of batch.records) {
    try {
      const value = record.value === null ? null : (decode(name, record.value) as T)
      const { topic, partition, offset, key, appendedAt } = record
      records.push({ topic, partition, offset, key, value, bytes: record.value, appendedAt })
    } catch (error) {
      if (!(error instanceof UndecodableRecord)) throw error
      dead.push({ offset: record.offset, code: 'UNDECODABLE', message: error.message })
    }
  }
  return { records, dead }
}

/** The dead letters for the dead records of a batch. `failedAt` is in UTC epoch milliseconds. */
export function deadLettersOf(
  stream: string,
  batch: Batch,
  dead: readonly DeadRecord[],
  failedAt: number,
): NewRecord[] {
  if (dead.length === 0) return []
  const byOffset = new Map(batch.records.map((record) => [record.offset, record]))
  return dead.map((each) => {
    const record = byOffset.get(each.offset)
    if (!record) throw new Error(`${stream}: offset ${each.offset} is not in the batch that it was declared dead in`)
    return toDeadLetter(stream, record, each, failedAt)
  })
}

/** The dead letter for a record: the original record, which stream gave up on it, and why. */
export function toDeadLetter(
  stream: string,
  { topic, partition, offset, key, value }: LogRecord,
  { code, message }: DeadRecord,
  failedAt: number,
): NewRecord {
  const bytes = Buffer.byteLength(key ?? '') + (value?.length ?? 0)
  const isCarried = bytes <= LETTER_RECORD_MAX_BYTES
  const letter = encode('DeadLetter', {
    stream,
    topic,
    partition,
    offset,
    key: isCarried ? key : null,
    value: isCarried ? value : null,
    code,
    message: message.slice(0, LETTER_MESSAGE_MAX_CHARS),
    failedAt,
  })
  return { topic: 'dead-letters', key: `${topic}/${partition}/${offset}`, value: letter }
}
