import type { TopicName } from '../../../../schemas/topics.ts'
import type { NewRecord, Position } from '../../port.ts'
import type { Codec } from '../client/compression.ts'
import type { Link } from '../client/link.ts'
import { encodeBatch } from '../client/record-batch.ts'
import { commitOffsetRequest, renewProducerRequest, send, type TransactionalOffset } from '../client/requests.ts'
import type { KafkaNames } from '../names.ts'
import { type OutgoingBatch, produce } from './produce.ts'
import { notePositions, type Parcel, parcelsOf } from './routing.ts'

/** The broker gives up a transaction that lasts longer, so that a frozen writer holds no reader up for long. */
const TRANSACTION_TIMEOUT_MS = 10_000
const ABORT_TIMEOUT_MS = 1_000

/** Records and perhaps a group's place, stored together or not at all. */
export interface Work {
  records: readonly NewRecord[]
  offset: TransactionalOffset | null
}

export interface TransactionalWriter {
  /**
   * Resolves when readers see it all. One at a time.
   * @throws LogUnavailable when it cannot be done by `until`: it may have been stored. Kafka's error when it was refused, as
   * `isFenced` when another has taken over; then nothing was stored.
   */
  transact(work: Work, until: number): Promise<Position[]>
  /** Shows the brokers that the transactional id is in use: they forget one that is idle for a week. @throws as `transact`. */
  keepAlive(until: number): Promise<void>
}

/** Takes over a transactional id: whatever its last user had open is given up, and it can write no more. */
export async function openTransactionalWriter(
  { link, names, codec, now }: { link: Link; names: KafkaNames; codec: Codec; now: () => number },
  transactionalId: string,
  until: number,
): Promise<TransactionalWriter> {
  const coordinator = { transactionOf: transactionalId }
  const first = await link.request(
    coordinator,
    (broker) => broker.initProducerId({ transactionalId, transactionTimeout: TRANSACTION_TIMEOUT_MS }),
    until,
  )
  let producerId = BigInt(first.producerId)
  let producerEpoch = first.producerEpoch
  let sequences = new Map<string, number>()
  let spread = 0
  /** The last transaction ended badly: what the broker knows of it is uncertain. */
  let doubtful = false
  let queue: Promise<unknown> = Promise.resolve()

  const identity = () => ({ transactionalId, producerId, producerEpoch })
  const plainIdentity = () => ({ transactionalId, producerId: producerId.toString(), producerEpoch })

  /** Gives up what is open and begins anew, unless another has taken over. */
  async function renew(until: number): Promise<void> {
    const request = () => renewProducerRequest(identity(), TRANSACTION_TIMEOUT_MS)
    ;({ producerId, producerEpoch } = await link.request(coordinator, (broker) => send(broker, request()), until))
    sequences = new Map()
    doubtful = false
  }

  async function transactNow({ records, offset }: Work, until: number): Promise<Position[]> {
    if (doubtful) await renew(until)
    const parcels = await parcelsFor(records, until)
    doubtful = true
    try {
      await announce(parcels, offset, until)
      const [positions] = await Promise.all([storeParcels(parcels, records.length, until), storeOffset(offset, until)])
      await commit(until)
      doubtful = false
      return positions
    } catch (error) {
      await giveUp()
      throw error
    }
  }

  async function parcelsFor(records: readonly NewRecord[], until: number): Promise<Parcel[]> {
    const counts = new Map<TopicName, number>()
    for (const { topic } of records) {
      if (!counts.has(topic)) counts.set(topic, (await link.leaders(names.topic(topic), until)).size)
    }
    return parcelsOf(records, counts, spread++)
  }

  async function announce(parcels: readonly Parcel[], offset: Work['offset'], until: number): Promise<void> {
    const places = Map.groupBy(parcels, ({ topic }) => topic)
    const topics = [...places].map(([topic, of]) => ({
      topic: names.topic(topic),
      partitions: [...new Set(of.map(({ partition }) => partition))],
    }))
    if (topics.length > 0) {
      await link.request(coordinator, (broker) => broker.addPartitionsToTxn({ ...plainIdentity(), topics }), until)
    }
    if (offset) {
      const groupId = offset.group
      await link.request(coordinator, (broker) => broker.addOffsetsToTxn({ ...plainIdentity(), groupId }), until)
    }
  }

  /** Several parcels of one partition go one after the other. */
  async function storeParcels(parcels: readonly Parcel[], count: number, until: number): Promise<Position[]> {
    const positions = new Array<Position>(count)
    for (let left = [...parcels]; left.length > 0; ) {
      const later: Parcel[] = []
      const now = new Map<string, Parcel>()
      for (const parcel of left) {
        const place = `${parcel.topic}/${parcel.partition}`
        if (now.has(place)) later.push(parcel)
        else now.set(place, parcel)
      }
      await storeOnce([...now], positions, until)
      left = later
    }
    return positions
  }

  async function storeOnce(parcels: [string, Parcel][], positions: Position[], until: number): Promise<void> {
    let failure: Error | null = null
    const batches = parcels.map(([place, parcel]): OutgoingBatch => {
      const firstSequence = sequences.get(place) ?? 0
      sequences.set(place, firstSequence + parcel.records.length)
      const origin = { producerId, producerEpoch, firstSequence, transactional: true }
      return {
        topic: names.topic(parcel.topic),
        partition: parcel.partition,
        bytes: encodeBatch(parcel.records, origin, { codec, timestamp: now() }),
        settle(result) {
          if (result instanceof Error) failure ??= result
          else notePositions(positions, parcel, result)
        },
      }
    })
    await produce(link, { batches, transactionalId, until })
    if (failure) throw failure
  }

  async function storeOffset(offset: Work['offset'], until: number): Promise<void> {
    if (!offset) return
    const request = commitOffsetRequest(identity(), offset)
    await link.request({ groupOf: offset.group }, (broker) => send(broker, request), until)
  }

  /** The first answer says that the decision is stored, the second that readers see it: until then it is refused as concurrent. */
  async function commit(until: number): Promise<void> {
    const end = () =>
      link.request(coordinator, (broker) => broker.endTxn({ ...plainIdentity(), transactionResult: true }), until)
    await end()
    await end()
  }

  async function giveUp(): Promise<void> {
    const soon = performance.now() + ABORT_TIMEOUT_MS
    await link
      .request(coordinator, (broker) => broker.endTxn({ ...plainIdentity(), transactionResult: false }), soon)
      .catch(() => {})
  }

  function inTurn<T>(step: () => Promise<T>): Promise<T> {
    const done = queue.then(step)
    queue = done.catch(() => {})
    return done
  }

  return {
    transact: (work, until) => inTurn(() => transactNow(work, until)),
    keepAlive: (until) => inTurn(() => renew(until)),
  }
}
