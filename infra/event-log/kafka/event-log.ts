import { DAY_MS } from '../../../schemas/durations.ts'
import { type EventLog, type ExclusiveWriter, Fenced, LogUnavailable, type NewRecord } from '../port.ts'
import { closedError, type KafkaAddress, openBrokerClient } from './client/broker-client.ts'
import { isFenced } from './client/errors.ts'
import type { Codec } from './client/protocol/record-batch.ts'
import { clusterIdRequest } from './client/protocol/requests.ts'
import { meaningOf } from './client/refusals.ts'
import { currentEpoch, type KafkaLog } from './epoch/current-epoch.ts'
import { withEpoch } from './epoch/with-epoch.ts'
import { openConsumer } from './group/consumer.ts'
import { namesIn } from './names.ts'
import { createAppender } from './produce/append.ts'
import { joinAppends } from './produce/joined-appends.ts'
import { partitionsNow } from './produce/known-partitions.ts'
import { openTransactionalWriter } from './produce/transaction.ts'
import { createCounter } from './read/count.ts'
import { createReader } from './read/reader.ts'
import { openTail } from './read/tail.ts'
import { sharedWarnings } from './warnings.ts'

const TIMEOUT_MS = 5_000
const SESSION_TIMEOUT_MS = 10_000
/** Brokers forget the id of an idle exclusive writer after `transactional.id.expiration.ms`, a week by default. */
const WRITER_KEEP_ALIVE_MS = DAY_MS
const CODEC: Codec = 'zstd'

export interface KafkaEventLogOptions extends KafkaAddress {
  /** Stands in front of the names of all topics, groups and transactional ids. */
  namespace: string
  /** UTC epoch milliseconds. */
  now: () => number
  /** Limit of an append, a commit or a query, after which the call throws LogUnavailable. Default: 5 s. */
  timeoutMs?: number
  /** A group member that is not heard from for this long loses its partitions. Default: 10 s; the brokers' minimum is 6 s. */
  sessionTimeoutMs?: number
  /** Default: zstd. */
  codec?: Codec
  /** Called when the log has been restored, or replaced by a copy, since this process began. Default: the error ends the thread. */
  onEpochEnded?: (error: Error) => void
}

/** The log in Kafka. Connects at first use, and again whenever a connection is lost; `migrateKafka` creates the topics. */
export function connectKafkaEventLog(options: KafkaEventLogOptions): EventLog {
  const log = connectWithoutEpoch(options)
  return withEpoch(log, currentEpoch(log, options.onEpochEnded ?? dieOf))
}

/** Throws outside of any call, where nothing catches the error. */
function dieOf(error: Error): void {
  setImmediate(() => {
    throw error
  })
}

/** The log with Kafka's own offsets, as a restore needs it. */
export function connectWithoutEpoch(options: KafkaEventLogOptions): KafkaLog {
  const { namespace, now, timeoutMs = TIMEOUT_MS, sessionTimeoutMs = SESSION_TIMEOUT_MS, codec = CODEC } = options
  const names = namesIn(namespace)
  const address = { ...options, logger: sharedWarnings(options.logger, () => performance.now()) }
  const client = openBrokerClient(address)
  const producer = { client, names, codec, now }
  const reader = createReader(client, names)
  const metadataClient = openBrokerClient(address)
  const partitions = partitionsNow({ appends: client, background: metadataClient }, names, () => performance.now())
  const appender = createAppender({ ...producer, timeoutMs, partitions })
  const counter = createCounter({ reader, now })
  const open = new Set<{ close(): Promise<void> }>()
  let closed = false

  const deadline = () => performance.now() + timeoutMs

  /** Refuses calls after the close, and turns errors of kafkajs into LogUnavailable. */
  function guarded<A extends unknown[], T>(call: (...args: A) => Promise<T>): (...args: A) => Promise<T> {
    return async (...args) => {
      if (closed) throw closedError()
      try {
        return await call(...args)
      } catch (error) {
        const { name } = error as Error
        throw name.startsWith('KafkaJS') ? new LogUnavailable(`Kafka has refused: ${meaningOf(error as Error)}`) : error
      }
    }
  }

  /** Makes the log close `opened` when it is closed itself. */
  function closedWithLog<T extends { close(): Promise<void> }>(opened: T): T {
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

  async function openWriter(name: string): Promise<ExclusiveWriter> {
    const writer = await openTransactionalWriter(producer, names.writer(name), deadline())
    const append = joinAppends((records, deadline) => writer.transact(records, null, deadline))
    // A failure here, for example because another writer has taken over, shows at the next append, too.
    const keepingAlive = setInterval(() => writer.keepAlive(deadline()).catch(() => {}), WRITER_KEEP_ALIVE_MS).unref()
    return closedWithLog({
      append: guarded(async (records: readonly NewRecord[]) => {
        try {
          return await append(records, deadline())
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
    append: guarded(appender.append),
    consumer: guarded(async ({ group, topics }) => {
      const [fetchClient, groupClient] = [openBrokerClient(address), openBrokerClient(address)]
      const membership = { fetchClient, groupClient, reader, group, topics, sessionTimeoutMs, timeoutMs }
      const consumer = closedWithLog(await openConsumer({ ...producer, ...membership }))
      return { ...consumer, poll: guarded(consumer.poll), commit: guarded(consumer.commit) }
    }),
    tail: guarded(async (topic, onBatch, from = []) => {
      const client = openBrokerClient(address)
      return closedWithLog(await openTail({ client, names, reader, topic, onBatch, from, timeoutMs }))
    }),
    exclusiveWriter: guarded(openWriter),
    bounds: guarded((topic) => reader.bounds(topic, deadline())),
    settled: guarded((topic) => reader.settled(topic, deadline())),
    count: guarded(async (topic, partition, from, to) => {
      await reader.checkPartition(topic, partition, deadline())
      return counter.count(topic, partition, from, to, deadline)
    }),
    read: guarded(async (topic, partition, from, max) => {
      await reader.checkPartition(topic, partition, deadline())
      return reader.read(topic, partition, from, max, deadline())
    }),
    replace: async () => false,
    committed: guarded((group) => reader.committed(group, deadline())),
    reset: guarded((group, commits) =>
      commits === null ? reader.forget(group, deadline()) : reader.setCommitted(group, commits, deadline()),
    ),
    clusterId: guarded(() => client.send('ANY', clusterIdRequest(), deadline())),
    async close() {
      if (closed) return
      closed = true
      await appender.settled()
      await Promise.all([...open].map((each) => each.close()))
      await Promise.all([client.close(), metadataClient.close()])
    },
  }
}
