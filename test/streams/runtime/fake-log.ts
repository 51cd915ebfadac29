import type { Commit, EventLog, LogRecord, NewRecord, PartitionOffset } from '../../../infra/event-log/port.ts'
import type { TopicName } from '../../../schemas/topics.ts'

/** A log in memory for streams that read positions but no records. The test sets what the groups have committed. */
export function fakeLog() {
  const groups = new Map<string, Commit[]>()
  const unused = () => Promise.reject(new Error('not part of this fake'))
  const log: EventLog = {
    append: unused,
    consumer: unused,
    tail: unused,
    exclusiveWriter: unused,
    bounds: unused,
    settled: unused,
    count: unused,
    read: unused,
    replace: unused,
    committed: async (group) => groups.get(group) ?? [],
    async reset(group, commits) {
      if (commits === null) groups.delete(group)
      else groups.set(group, [...commits])
    },
    close: async () => {},
  }
  return log
}

/** A topic of one partition in memory, with what was appended. */
export function fakeTopic() {
  const appended: NewRecord[] = []
  const topic = {
    async append(records: readonly NewRecord[]) {
      appended.push(...records)
      return []
    },
    bounds: async () => [{ partition: 0, start: 0, end: appended.length }],
    async tail(_topic: string, onBatch: (records: LogRecord[]) => unknown, from: readonly PartitionOffset[] = []) {
      await onBatch(appended.map((record, at) => logRecord(record, 0, at)).slice(from[0]?.offset ?? 0))
      return { close: async () => {} }
    },
  } satisfies Pick<EventLog, 'append' | 'bounds' | 'tail'>
  return { appended, ...topic }
}

/** A record as the log would return it. */
export function logRecord(record: NewRecord, partition: number, offset: number): LogRecord {
  return { ...record, topic: record.topic as TopicName, partition, offset, appendedAt: 0 }
}
