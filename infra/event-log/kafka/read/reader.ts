import type { Broker } from 'kafkajs/internals'
import type { TopicName } from '../../../../schemas/topics.ts'
import type { Commit, LogRecord, PartitionBounds } from '../../port.ts'
import type { Link } from '../client/link.ts'
import type { KafkaNames } from '../names.ts'
import { type Fetched, type FetchFrom, fetchFrom, recordsFrom } from './fetch.ts'

const EARLIEST = -2
const LATEST = -1
const READ_UNCOMMITTED = 0
const READ_COMMITTED = 1
const NO_MEMBER = ''
const NO_GENERATION = -1

export interface ReadFrom {
  topic: TopicName
  partition: number
  from: number
  /** Of the answer, as it is sent; a single batch that is larger still comes whole. */
  maxBytes: number
}

/** Questions to the log that belong to no group. All take `until`, by `performance.now()`, and throw LogUnavailable after it. */
export function createReader(link: Link, names: KafkaNames) {
  async function partitionsOf(topic: TopicName, until: number): Promise<number[]> {
    return [...(await link.leaders(names.topic(topic), until)).keys()].sort((a, b) => a - b)
  }

  async function offsetAt(
    topic: TopicName,
    partition: number,
    { timestamp, isolationLevel = READ_COMMITTED }: { timestamp: number; isolationLevel?: 0 | 1 },
    until: number,
  ): Promise<number> {
    const fullName = names.topic(topic)
    const { responses } = await link.request(
      { leaderOf: { topic: fullName, partition } },
      (broker) =>
        broker.listOffsets({
          isolationLevel,
          topics: [{ topic: fullName, partitions: [{ partition, timestamp }] }],
        }),
      until,
    )
    return Number(responses[0]!.partitions[0]!.offset)
  }

  async function boundsOf(topic: TopicName, partition: number, until: number): Promise<PartitionBounds> {
    const [start, end] = await Promise.all([
      offsetAt(topic, partition, { timestamp: EARLIEST }, until),
      offsetAt(topic, partition, { timestamp: LATEST }, until),
    ])
    return { partition, start, end }
  }

  return {
    partitionsOf,

    async bounds(topic: TopicName, until: number): Promise<PartitionBounds[]> {
      const partitions = await partitionsOf(topic, until)
      return Promise.all(partitions.map((partition) => boundsOf(topic, partition, until)))
    },

    /**
     * The end of each partition, behind the transactions too that are not decided yet: a broker that has just started
     * may still have to mark those that were acknowledged.
     */
    async ends(topic: TopicName, until: number): Promise<Map<number, number>> {
      const partitions = await partitionsOf(topic, until)
      const at = { timestamp: LATEST, isolationLevel: READ_UNCOMMITTED } as const
      const ends = partitions.map(async (each) => [each, await offsetAt(topic, each, at, until)] as const)
      return new Map(await Promise.all(ends))
    },

    /**
     * One answer of a partition: what it holds from an offset on, or from its start when that is not held any more; null
     * at its end. It may hold nothing to read and still lead on to its `next`.
     */
    async fetch({ topic, partition, from, maxBytes }: ReadFrom, until: number): Promise<Fetched | null> {
      const place = { topic: names.topic(topic), partition }
      const ask = (offset: number) =>
        link.request({ leaderOf: place }, (broker) => fetchOne(broker, { ...place, offset }, maxBytes), until)
      let fetched = await ask(Math.max(0, from))
      if (fetched.error) {
        const { start, end } = await boundsOf(topic, partition, until)
        if (from >= start || start >= end) return null
        fetched = await ask(start)
      }
      return fetched.next > from ? fetched : null
    },

    async committed(group: string, topicNames: readonly TopicName[], until: number): Promise<Commit[]> {
      const topics = await Promise.all(
        topicNames.map(async (topic) => ({
          topic: names.topic(topic),
          partitions: (await partitionsOf(topic, until)).map((partition) => ({ partition })),
        })),
      )
      const groupId = names.group(group)
      const { responses } = await link.request(
        { groupOf: groupId },
        (broker) => broker.offsetFetch({ groupId, topics }),
        until,
      )
      return responses.flatMap(({ topic, partitions }) =>
        partitions
          .filter(({ offset }) => Number(offset) >= 0)
          .map(({ partition, offset, metadata }) => ({
            topic: names.topicOf(topic)!,
            partition,
            offset: Number(offset),
            metadata: metadata ?? '',
          })),
      )
    },

    /** Refused by Kafka while the group has members. */
    async setCommitted(group: string, commits: readonly Commit[], until: number): Promise<void> {
      const groupId = names.group(group)
      const topics = commits.map(({ topic, partition, offset, metadata }) => ({
        topic: names.topic(topic),
        partitions: [{ partition, offset, metadata }],
      }))
      if (topics.length === 0) return
      await link.request(
        { groupOf: groupId },
        (broker) => broker.offsetCommit({ groupId, groupGenerationId: NO_GENERATION, memberId: NO_MEMBER, topics }),
        until,
      )
    },

    /** Refused by Kafka while the group has members. */
    async forget(group: string, until: number): Promise<void> {
      const groupId = names.group(group)
      await link.request(
        { groupOf: groupId },
        async (broker) => {
          const { results } = await broker.deleteGroups([groupId])
          const error = results[0]?.error
          if (error && error.type !== 'GROUP_ID_NOT_FOUND') throw error
        },
        until,
      )
    },
  }
}

export type Reader = ReturnType<typeof createReader>

/** @throws Kafka's error, unless it says that the offset is not held. */
async function fetchOne(broker: Broker, from: FetchFrom, maxBytes: number): Promise<Fetched> {
  const [fetched] = await fetchFrom(broker, [from], { maxWaitMs: 0, maxBytes })
  const { error } = fetched!
  if (error && error.type !== 'OFFSET_OUT_OF_RANGE') throw error
  return fetched!
}

/** The first records of an answer at or after an offset, as the port gives them. */
export function logRecordsIn(fetched: Fetched, topic: TopicName, from: number, max: number): LogRecord[] {
  const { partition } = fetched
  const records: LogRecord[] = []
  for (const batch of fetched.batches) {
    for (const { offset, key, value, timestamp } of recordsFrom(batch, from)) {
      if (records.length === max) return records
      records.push({ topic, partition, offset, key, value, appendedAt: timestamp })
    }
  }
  return records
}
