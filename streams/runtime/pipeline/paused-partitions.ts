import type { Assignment, LogConsumer } from '../../../infra/event-log/port.ts'
import { MINUTE_MS } from '../../../schemas/durations.ts'
import type { TopicName } from '../../../schemas/topics.ts'
import { msSince } from '../../../services/domain/time/ms-since.ts'
import type { PausedPartition, StreamLogger } from '../stream.ts'

/**
 * The paused partitions of a stream, whose next record needs a newer version of the program. A process refuses them, so that
 * a member that can read them takes over. It tries them again from time to time, since compaction or retention may have removed
 * the record.
 */
export interface PartitionPauses {
  /** Stops reading a partition at an offset. */
  pause(consumer: LogConsumer, at: { assignment: Assignment; offset: number; reason: Error }): void
  /** Retries the partitions that are due, and forgets those that have moved to another member. Call it between two polls. */
  resumeDue(consumer: LogConsumer): void
  /** Call it when a whole batch of the partition was processed. */
  resumed(topic: TopicName, partition: number): void
  list(): PausedPartition[]
  clear(): void
}

/** The wait before the same record is tried again. It doubles each time, because a running process does not become newer. */
const LOOK_FIRST_MS = 5_000
const LOOK_MAX_MS = 5 * MINUTE_MS

export function createPartitionPauses(options: {
  name: string
  now: () => number
  logger: StreamLogger
}): PartitionPauses {
  const { name, now, logger } = options
  /** `waitsSince` is null while the record is being tried again. */
  const paused = new Map<
    string,
    PausedPartition & { assignment: Assignment; waitsSince: number | null; waitMs: number }
  >()
  const keyOf = (topic: TopicName, partition: number) => `${topic}/${partition}`

  return {
    pause(consumer, { assignment, offset, reason }) {
      const { topic, partition } = assignment
      const before = paused.get(keyOf(topic, partition))
      const isSame = before?.offset === offset
      const waitMs = isSame ? Math.min(2 * before.waitMs, LOOK_MAX_MS) : LOOK_FIRST_MS
      const since = isSame ? before.since : now()
      const each = { topic, partition, offset, reason: reason.message, since }
      paused.set(keyOf(topic, partition), { ...each, assignment, waitMs, waitsSince: now() })
      consumer.refuse(assignment)
      logger.warn({ stream: name, topic, partition, offset, waitMs }, `${name} pauses a partition: ${reason.message}`)
    },
    resumeDue(consumer) {
      if (paused.size === 0) return
      const assigned = new Set(consumer.assigned().map(({ topic, partition }) => keyOf(topic, partition)))
      for (const [key, each] of paused) {
        if (!assigned.has(key)) paused.delete(key)
        else if (each.waitsSince !== null && msSince(each.waitsSince, now()) >= each.waitMs) {
          each.waitsSince = null
          consumer.seek(each.assignment, each.offset)
        }
      }
    },
    resumed(topic, partition) {
      if (!paused.delete(keyOf(topic, partition))) return
      logger.info({ stream: name, topic, partition }, `${name} resumes a partition`)
    },
    list: () => [...paused.values()].map(({ assignment, waitsSince, waitMs, ...rest }) => rest),
    clear: () => paused.clear(),
  }
}
