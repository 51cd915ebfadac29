import type { EventLog, LogRecord, NewRecord } from '../../../infra/event-log/port.ts'
import type { TopicName } from '../../../schemas/topics.ts'

export interface MemoryLog extends Pick<EventLog, 'bounds' | 'read' | 'append'> {
  /** Forgets the records of a retained topic before an offset. */
  forget(topic: TopicName, before: number): void
  /** Keeps the last record of each key, as compaction does. */
  compact(topic: TopicName): void
  end(topic: TopicName): number
}

/** A log in memory, of one partition a topic, whose records can be forgotten. */
export function memoryLog(): MemoryLog {
  const records = new Map<TopicName, LogRecord[]>()
  const ends = new Map<TopicName, number>()
  const starts = new Map<TopicName, number>()
  const of = (topic: TopicName) => records.get(topic) ?? []
  const end = (topic: TopicName) => ends.get(topic) ?? 0
  return {
    bounds: async (topic) => [{ partition: 0, start: starts.get(topic) ?? 0, end: end(topic) }],
    read: async (topic, _partition, from, max) =>
      of(topic)
        .filter(({ offset }) => offset >= from)
        .slice(0, max),
    async append(added: readonly NewRecord[]) {
      return added.map(({ topic, key, value }) => {
        const offset = end(topic)
        records.set(topic, [...of(topic), { topic, partition: 0, offset, key, value, appendedAt: 0 }])
        ends.set(topic, offset + 1)
        return { topic, partition: 0, offset }
      })
    },
    forget(topic, before) {
      starts.set(topic, Math.max(starts.get(topic) ?? 0, before))
      records.set(
        topic,
        of(topic).filter(({ offset }) => offset >= before),
      )
    },
    compact(topic) {
      const last = new Map(of(topic).map((record) => [record.key, record]))
      records.set(topic, [...last.values()])
    },
    end,
  }
}
