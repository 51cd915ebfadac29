import type { NewRecord, Position } from '../../port.ts'
import { commitOffsetRequest, renewProducerRequest, type TransactionalOffset } from '../client/protocol/requests.ts'
import { partitionsAtFirst } from './known-partitions.ts'
import { createPartitioner, notePositions, type PartitionBatch } from './partition-batches.ts'
import { encodeNext, openSession, type ProducerOptions, produce } from './produce.ts'

/** The broker aborts a transaction that lasts longer, so that a frozen writer does not hold readers up for long. */
const TRANSACTION_TIMEOUT_MS = 10_000
const ABORT_TIMEOUT_MS = 1_000

/** Stores records, and perhaps a group's offset, together or not at all. */
export interface TransactionalWriter {
  /**
   * Resolves when readers see everything. Calls run one after the other.
   * @throws LogUnavailable when the deadline has passed: all of it may have been stored. Kafka's error when it was refused,
   * `isFenced` when another writer has taken over: nothing was stored.
   */
  transact(records: readonly NewRecord[], offset: TransactionalOffset | null, deadline: number): Promise<Position[]>
  /** Shows the brokers that the transactional id is in use: they forget one that is idle for a week. @throws as `transact`. */
  keepAlive(deadline: number): Promise<void>
}

/** Takes over a transactional id: its last owner is fenced, and the transaction that this owner left open is aborted. */
export async function openTransactionalWriter(
  options: ProducerOptions,
  transactionalId: string,
  deadline: number,
): Promise<TransactionalWriter> {
  const { client, names } = options
  const coordinator = { transactionOf: transactionalId }
  const opened = { transactionalId, transactionTimeoutMs: TRANSACTION_TIMEOUT_MS }
  let session = await openSession(client, opened, deadline)
  const toPartitionBatches = createPartitioner(partitionsAtFirst(client, names))
  /** After a failure it is unknown what the broker holds of the last transaction, or which epoch it has given out. */
  let isInDoubt = false
  let queue: Promise<unknown> = Promise.resolve()

  const identity = () => ({
    transactionalId,
    producerId: `${session.producerId}`,
    producerEpoch: session.producerEpoch,
  })

  /** Aborts what is open and raises the epoch, unless another writer has taken over. */
  async function renew(deadline: number): Promise<void> {
    isInDoubt = true
    const renewed = await client.send(coordinator, renewProducerRequest(session, TRANSACTION_TIMEOUT_MS), deadline)
    session = { transactionalId, ...renewed, sequences: new Map() }
    isInDoubt = false
  }

  async function transact(records: readonly NewRecord[], offset: TransactionalOffset | null, deadline: number) {
    if (isInDoubt) await renew(deadline)
    const batches = await toPartitionBatches(records, deadline)
    isInDoubt = true
    try {
      await begin(batches, offset, deadline)
      const storing = storeBatches(batches, records.length, deadline)
      const [positions] = await Promise.all([storing, storeOffset(offset, deadline)])
      await commit(deadline)
      isInDoubt = false
      return positions
    } catch (error) {
      await end(false, performance.now() + ABORT_TIMEOUT_MS).catch(() => {})
      throw error
    }
  }

  /** Tells the coordinator which partitions and which group take part. */
  async function begin(batches: readonly PartitionBatch[], offset: TransactionalOffset | null, deadline: number) {
    const topics = [...Map.groupBy(batches, ({ topic }) => topic)].map(([topic, of]) => ({
      topic: names.topic(topic),
      partitions: [...new Set(of.map(({ partition }) => partition))],
    }))
    if (topics.length > 0) {
      await client.request(coordinator, 'addPartitionsToTxn', { ...identity(), topics }, deadline)
    }
    if (!offset) return
    await client.request(coordinator, 'addOffsetsToTxn', { ...identity(), groupId: offset.group }, deadline)
  }

  /** In rounds: a partition takes one batch at a time. */
  async function storeBatches(batches: readonly PartitionBatch[], count: number, deadline: number) {
    const positions = new Array<Position>(count)
    for (let left = batches; left.length > 0; ) {
      const byPartition = Map.groupBy(left, ({ topic, partition }) => `${topic}/${partition}`)
      const round = [...byPartition.values()].map(([first]) => first!)
      const stored = produce(
        client,
        transactionalId,
        round.map((batch) => encodeNext(session, options, batch)),
        deadline,
      )
      for (const [index, baseOffset] of (await Promise.all(stored)).entries()) {
        notePositions(positions, round[index]!, baseOffset)
      }
      left = left.filter((batch) => !round.includes(batch))
    }
    return positions
  }

  async function storeOffset(offset: TransactionalOffset | null, deadline: number): Promise<void> {
    if (!offset) return
    await client.send({ groupOf: offset.group }, commitOffsetRequest(session, offset), deadline)
  }

  const end = (transactionResult: boolean, deadline: number) =>
    client.request(coordinator, 'endTxn', { ...identity(), transactionResult }, deadline)

  /** Asks twice. The first answer says that the decision is stored; the second is refused as concurrent until readers see everything. */
  async function commit(deadline: number): Promise<void> {
    await end(true, deadline)
    await end(true, deadline)
  }

  function inTurn<T>(step: () => Promise<T>): Promise<T> {
    const done = queue.then(step)
    queue = done.catch(() => {})
    return done
  }

  return {
    transact: (records, offset, deadline) => inTurn(() => transact(records, offset, deadline)),
    keepAlive: (deadline) => inTurn(() => renew(deadline)),
  }
}
