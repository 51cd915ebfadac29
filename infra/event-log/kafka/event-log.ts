import { type TopicName, topicNames } from '../../../schemas/topics.ts'
import { type EventLog, type ExclusiveWriter, Fenced, LogUnavailable, type NewRecord } from '../port.ts'
import { checkedBytes } from '../record-check.ts'
import type { Codec } from './client/compression.ts'
import { isFenced } from './client/errors.ts'
import { closedError, type KafkaAddress, openLink } from './client/link.ts'
import { openConsumer } from './group/consumer.ts'
import { namesIn } from './names.ts'
import { createAppender } from './produce/append.ts'
import { openTransactionalWriter } from './produce/transaction.ts'
import { createCounter } from './read/count.ts'
import { FETCH_PARTITION_MAX_BYTES } from './read/fetch.ts'
import { createReader, logRecordsIn } from './read/reader.ts'
import { openTail } from './read/tail.ts'

const TIMEOUT_MS = 5_000
const SESSION_TIMEOUT_MS = 10_000
/** What a read of few records asks for; batches hold many, and come whole. */
const READ_BYTES_PER_RECORD = 1_024
/** An exclusive writer that is idle would be forgotten after `transactional.id.expiration.ms`, a week by default. */
const WRITER_KEEP_ALIVE_MS = 86_400_000
const CODEC: Codec = 'zstd'

export interface KafkaEventLogOptions extends KafkaAddress {
  /** Before the names of all topics, groups and transactional ids. */
  namespace: string
  /** UTC epoch milliseconds. */
  now: () => number
  /** From the call of an append, a commit or a question to its answer; then it is LogUnavailable. Default: 5 s. */
  timeoutMs?: number
  /** A member of a group that is not heard of for so long has lost its partitions. Default: 10 s; the brokers' minimum is 6 s. */
  sessionTimeoutMs?: number
  /** Default: zstd. */
  codec?: Codec
}

/** The log in Kafka. Connects at first use, and again whenever it must; `migrateKafka` makes the topics. */
export function connectKafkaEventLog(options: KafkaEventLogOptions): EventLog {
  const { namespace, now, timeoutMs = TIMEOUT_MS, sessionTimeoutMs = SESSION_TIMEOUT_MS, codec = CODEC } = options
  const names = namesIn(namespace)
  const control = openLink(options)
  const reader = createReader(control, names)
  const appender = createAppender({ link: control, names, codec, timeoutMs, now })
  const counter = createCounter({ reader, now })
  const open = new Set<{ close(): Promise<void> }>()
  let closed = false

  const deadline = () => performance.now() + timeoutMs

  /** Whoever asks after the end is told so; what is still open at the end is closed with the log. */
  function live<A extends unknown[], T>(call: (...args: A) => Promise<T>): (...args: A) => Promise<T> {
    return async (...args) => {
      if (closed) throw closedError()
      try {
        return await call(...args)
      } catch (error) {
        throw (error as Error).name.startsWith('KafkaJS') ? refused(error as Error) : error
      }
    }
  }

  function kept<T extends { close(): Promise<void> }>(opened: T): T {
    open.add(opened)
    const { close } = opened
    return {
      ...opened,
      close() {
        open.delete(opened)
        return close()
      },
    }
  }

  async function checkPartition(topic: TopicName, partition: number): Promise<void> {
    const partitions = await reader.partitionsOf(topic, deadline())
    if (!partitions.includes(partition)) throw new RangeError(`${topic} has no partition ${partition}`)
  }

  async function openWriter(name: string): Promise<ExclusiveWriter> {
    const writer = await openTransactionalWriter({ link: control, names, codec, now }, names.writer(name), deadline())
    // What goes wrong here, such as that another has taken over, the next append finds too.
    const keepingAlive = setInterval(() => writer.keepAlive(deadline()).catch(() => {}), WRITER_KEEP_ALIVE_MS).unref()
    return kept({
      append: live(async (records: readonly NewRecord[]) => {
        checkedBytes(records)
        if (records.length === 0) return []
        try {
          return await writer.transact({ records, offset: null }, deadline())
        } catch (error) {
          throw isFenced(error) ? new Fenced(`Another writer ${name} has taken over`) : error
        }
      }),
      async close() {
        clearInterval(keepingAlive)
      },
    })
  }

  return {
    append: live(appender.append),
    consumer: live(async ({ group, topics }) => {
      const link = openLink(options)
      const shared = { control, names, reader, codec, sessionTimeoutMs, timeoutMs, now }
      const consumer = kept(await openConsumer({ ...shared, link, group, topics }))
      return { ...consumer, poll: live(consumer.poll), commit: live(consumer.commit) }
    }),
    tail: live(async (topic, onBatch) => {
      const link = openLink(options)
      return kept(await openTail({ link, names, reader, topic, onBatch, timeoutMs }))
    }),
    exclusiveWriter: live(openWriter),
    bounds: live((topic) => reader.bounds(topic, deadline())),
    count: live(async (topic, partition, from, to) => {
      await checkPartition(topic, partition)
      return counter.count(topic, partition, from, to, deadline)
    }),
    read: live(async (topic, partition, from, max) => {
      await checkPartition(topic, partition)
      const maxBytes = Math.min(FETCH_PARTITION_MAX_BYTES, max * READ_BYTES_PER_RECORD)
      for (let next = from; ; ) {
        const answer = await reader.fetch({ topic, partition, from: next, maxBytes }, deadline())
        if (!answer) return []
        const records = logRecordsIn(answer, topic, from, max)
        if (records.length > 0) return records
        next = answer.next
      }
    }),
    committed: live((group) => reader.committed(group, topicNames, deadline())),
    reset: live((group, commits) =>
      commits === null ? reader.forget(group, deadline()) : reader.setCommitted(group, commits, deadline()),
    ),
    async close() {
      if (closed) return
      closed = true
      await appender.settled()
      await Promise.all([...open].map((each) => each.close()))
      await control.close()
    },
  }
}

function refused(error: Error): LogUnavailable {
  return new LogUnavailable(`Kafka has refused: ${error.message}`)
}
