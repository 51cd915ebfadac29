import { setTimeout as sleep } from 'node:timers/promises'
import type { TopicName } from '../../../../schemas/topics.ts'
import { type Commit, type LogRecord, LogUnavailable, type PartitionBounds } from '../../port.ts'
import type { BrokerClient } from '../client/broker-client.ts'
import { FETCH_PARTITION_MAX_BYTES, type FetchedPartition, fetchOneRequest } from '../client/protocol/fetch.ts'
import { recordsFrom } from '../client/protocol/record-batch.ts'
import { deleteGroupRequest, type OffsetQuestion } from '../client/protocol/requests.ts'
import type { KafkaNames } from '../names.ts'
import { offsetsOf } from './offsets.ts'

const FIRST: OffsetQuestion = { at: 'EARLIEST', isolationLevel: 'READ_COMMITTED' }
const COMMITTED_END: OffsetQuestion = { at: 'LATEST', isolationLevel: 'READ_COMMITTED' }
const END: OffsetQuestion = { at: 'LATEST', isolationLevel: 'READ_UNCOMMITTED' }
/** Commits of a group without members name neither a member nor a generation. */
const NO_MEMBER = { memberId: '', groupGenerationId: -1 }
/** Bytes that a read asks for per record. Batches come whole, and most hold many records. */
const READ_BYTES_PER_RECORD = 1_024
/** Most transactions last for less than this. */
const SETTLING_LOOK_MS = 50

export type LogReader = ReturnType<typeof createReader>

/** Reads topics outside any group, and reads and sets the commits of groups. @throws LogUnavailable after the deadline. */
export function createReader(client: BrokerClient, names: KafkaNames) {
  async function partitionsOf(topic: TopicName, deadline: number): Promise<number[]> {
    return [...(await client.leaders(names.topic(topic), deadline)).keys()].sort((a, b) => a - b)
  }

  const offsetsAt = (topic: TopicName, partitions: readonly number[], question: OffsetQuestion, deadline: number) =>
    offsetsOf(client, names.topic(topic), partitions, question, deadline)

  async function boundsOf(
    topic: TopicName,
    partitions: readonly number[],
    deadline: number,
  ): Promise<PartitionBounds[]> {
    const [starts, ends] = await Promise.all([
      offsetsAt(topic, partitions, FIRST, deadline),
      offsetsAt(topic, partitions, COMMITTED_END, deadline),
    ])
    return partitions.map((partition) => ({ partition, start: starts.get(partition)!, end: ends.get(partition)! }))
  }

  /**
   * One response with records of a partition from an offset on, or from its start when that offset is no longer held; null at the end
   * of the partition. A response may contain no readable records and still lead on to its `next`.
   */
  async function fetch(
    { topic, partition, from, maxBytes }: { topic: TopicName; partition: number; from: number; maxBytes: number },
    deadline: number,
  ): Promise<FetchedPartition | null> {
    const place = { topic: names.topic(topic), partition }
    const fetchAt = async (offset: number) => {
      const request = fetchOneRequest({ ...place, offset }, { maxWaitMs: 0, maxBytes })
      const [fetched = null] = await client.send({ leaderOf: place }, request, deadline)
      return fetched
    }
    let fetched = await fetchAt(Math.max(0, from))
    if (fetched?.error) {
      const [{ start, end }] = (await boundsOf(topic, [partition], deadline)) as [PartitionBounds]
      if (from >= start || start >= end) return null
      fetched = await fetchAt(start)
    }
    return fetched
  }

  return {
    fetch,

    /** The offset of the first record that each partition holds. */
    async starts(topic: TopicName, deadline: number): Promise<Map<number, number>> {
      return offsetsAt(topic, await partitionsOf(topic, deadline), FIRST, deadline)
    },

    /** @throws RangeError */
    async checkPartition(topic: TopicName, partition: number, deadline: number): Promise<void> {
      const partitions = await partitionsOf(topic, deadline)
      if (!partitions.includes(partition)) throw new RangeError(`${topic} has no partition ${partition}`)
    },

    async bounds(topic: TopicName, deadline: number): Promise<PartitionBounds[]> {
      return boundsOf(topic, await partitionsOf(topic, deadline), deadline)
    },

    /**
     * The end of each partition, including transactions that are still undecided: a broker that has just started may not have marked
     * acknowledged ones yet.
     */
    async ends(topic: TopicName, deadline: number): Promise<Map<number, number>> {
      return offsetsAt(topic, await partitionsOf(topic, deadline), END, deadline)
    },

    /** Waits until the transactions that are undecided at the call are decided, since any of them may be committed already. */
    async settled(topic: TopicName, deadline: number): Promise<void> {
      const partitions = await partitionsOf(topic, deadline)
      const ends = await offsetsAt(topic, partitions, END, deadline)
      for (;;) {
        const readable = await offsetsAt(topic, partitions, COMMITTED_END, deadline)
        if (partitions.every((partition) => readable.get(partition)! >= ends.get(partition)!)) return
        if (performance.now() + SETTLING_LOOK_MS > deadline) {
          throw new LogUnavailable(`A transaction in ${topic} is still undecided`)
        }
        await sleep(SETTLING_LOOK_MS)
      }
    },

    /** As `EventLog.read`. */
    async read(topic: TopicName, partition: number, from: number, max: number, deadline: number): Promise<LogRecord[]> {
      const maxBytes = Math.min(FETCH_PARTITION_MAX_BYTES, max * READ_BYTES_PER_RECORD)
      for (let at = from; ; ) {
        const fetched = await fetch({ topic, partition, from: at, maxBytes }, deadline)
        if (!fetched) return []
        const records: LogRecord[] = []
        for (const batch of fetched.batches) {
          if (records.length >= max) break
          for (const { offset, key, value, timestamp } of recordsFrom(batch, from)) {
            records.push({ topic, partition, offset, key, value, appendedAt: timestamp })
          }
        }
        if (records.length > 0) return records.slice(0, max)
        at = fetched.next
      }
    },

    async committed(group: string, deadline: number): Promise<Commit[]> {
      const groupId = names.group(group)
      // An empty list asks for exactly the partitions that the group has committed.
      const asked = { groupId, topics: [] }
      const { responses } = await client.request({ groupOf: groupId }, 'offsetFetch', asked, deadline)
      return responses.flatMap(({ topic: fullName, partitions }) => {
        const topic = names.topicOf(fullName)
        if (topic === null) return []
        return partitions
          .filter(({ offset }) => Number(offset) >= 0)
          .map(({ partition, offset, metadata }) => ({
            topic,
            partition,
            offset: Number(offset),
            metadata: metadata ?? '',
          }))
      })
    },

    /** Kafka refuses it while the group has members. */
    async setCommitted(group: string, commits: readonly Commit[], deadline: number): Promise<void> {
      const groupId = names.group(group)
      const topics = commits.map(({ topic, partition, offset, metadata }) => ({
        topic: names.topic(topic),
        partitions: [{ partition, offset, metadata }],
      }))
      if (topics.length === 0) return
      const commit = { groupId, ...NO_MEMBER, topics }
      await client.request({ groupOf: groupId }, 'offsetCommit', commit, deadline)
    },

    /** Kafka refuses it while the group has members. */
    async forget(group: string, deadline: number): Promise<void> {
      const groupId = names.group(group)
      await client.send({ groupOf: groupId }, deleteGroupRequest(groupId), deadline)
    },
  }
}
