import type { Assignment, LogConsumer } from '../../infra/event-log/port.ts'
import type { TopicName } from '../../schemas/topics.ts'
import type { StreamLogger } from './pipeline.ts'

/** A partition that stands still because its next record needs a newer version of the program. */
export interface WaitingPartition {
  topic: TopicName
  partition: number
  /** Everything before it is done, and nothing from it on. */
  offset: number
  reason: string
  /** UTC epoch milliseconds. */
  since: number
}

/**
 * The partitions of a stream that wait. A member leaves them alone, and gives them up to a member that can read them. It
 * looks again from time to time, since compaction or retention may have removed the record.
 */
export interface WaitingPartitions {
  /** Leaves a partition alone from an offset on. */
  stopAt(consumer: LogConsumer, at: { assignment: Assignment; offset: number; reason: Error }): void
  /** Looks again at those whose time has come, and forgets those that have gone to another member. Between two polls. */
  look(consumer: LogConsumer): void
  /** A batch of the partition was done to its end. */
  goneOn(topic: TopicName, partition: number): void
  list(): WaitingPartition[]
  clear(): void
}

/** Between two looks at the same record: doubling, because a process seldom learns anything while it runs. Also of its log. */
const LOOK_FIRST_MS = 5_000
const LOOK_MAX_MS = 5 * 60_000

export function createWaitingPartitions(options: {
  name: string
  now: () => number
  logger: StreamLogger
}): WaitingPartitions {
  const { name, now, logger } = options
  const waiting = new Map<string, WaitingPartition & { assignment: Assignment; lookAt: number; waitMs: number }>()
  const keyOf = (topic: TopicName, partition: number) => `${topic}/${partition}`

  return {
    stopAt(consumer, { assignment, offset, reason }) {
      const { topic, partition } = assignment
      const before = waiting.get(keyOf(topic, partition))
      const isSame = before?.offset === offset
      const waitMs = isSame ? Math.min(2 * before.waitMs, LOOK_MAX_MS) : LOOK_FIRST_MS
      const since = isSame ? before.since : now()
      const each = { topic, partition, offset, reason: reason.message, since }
      waiting.set(keyOf(topic, partition), { ...each, assignment, waitMs, lookAt: now() + waitMs })
      consumer.refuse(assignment)
      logger.warn({ stream: name, topic, partition, offset, waitMs }, `${name} leaves a partition: ${reason.message}`)
    },
    look(consumer) {
      if (waiting.size === 0) return
      const assigned = new Set(consumer.assigned().map(({ topic, partition }) => keyOf(topic, partition)))
      for (const [key, each] of waiting) {
        if (!assigned.has(key)) waiting.delete(key)
        else if (now() >= each.lookAt) {
          each.lookAt = Number.POSITIVE_INFINITY
          consumer.seek(each.assignment, each.offset)
        }
      }
    },
    goneOn(topic, partition) {
      if (!waiting.delete(keyOf(topic, partition))) return
      logger.info({ stream: name, topic, partition }, `${name} goes on with a partition`)
    },
    list: () => [...waiting.values()].map(({ assignment, lookAt, waitMs, ...rest }) => rest),
    clear: () => waiting.clear(),
  }
}
