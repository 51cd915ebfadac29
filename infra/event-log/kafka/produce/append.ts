import type { TopicName } from '../../../../schemas/topics.ts'
import { LogUnavailable, type NewRecord, type Position } from '../../port.ts'
import { checkedBytes } from '../../record-check.ts'
import type { KnownPartitions } from './known-partitions.ts'
import { BATCH_MAX_BYTES, createPartitioner, notePositions, type PartitionBatch } from './partition-batches.ts'
import { encodeNext, openSession, type ProducerOptions, type ProducerSession, produce } from './produce.ts'

/** The first append after a pause waits this long for others to share its request. */
const LINGER_MS = 1
/** Flush early once this many bytes are queued. */
const LINGER_MAX_BYTES = 32 * 1024
/** Bytes of unanswered appends. More are refused, so that an absent Kafka does not fill memory. */
const IN_FLIGHT_MAX_BYTES = 64 * 1024 * 1024
/** Without effect outside transactions. */
const TRANSACTION_TIMEOUT_MS = 60_000

/** The records of one append call that belong to one partition. */
interface QueuedBatch {
  batch: PartitionBatch
  deadline: number
  resolve: (baseOffset: number) => void
  reject: (error: Error) => void
}

/** One partition. It has one batch in flight at a time, so that order holds and the broker can recognise a repetition. */
interface PartitionQueue {
  topic: TopicName
  partition: number
  queued: QueuedBatch[]
  isInFlight: boolean
}

/** Queued batches that are sent to their partition as one batch. */
interface Shipment {
  queue: PartitionQueue
  parts: QueuedBatch[]
}

export interface AppenderOptions extends ProducerOptions {
  /** Limit of one append, from call to answer. */
  timeoutMs: number
  partitions: KnownPartitions
}

/**
 * Appends outside transactions: idempotent, acknowledged by all replicas in sync. Concurrent calls share requests. After a
 * failed send it is unknown whether the batch was stored, so the appender goes on with a new identity, whose batches no broker
 * can take for a repetition of the failed one.
 */
export function createAppender({ timeoutMs, partitions, ...options }: AppenderOptions) {
  const { client } = options
  const toPartitionBatches = createPartitioner(partitions)
  const queues = new Map<string, PartitionQueue>()
  const inFlight = new Set<Promise<unknown>>()
  let session: Promise<ProducerSession> | null = null
  let lingering: NodeJS.Timeout | null = null
  let queuedBytes = 0
  let inFlightBytes = 0

  function queueOf({ topic, partition }: PartitionBatch): PartitionQueue {
    const place = `${topic}/${partition}`
    let queue = queues.get(place)
    if (!queue) {
      queue = { topic, partition, queued: [], isInFlight: false }
      queues.set(place, queue)
    }
    return queue
  }

  function enqueue(batch: PartitionBatch, deadline: number): Promise<number> {
    queuedBytes += batch.bytes
    return new Promise((resolve, reject) => queueOf(batch).queued.push({ batch, deadline, resolve, reject }))
  }

  function currentSession(deadline: number): Promise<ProducerSession> {
    session ??= openSession(client, { transactionalId: null, transactionTimeoutMs: TRANSACTION_TIMEOUT_MS }, deadline)
    const opening = session
    opening.catch(() => endSession(opening))
    return opening
  }

  function endSession(ended: Promise<ProducerSession>): void {
    if (session === ended) session = null
  }

  function flush(): void {
    if (lingering) clearTimeout(lingering)
    lingering = null
    queuedBytes = 0
    const ready = [...queues.values()].filter(({ isInFlight, queued }) => !isInFlight && queued.length > 0)
    if (ready.length > 0) ship(ready.map((queue) => ({ queue, parts: takeParts(queue) })))
  }

  function ship(shipments: Shipment[]): void {
    for (const { queue } of shipments) queue.isInFlight = true
    const deadline = Math.min(...shipments.map(({ parts }) => parts[0]!.deadline))
    const opening = currentSession(deadline)
    const stored = opening.then((current) => {
      const batches = shipments.map(({ queue: { topic, partition }, parts }) => {
        const records = parts.length === 1 ? parts[0]!.batch.records : parts.flatMap(({ batch }) => batch.records)
        return encodeNext(current, options, { topic, partition, records })
      })
      return produce(client, null, batches, deadline)
    })
    for (const [index, { queue, parts }] of shipments.entries()) {
      stored
        .then((offsets) => offsets[index]!)
        .then((baseOffset) => resolveParts(parts, baseOffset))
        .catch((error: Error) => {
          endSession(opening)
          for (const { reject } of parts) reject(asUnavailable(error))
        })
        .finally(() => {
          queue.isInFlight = false
          if (queue.queued.length > 0) setImmediate(flush)
        })
    }
  }

  async function store(records: readonly NewRecord[]): Promise<Position[]> {
    const deadline = performance.now() + timeoutMs
    const positions = new Array<Position>(records.length)
    const batches = await toPartitionBatches(records, deadline)
    const stored = batches.map(async (batch) => notePositions(positions, batch, await enqueue(batch, deadline)))
    if (queuedBytes >= LINGER_MAX_BYTES) flush()
    else lingering ??= setTimeout(flush, LINGER_MS)
    const outcomes = await Promise.allSettled(stored)
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
    return positions
  }

  return {
    async append(records: readonly NewRecord[]): Promise<Position[]> {
      const bytes = checkedBytes(records)
      if (records.length === 0) return []
      if (inFlightBytes > 0 && inFlightBytes + bytes > IN_FLIGHT_MAX_BYTES) {
        throw new LogUnavailable('Too much is waiting to be written to the log')
      }
      inFlightBytes += bytes
      const storing = store(records)
      inFlight.add(storing)
      try {
        return await storing
      } finally {
        inFlight.delete(storing)
        inFlightBytes -= bytes
      }
    },
    /** Resolves when every append made so far has its answer. */
    async settled(): Promise<void> {
      flush()
      await Promise.allSettled(inFlight)
    },
  }
}

function resolveParts(parts: readonly QueuedBatch[], baseOffset: number): void {
  let base = baseOffset
  for (const { batch, resolve } of parts) {
    resolve(base)
    base += batch.records.length
  }
}

/** Takes as many queued batches as fit into one, at least one. */
function takeParts({ queued }: PartitionQueue): QueuedBatch[] {
  let bytes = 0
  const tooMany = queued.findIndex(({ batch }, index) => {
    bytes += batch.bytes
    return index > 0 && bytes > BATCH_MAX_BYTES
  })
  return queued.splice(0, tooMany < 0 ? queued.length : tooMany)
}

function asUnavailable(error: Error): Error {
  if (error instanceof LogUnavailable) return error
  return new LogUnavailable(`Kafka did not accept the records: ${error.message}`)
}
