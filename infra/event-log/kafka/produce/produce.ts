import { setTimeout as sleep } from 'node:timers/promises'
import type { TopicName } from '../../../../schemas/topics.ts'
import { LogUnavailable } from '../../port.ts'
import type { BrokerClient } from '../client/broker-client.ts'
import { remedyFor } from '../client/errors.ts'
import { type BatchRecord, type Codec, encodeBatch } from '../client/protocol/record-batch.ts'
import { type ProducerIdentity, produceRequest } from '../client/protocol/requests.ts'
import { namingTheRight } from '../client/rights.ts'
import type { KafkaNames } from '../names.ts'

const RETRY_MS = 50
const SEQUENCE_MODULUS = 2 ** 31

/** What every producer of the log needs. */
export interface ProducerOptions {
  client: BrokerClient
  names: KafkaNames
  codec: Codec
  /** UTC epoch milliseconds. */
  now: () => number
}

/** A producer, and the next sequence number of each partition, by which brokers recognise a repeated batch. */
export interface ProducerSession extends ProducerIdentity {
  sequences: Map<string, number>
}

/** Gets a new identity. With a transactional id, this fences the earlier holder of the id and aborts the transaction it left open. */
export async function openSession(
  client: BrokerClient,
  { transactionalId, transactionTimeoutMs }: { transactionalId: string | null; transactionTimeoutMs: number },
  deadline: number,
): Promise<ProducerSession> {
  const target = transactionalId === null ? 'ANY' : { transactionOf: transactionalId }
  const options = { transactionalId, transactionTimeout: transactionTimeoutMs }
  const { producerId, producerEpoch } = await client.request(target, 'initProducerId', options, deadline)
  return { transactionalId, producerId: BigInt(producerId), producerEpoch, sequences: new Map() }
}

/** A batch as it is sent. A retry sends the same bytes: the broker recognises the repetition by its sequence number. */
export interface EncodedBatch {
  /** Full name. */
  topic: string
  partition: number
  bytes: Buffer
}

/** Encodes the next batch that a session sends to a partition. */
export function encodeNext(
  session: ProducerSession,
  { names, codec, now }: ProducerOptions,
  { topic, partition, records }: { topic: TopicName; partition: number; records: readonly BatchRecord[] },
): EncodedBatch {
  const { transactionalId, producerId, producerEpoch, sequences } = session
  const place = `${topic}/${partition}`
  const firstSequence = sequences.get(place) ?? 0
  sequences.set(place, (firstSequence + records.length) % SEQUENCE_MODULUS)
  const origin = { producerId, producerEpoch, firstSequence, transactional: transactionalId !== null }
  const bytes = encodeBatch(records, origin, { codec, timestamp: now() })
  return { topic: names.topic(topic), partition, bytes }
}

/**
 * Stores batches of different partitions, and retries until the deadline.
 * @returns the offset of each batch's first record, as soon as its broker has answered. @throws LogUnavailable after the deadline:
 * the batch may have been stored; Kafka's error when it was refused.
 */
export function produce(
  client: BrokerClient,
  transactionalId: string | null,
  batches: readonly EncodedBatch[],
  deadline: number,
): Promise<number>[] {
  const pending = batches.map((batch) => ({ batch, ...Promise.withResolvers<number>() }))
  void produceAll(client, transactionalId, pending, deadline)
  return pending.map(({ promise }) => promise)
}

interface PendingBatch {
  batch: EncodedBatch
  resolve: (baseOffset: number) => void
  reject: (error: Error) => void
}

async function produceAll(
  client: BrokerClient,
  transactionalId: string | null,
  pending: readonly PendingBatch[],
  deadline: number,
): Promise<void> {
  try {
    const leaders = new Map<PendingBatch, number | undefined>()
    for (const each of pending) {
      const { topic, partition } = each.batch
      leaders.set(each, (await client.leaders(topic, deadline)).get(partition))
    }
    for (const group of Map.groupBy(pending, (each) => leaders.get(each)).values()) {
      produceTo(client, transactionalId, group, deadline).catch((error: Error) => rejectAll(group, error))
    }
  } catch (error) {
    rejectAll(pending, error as Error)
  }
}

function rejectAll(pending: readonly PendingBatch[], error: Error): void {
  for (const { reject } of pending) reject(error)
}

/** Stores batches of partitions that have the same leader. */
async function produceTo(
  client: BrokerClient,
  transactionalId: string | null,
  pending: readonly PendingBatch[],
  deadline: number,
): Promise<void> {
  const batches = pending.map(({ batch }) => batch)
  const request = produceRequest(transactionalId, batches, Math.max(1, Math.round(deadline - performance.now())))
  const answers = await client.send({ leaderOf: batches[0]! }, request, deadline)
  const retried: PendingBatch[] = []
  for (const each of pending) {
    const { topic, partition } = each.batch
    const answer = answers.find((of) => of.topic === topic && of.partition === partition)
    if (!answer) each.reject(new Error(`Kafka has not answered for ${topic}`))
    else if (!answer.error) each.resolve(answer.baseOffset)
    else if (remedyFor(answer.error) === 'NONE') each.reject(namingTheRight(answer.error, 'Produce', { topic }))
    else retried.push(each)
  }
  if (retried.length === 0) return
  if (performance.now() + RETRY_MS > deadline) throw new LogUnavailable('Kafka has not stored the records in time')
  client.refresh()
  await sleep(RETRY_MS)
  await produceAll(client, transactionalId, retried, deadline)
}
