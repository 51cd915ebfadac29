import { partitionOf } from '../../../infra/event-log/partitioner.ts'
import type { Commit, EventLog, LogRecord, NewRecord } from '../../../infra/event-log/port.ts'
import { type TopicName, topics } from '../../../schemas/topics.ts'
import { NOON } from '../judge/fixtures.ts'

export interface MemoryLog extends Pick<EventLog, 'bounds' | 'settled' | 'read' | 'append' | 'committed'> {
  /** Forgets the records of a retained topic before an offset. */
  forget(topic: TopicName, before: number, partition?: number): void
  /** Keeps the last record of each key in each partition, as compaction does. */
  compact(topic: TopicName): void
  end(topic: TopicName, partition?: number): number
  /** Commits for every group. */
  commit(place: Pick<Commit, 'topic' | 'partition' | 'offset'>): void
  /** Appends as a process does that still knows another number of partitions. */
  appendTo(partition: number, record: NewRecord): void
  /** From now on the topic has this many partitions. */
  grow(topic: TopicName, partitions: number): void
}

interface Partition {
  records: LogRecord[]
  start: number
  end: number
}

/**
 * A log in memory with this many partitions per topic, whose records can be forgotten.
 * @param now the time at which a record is appended, UTC epoch milliseconds.
 */
export function memoryLog(partitions = 1, now: () => number = () => NOON): MemoryLog {
  const commits = new Map<string, Commit>()
  const all = new Map<TopicName, Partition[]>()
  const partitionsOf = (topic: TopicName) => {
    const ofTopic = all.get(topic) ?? empty(topics[topic].partitions === 1 ? 1 : partitions)
    all.set(topic, ofTopic)
    return ofTopic
  }
  const at = (topic: TopicName, partition: number) => partitionsOf(topic)[partition]!
  function appendTo(partition: number, { topic, key, value }: NewRecord) {
    const into = at(topic, partition)
    const offset = into.end++
    into.records.push({ topic, partition, offset, key, value, appendedAt: now() })
    return { topic, partition, offset }
  }

  return {
    bounds: async (topic) => partitionsOf(topic).map(({ start, end }, partition) => ({ partition, start, end })),
    settled: async () => {},
    read: async (topic, partition, from, max) =>
      at(topic, partition)
        .records.filter(({ offset }) => offset >= from)
        .slice(0, max),
    append: async (added) =>
      added.map((record) => {
        return appendTo(partitionOf(Buffer.from(record.key!), partitionsOf(record.topic).length), record)
      }),
    appendTo,
    forget(topic, before, partition = 0) {
      const from = at(topic, partition)
      from.start = Math.max(from.start, before)
      from.records = from.records.filter(({ offset }) => offset >= before)
    },
    compact(topic) {
      for (const each of partitionsOf(topic)) {
        const last = new Map(each.records.map((record) => [record.key, record]))
        each.records = [...last.values()].sort((a, b) => a.offset - b.offset)
      }
    },
    end: (topic, partition = 0) => at(topic, partition).end,
    committed: async () => [...commits.values()],
    commit: (place) => void commits.set(`${place.topic}/${place.partition}`, { ...place, metadata: '' }),
    grow(topic, count) {
      const ofTopic = partitionsOf(topic)
      ofTopic.push(...empty(count - ofTopic.length))
    },
  }
}

const empty = (count: number) => Array.from({ length: count }, (): Partition => ({ records: [], start: 0, end: 0 }))
