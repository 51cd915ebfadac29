import type { Broker, Protocol } from 'kafkajs/internals'
import Decoder from 'kafkajs/src/protocol/decoder.js'
import encodeFetch from 'kafkajs/src/protocol/requests/fetch/v11/request.js'
import { type BatchView, batchesIn, type ReadRecord } from '../client/record-batch.ts'
import { errorOf, type KafkaError, send } from '../client/requests.ts'

/** Of one answer, and of one partition in it; a single batch that is larger still comes whole. */
export const FETCH_MAX_BYTES = 8 * 1024 * 1024
export const FETCH_PARTITION_MAX_BYTES = 2 * 1024 * 1024
const CONSUMER = -1
const READ_COMMITTED = 1
/** What a broker may take over its wait before the connection counts as broken. */
const ANSWER_MAX_MS = 5_000

/** Full name of the topic, partition, and the offset to read from. */
export interface FetchFrom {
  topic: string
  partition: number
  offset: number
}

export interface Fetched {
  topic: string
  partition: number
  error: KafkaError | null
  /** Below it every transaction is decided; nothing at or above it is read. */
  stableEnd: number
  /** First offset still held. */
  start: number
  batches: BatchView[]
  /** Offset to read on from: behind all batches, those that hold nothing to read too. */
  next: number
}

/**
 * What partitions of one broker hold from given offsets on; the answer comes when there is something, or after `maxWaitMs`.
 * @param limits `maxBytes` is of each partition.
 */
export async function fetchFrom(
  broker: Broker,
  from: readonly FetchFrom[],
  { maxWaitMs, maxBytes }: { maxWaitMs: number; maxBytes: number },
): Promise<Fetched[]> {
  const byTopic = Map.groupBy(from, ({ topic }) => topic)
  const request = encodeFetch({
    replicaId: CONSUMER,
    isolationLevel: READ_COMMITTED,
    maxWaitTime: maxWaitMs,
    minBytes: 1,
    maxBytes: FETCH_MAX_BYTES,
    topics: [...byTopic].map(([topic, partitions]) => ({
      topic,
      partitions: partitions.map(({ partition, offset }) => ({
        partition,
        fetchOffset: offset,
        maxBytes,
      })),
    })),
  })
  const asked = new Map(from.map((each) => [`${each.topic}/${each.partition}`, each.offset]))
  const protocol: Protocol<Fetched[]> = {
    request,
    requestTimeout: maxWaitMs + ANSWER_MAX_MS,
    response: {
      decode: async (raw) => decodeAnswer(new Decoder(raw), asked),
      parse: async (decoded) => decoded,
    },
  }
  return send(broker, protocol)
}

/** Fetch response v11. */
function decodeAnswer(from: Decoder, asked: ReadonlyMap<string, number>): Fetched[] {
  from.readInt32()
  const error = errorOf(from.readInt16())
  if (error) throw error
  from.readInt32()
  return from
    .readArray((from) => {
      const topic = from.readString()
      return from.readArray((from) => decodePartition(from, topic, asked))
    })
    .flat()
}

function decodePartition(from: Decoder, topic: string, asked: ReadonlyMap<string, number>): Fetched {
  const partition = from.readInt32()
  const error = errorOf(from.readInt16())
  from.readInt64()
  const stableEnd = Number(from.readInt64().toString())
  const start = Number(from.readInt64().toString())
  const aborted = from.readArray((from) => ({
    producerId: BigInt(from.readInt64().toString()),
    firstOffset: Number(from.readInt64().toString()),
  }))
  from.readInt32()
  const all = [...batchesIn(from.readBytes() ?? Buffer.alloc(0))]
  const offset = asked.get(`${topic}/${partition}`)!
  const next = Math.max(offset, (all.at(-1)?.lastOffset ?? -1) + 1)
  return { topic, partition, error, stableEnd, start, batches: committedOf(all, aborted), next }
}

/** Leaves out markers and what belongs to a transaction that was given up, as KIP-98 has it. */
export function committedOf(
  batches: readonly BatchView[],
  aborted: readonly { producerId: bigint; firstOffset: number }[],
): BatchView[] {
  const begins = aborted.toSorted((a, b) => a.firstOffset - b.firstOffset)
  const givenUp = new Set<bigint>()
  return batches.filter((batch) => {
    while (begins.length > 0 && begins[0]!.firstOffset <= batch.lastOffset) givenUp.add(begins.shift()!.producerId)
    const { transactionOf } = batch
    if (transactionOf === null) return !batch.isControl
    if (batch.isAbort) givenUp.delete(transactionOf)
    return !batch.isControl && !givenUp.has(transactionOf)
  })
}

/** Records of a batch at or after an offset. */
export function recordsFrom(batch: BatchView, offset: number): ReadRecord[] {
  const records = batch.decode()
  return batch.firstOffset >= offset ? records : records.filter((record) => record.offset >= offset)
}
