import type { Protocol } from 'kafkajs/internals'
import type Decoder from 'kafkajs/src/protocol/decoder.js'
import encodeFetch from 'kafkajs/src/protocol/requests/fetch/v11/request.js'
import { type BatchView, batchesIn } from './record-batch.ts'
import { CONSUMER, type KafkaError, protocolOf, readError, readInt64, readTopics, throwError } from './requests.ts'

/** Limits of one response, and of one partition in it; a single batch that is larger still comes whole. */
export const FETCH_MAX_BYTES = 8 * 1024 * 1024
export const FETCH_PARTITION_MAX_BYTES = 2 * 1024 * 1024
const READ_COMMITTED = 1

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
  /** Offset to read on from: behind all batches, also behind those that hold nothing to read. */
  next: number
}

/**
 * Fetch v11, from partitions that one broker leads. The response comes as soon as there is something, or after `maxWaitMs`.
 * @param limits `maxBytes` is a limit of each partition.
 */
export function fetchRequest(
  positions: readonly FetchPosition[],
  { maxWaitMs, maxBytes }: { maxWaitMs: number; maxBytes: number },
): Protocol<FetchedPartition[]> {
  const topics = [...Map.groupBy(positions, ({ topic }) => topic)].map(([topic, of]) => ({
    topic,
    partitions: of.map(({ partition, offset }) => ({ partition, fetchOffset: offset, maxBytes })),
  }))
  const request = encodeFetch({
    replicaId: CONSUMER,
    isolationLevel: READ_COMMITTED,
    maxWaitTime: maxWaitMs,
    minBytes: 1,
    maxBytes: FETCH_MAX_BYTES,
    topics,
  })
  const offsets = new Map(positions.map(({ topic, partition, offset }) => [`${topic}/${partition}`, offset]))
  return protocolOf(request, (from) => {
    from.readInt32() // throttle time
    throwError(from)
    from.readInt32() // session
    return readTopics(from, (from, topic) => readPartition(from, topic, offsets))
  })
}

/** As `fetchRequest`, from one partition. @throws its error, unless that is OFFSET_OUT_OF_RANGE. */
export function fetchOneRequest(
  position: FetchPosition,
  limits: { maxWaitMs: number; maxBytes: number },
): Protocol<FetchedPartition> {
  const { request, response } = fetchRequest([position], limits)
  const decode = async (raw: Buffer) => (await response.decode(raw))[0]!
  const parse = async (fetched: FetchedPartition) => {
    if (fetched.error && fetched.error.type !== 'OFFSET_OUT_OF_RANGE') throw fetched.error
    return fetched
  }
  return { request, response: { decode, parse } }
}

function readPartition(from: Decoder, topic: string, offsets: ReadonlyMap<string, number>): FetchedPartition {
  const partition = from.readInt32()
  const error = readError(from)
  from.readInt64() // high watermark
  from.readInt64() // last stable offset
  from.readInt64() // log start offset
  const aborted = from.readArray((from) => ({
    producerId: BigInt(from.readInt64().toString()),
    firstOffset: readInt64(from),
  }))
  from.readInt32() // preferred read replica
  const batches = [...batchesIn(from.readBytes() ?? Buffer.alloc(0))]
  const next = Math.max(offsets.get(`${topic}/${partition}`)!, (batches.at(-1)?.lastOffset ?? -1) + 1)
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
