import type { TopicName } from '../../../../schemas/topics.ts'
import { LogUnavailable, type NewRecord, type Position } from '../../port.ts'
import { checkedBytes } from '../../record-check.ts'
import type { Codec } from '../client/compression.ts'
import type { Link } from '../client/link.ts'
import { type BatchRecord, encodeBatch } from '../client/record-batch.ts'
import type { KafkaNames } from '../names.ts'
import { type OutgoingBatch, produce } from './produce.ts'
import { BATCH_MAX_BYTES, notePositions, type Parcel, parcelsOf } from './routing.ts'

/** The first append after a pause waits this long for others to share its request, … */
const LINGER_MS = 1
/** … unless this much is waiting. */
const LINGER_MAX_BYTES = 32 * 1024
/** Given to append and not yet answered; more is refused, so that an absent Kafka does not fill memory. */
const IN_FLIGHT_MAX_BYTES = 64 * 1024 * 1024
const SEQUENCE_MODULUS = 2 ** 31
const NO_TRANSACTION_TIMEOUT_MS = 60_000

/** What of one call goes into one partition. */
interface Entry {
  parcel: Parcel
  until: number
  resolve: (baseOffset: number) => void
  reject: (error: Error) => void
}

/** One partition: one batch is under way at a time, so that order holds and a repetition can be told. */
interface Lane {
  topic: TopicName
  partition: number
  entries: Entry[]
  busy: boolean
}

/** An identity towards the brokers, and the next sequence number of each partition. */
interface Session {
  producerId: bigint
  producerEpoch: number
  sequences: Map<Lane, number>
}

export interface AppenderOptions {
  link: Link
  names: KafkaNames
  codec: Codec
  /** Of one append, from call to answer. */
  timeoutMs: number
  /** UTC epoch milliseconds. */
  now: () => number
}

/** Appends outside transactions: idempotent, acknowledged by all replicas in sync; calls made at once share requests. */
export function createAppender({ link, names, codec, timeoutMs, now }: AppenderOptions) {
  const lanes = new Map<string, Lane>()
  const underWay = new Set<Promise<unknown>>()
  let session: Promise<Session> | null = null
  let timer: NodeJS.Timeout | null = null
  let waitingBytes = 0
  let inFlightBytes = 0
  let spread = 0
  const partitions = new Map<TopicName, number>()
  let counting: Promise<unknown> = Promise.resolve()

  async function countPartitions(records: readonly NewRecord[], until: number): Promise<void> {
    for (const { topic } of records) {
      if (!partitions.has(topic)) partitions.set(topic, (await link.leaders(names.topic(topic), until)).size)
    }
  }

  function laneOf({ topic, partition }: Parcel): Lane {
    const place = `${topic}/${partition}`
    let lane = lanes.get(place)
    if (!lane) {
      lane = { topic, partition, entries: [], busy: false }
      lanes.set(place, lane)
    }
    return lane
  }

  function openSession(until: number): Promise<Session> {
    session ??= link
      .request(
        'ANY',
        (broker) => broker.initProducerId({ transactionalId: null, transactionTimeout: NO_TRANSACTION_TIMEOUT_MS }),
        until,
      )
      .then(({ producerId, producerEpoch }) => ({
        producerId: BigInt(producerId),
        producerEpoch,
        sequences: new Map(),
      }))
    const opening = session
    opening.catch(() => endSession(opening))
    return opening
  }

  /** Whether its last batch was stored is not known: another identity cannot be mistaken for it. */
  function endSession(of: Promise<Session>): void {
    if (session === of) session = null
  }

  function schedule(): void {
    if (waitingBytes >= LINGER_MAX_BYTES) flush()
    else timer ??= setTimeout(flush, LINGER_MS)
  }

  function flush(): void {
    if (timer) clearTimeout(timer)
    timer = null
    waitingBytes = 0
    const ready = [...lanes.values()].filter(({ busy, entries }) => !busy && entries.length > 0)
    if (ready.length === 0) return
    const loads = ready.map((lane) => ({ lane, entries: nextLoad(lane) }))
    for (const { lane } of loads) lane.busy = true
    void sendLoads(loads)
  }

  async function sendLoads(loads: { lane: Lane; entries: Entry[] }[]): Promise<void> {
    const until = Math.min(...loads.map(({ entries }) => entries[0]!.until))
    const opening = openSession(until)
    const settleWith =
      ({ lane, entries }: { lane: Lane; entries: Entry[] }) =>
      (result: number | Error) => {
        lane.busy = false
        if (result instanceof Error) {
          endSession(opening)
          for (const { reject } of entries) reject(asUnavailable(result))
        } else {
          let base = result
          for (const { parcel, resolve } of entries) {
            resolve(base)
            base += parcel.records.length
          }
        }
        if (lane.entries.length > 0) setImmediate(flush)
      }
    try {
      const current = await opening
      const batches = loads.map((load): OutgoingBatch => {
        const { lane, entries } = load
        const bytes = encode(current, lane, entries)
        return { topic: names.topic(lane.topic), partition: lane.partition, bytes, settle: settleWith(load) }
      })
      await produce(link, { batches, transactionalId: null, until })
    } catch (error) {
      for (const load of loads) settleWith(load)(error as Error)
    }
  }

  function encode({ producerId, producerEpoch, sequences }: Session, lane: Lane, entries: Entry[]): Buffer {
    const records: BatchRecord[] =
      entries.length === 1 ? entries[0]!.parcel.records : entries.flatMap((e) => e.parcel.records)
    const firstSequence = sequences.get(lane) ?? 0
    sequences.set(lane, (firstSequence + records.length) % SEQUENCE_MODULUS)
    const origin = { producerId, producerEpoch, firstSequence, transactional: false }
    return encodeBatch(records, origin, { codec, timestamp: now() })
  }

  async function store(records: readonly NewRecord[]): Promise<Position[]> {
    const until = performance.now() + timeoutMs
    // One call after the other, so that they are sorted into lanes in their order.
    const counted = counting.then(() => countPartitions(records, until))
    counting = counted.catch(() => {})
    await counted
    const positions = new Array<Position>(records.length)
    const stored = parcelsOf(records, partitions, spread++).map(
      (parcel) =>
        new Promise<void>((resolve, reject) => {
          const noted = (baseOffset: number) => resolve(notePositions(positions, parcel, baseOffset))
          laneOf(parcel).entries.push({ parcel, until, resolve: noted, reject })
          waitingBytes += parcel.bytes
        }),
    )
    schedule()
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
      underWay.add(storing)
      try {
        return await storing
      } finally {
        underWay.delete(storing)
        inFlightBytes -= bytes
      }
    },
    /** Resolves when every append made so far has its answer. */
    async settled(): Promise<void> {
      flush()
      await Promise.allSettled(underWay)
    },
  }
}

/** The entries that go next, as many as fit into a batch, at least one. */
function nextLoad(lane: Lane): Entry[] {
  let count = 0
  let bytes = 0
  for (const { parcel } of lane.entries) {
    if (count > 0 && bytes + parcel.bytes > BATCH_MAX_BYTES) break
    count += 1
    bytes += parcel.bytes
  }
  return lane.entries.splice(0, count)
}

function asUnavailable(error: Error): Error {
  if (error instanceof LogUnavailable) return error
  return new LogUnavailable(`Kafka has not taken the records: ${error.message}`)
}
