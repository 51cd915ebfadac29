import type { Protocol } from 'kafkajs/internals'
import type Decoder from 'kafkajs/src/protocol/decoder.js'
import Encoder from 'kafkajs/src/protocol/encoder.js'
import { type BatchView, batchesIn } from './record-batch.ts'
import { CONSUMER, type KafkaError, protocolOf, readError, readInt64, readTopics, throwError } from './requests.ts'

/** Limits of one response, and of one partition in it; a single batch that is larger still comes whole. */
export const FETCH_MAX_BYTES = 8 * 1024 * 1024
export const FETCH_PARTITION_MAX_BYTES = 2 * 1024 * 1024
const READ_COMMITTED = 1
/** No session: each request names all partitions. */
const NO_SESSION = { id: 0, epoch: -1 }
/** Sent as the leader's epoch and as the start of the log, neither of which is known here. */
const UNKNOWN = -1
const PARTITION_BYTES = 28
const TOPIC_BYTES = 300
const INT64_BYTES = 8

/** Full name of the topic, partition, and the offset to read from. */
export interface FetchPosition {
  topic: string
  partition: number
  offset: number
}

export interface FetchedPartition {
  topic: string
  partition: number
  error: KafkaError | null
  /** Committed batches only. */
  batches: BatchView[]
  /** Offset to read on from: after all batches, including those without readable records. */
  next: number
}

/**
 * Fetch v11, from partitions that one broker leads. The response comes as soon as there are records, or after `maxWaitMs`. kafkajs
 * has this request, but allocates a buffer for each partition.
 * @param limits `maxBytes` is the limit for each partition.
 * @returns the partitions that have data or an error.
 */
export function fetchRequest(
  positions: readonly FetchPosition[],
  { maxWaitMs, maxBytes }: { maxWaitMs: number; maxBytes: number },
): Protocol<FetchedPartition[]> {
  const topics = Map.groupBy(positions, ({ topic }) => topic)
  const body = () => {
    const to = new Encoder(positions.length * PARTITION_BYTES + topics.size * TOPIC_BYTES)
      .writeInt32(CONSUMER)
      .writeInt32(maxWaitMs)
      .writeInt32(1) // bytes, at least
      .writeInt32(FETCH_MAX_BYTES)
      .writeInt8(READ_COMMITTED)
      .writeInt32(NO_SESSION.id)
      .writeInt32(NO_SESSION.epoch)
      .writeInt32(topics.size)
    for (const [topic, of] of topics) {
      to.writeString(topic).writeInt32(of.length)
      for (const { partition, offset } of of) {
        to.writeInt32(partition).writeInt32(UNKNOWN).writeInt64(offset).writeInt64(UNKNOWN).writeInt32(maxBytes)
      }
    }
    return to.writeArray([]).writeString('') // partitions that leave the session, and the rack
  }
  const offsets = new Map(
    Array.from(topics, ([topic, of]) => [topic, new Map(of.map(({ partition, offset }) => [partition, offset]))]),
  )
  return protocolOf([1, 11, 'Fetch', body], (from) => {
    from.readInt32() // throttle time
    throwError(from)
    from.readInt32() // session
    return readTopics(from, (from, topic) => readPartition(from, topic, offsets.get(topic)!)).filter(
      (fetched) => fetched !== null,
    )
  })
}

/** As `fetchRequest`, from one partition. @throws the partition's error, unless that is OFFSET_OUT_OF_RANGE. */
export function fetchOneRequest(
  position: FetchPosition,
  limits: { maxWaitMs: number; maxBytes: number },
): Protocol<FetchedPartition[]> {
  const { request, response } = fetchRequest([position], limits)
  const parse = async (fetched: FetchedPartition[]) => {
    const error = fetched[0]?.error
    if (error && error.type !== 'OFFSET_OUT_OF_RANGE') throw error
    return fetched
  }
  return { request, response: { decode: response.decode, parse } }
}

/** @param offsets the offsets that were asked for, by partition. @returns null when there is neither data nor an error. */
function readPartition(from: Decoder, topic: string, offsets: ReadonlyMap<number, number>): FetchedPartition | null {
  const partition = from.readInt32()
  const error = readError(from)
  from.forward(3 * INT64_BYTES) // high watermark, last stable offset, log start offset
  const aborted = from.readArray((from) => ({
    producerId: BigInt(from.readInt64().toString()),
    firstOffset: readInt64(from),
  }))
  from.readInt32() // preferred read replica
  const bytes = from.readBytes()
  if (!error && !bytes?.length) return null
  const batches = [...batchesIn(bytes ?? Buffer.alloc(0))]
  const next = Math.max(offsets.get(partition)!, (batches.at(-1)?.lastOffset ?? -1) + 1)
  return { topic, partition, error, batches: committedOf(batches, aborted), next }
}

/** Leaves out control batches and the batches of aborted transactions, as KIP-98 describes. */
export function committedOf(
  batches: readonly BatchView[],
  aborted: readonly { producerId: bigint; firstOffset: number }[],
): BatchView[] {
  const upcoming = aborted.toSorted((a, b) => a.firstOffset - b.firstOffset)
  const aborting = new Set<bigint>()
  return batches.filter((batch) => {
    while (upcoming.length > 0 && upcoming[0]!.firstOffset <= batch.lastOffset) {
      aborting.add(upcoming.shift()!.producerId)
    }
    const { transactionOf } = batch
    if (transactionOf === null) return !batch.isControl
    if (batch.isAbort) aborting.delete(transactionOf)
    return !batch.isControl && !aborting.has(transactionOf)
  })
}
