import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import kafkajs, { type ISocketFactory, type SASLOptions } from 'kafkajs'
import type { Broker } from 'kafkajs/internals'
import Cluster from 'kafkajs/src/cluster/index.js'
import loggers from 'kafkajs/src/loggers/index.js'
import createSocketFactory from 'kafkajs/src/network/socketFactory.js'
import { within } from '../../../within.ts'
import { LogUnavailable } from '../../port.ts'
import { remedyFor, rootOf } from './errors.ts'
import { keepIdleQueuesQuiet } from './quiet.ts'
import { beginConnectionsAfresh } from './reconnect.ts'

const { KafkaJSTopicMetadataNotLoaded } = kafkajs

const CONNECT_TIMEOUT_MS = 2_000
/** Of kafkajs's locks. Requests end with their calls. */
const REQUEST_TIMEOUT_MS = 5_000
/** Connections on which a request has waited in vain for so long are made anew: they may be dead without anyone saying so. */
const STALLED_MS = 3_000
const METADATA_MAX_AGE_MS = 60_000
const RETRY_FIRST_MS = 4
const RETRY_MAX_MS = 250
/** The same warning is given again after this time only. */
const WARN_AGAIN_MS = 30_000
const WARNINGS_KNOWN_MAX = 100
const CLOSED = 'The log has been closed'

/** Where the brokers are and who we are to them. */
export interface KafkaAddress {
  /** host:port of some brokers; they tell of the others. */
  brokers: readonly string[]
  clientId: string
  ssl?: boolean | object
  sasl?: SASLOptions
  /** Default: plain sockets, or TLS when `ssl` is set. */
  socketFactory?: ISocketFactory
  logger: KafkaLogger
}

/** The part of a pino logger that the log uses. Gets names of topics, groups and brokers, never keys or values. */
export interface KafkaLogger {
  warn(details: object, message: string): void
}

/** Which broker a request goes to. */
export type Target =
  | { leaderOf: { topic: string; partition: number } }
  | { groupOf: string }
  | { transactionOf: string }
  | 'ANY'

/**
 * Connections to the brokers, made at first use and again when they break. A broker answers the requests of one
 * connection one after the other, so what may wait long (fetches, joining a group) needs a link of its own.
 */
export interface Link {
  /**
   * Sends a request, and again while a repetition may help.
   * @param until by `performance.now()`. @throws LogUnavailable when that has passed; Kafka's error where a repetition is of no use.
   */
  request<T>(target: Target, send: (broker: Broker) => Promise<T>, until: number): Promise<T>
  /** The broker that leads each partition of a topic, by partition; at least one. @throws LogUnavailable, as `request`. */
  leaders(topic: string, until: number): Promise<Map<number, number>>
  /** The next request asks again where things are. */
  refresh(): void
  close(): Promise<void>
}

export function openLink(address: KafkaAddress): Link {
  keepIdleQueuesQuiet()
  beginConnectionsAfresh()
  const { socketFactory = createSocketFactory(), ...rest } = address
  const sockets = new Set<Socket>()
  const cluster = new Cluster({
    ...rest,
    socketFactory(options) {
      // A request that was under way at the end tries once more.
      if (closed) throw closedError()
      const socket = socketFactory(options)
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      return socket
    },
    logger: loggers.createLogger({ level: loggers.LEVELS.WARN, logCreator: () => createWarner(address.logger) }),
    connectionTimeout: CONNECT_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // It would look ten times a second at every connection, and leave a dead one open.
    enforceRequestTimeout: false,
    metadataMaxAge: METADATA_MAX_AGE_MS,
    allowAutoTopicCreation: false,
    // Ours know when to end.
    retry: { retries: 0 },
    isolationLevel: 1,
  })
  const coordinators = new Map<string, number>()
  let stale = true
  let closed = false

  async function ready(topic?: string): Promise<void> {
    if (topic !== undefined && !cluster.targetTopics.has(topic)) {
      await cluster.connect()
      await cluster.addMultipleTargetTopics([topic])
    } else if (stale) {
      await cluster.connect()
      await cluster.refreshMetadata()
    } else await cluster.refreshMetadataIfNecessary()
    stale = false
  }

  async function leadersNow(topic: string): Promise<Map<number, number>> {
    await ready(topic)
    const partitions = cluster.findTopicPartitionMetadata(topic)
    // A refresh under way when a topic is added counts for kafkajs as that topic's refresh, but did not ask about it.
    if (partitions.length === 0) throw new KafkaJSTopicMetadataNotLoaded(`The brokers of ${topic} are not known yet`)
    return new Map(partitions.map(({ partitionId, leader }) => [partitionId, leader]))
  }

  async function coordinator(kind: 0 | 1, id: string): Promise<Broker> {
    await ready()
    const name = `${kind}/${id}`
    const known = coordinators.get(name)
    if (known !== undefined) return cluster.findBroker({ nodeId: known })
    const broker = await cluster.findGroupCoordinator({ groupId: id, coordinatorType: kind })
    coordinators.set(name, Number(broker.nodeId))
    return broker
  }

  async function brokerFor(target: Target): Promise<Broker> {
    if (target === 'ANY') {
      await ready()
      return cluster.findControllerBroker()
    }
    if ('groupOf' in target) return coordinator(0, target.groupOf)
    if ('transactionOf' in target) return coordinator(1, target.transactionOf)
    const { topic, partition } = target.leaderOf
    const leader = (await leadersNow(topic)).get(partition)
    if (leader === undefined) throw new RangeError(`${topic} has no partition ${partition}`)
    return cluster.findBroker({ nodeId: leader })
  }

  function hangUp(error: Error): void {
    for (const socket of sockets) socket.destroy(error)
  }

  function refresh(): void {
    stale = true
    coordinators.clear()
  }

  async function repeating<T>(attempt: () => Promise<T>, until: number): Promise<T> {
    for (let waitMs = RETRY_FIRST_MS; ; waitMs = Math.min(waitMs * 2, RETRY_MAX_MS)) {
      if (closed) throw closedError()
      const begun = performance.now()
      try {
        return await within(attempt(), until - performance.now(), unanswered)
      } catch (thrown) {
        if (closed) throw closedError()
        const error = rootOf(thrown)
        if (error instanceof LogUnavailable && performance.now() - begun > STALLED_MS) hangUp(error)
        const remedy = remedyFor(error)
        if (remedy === 'NONE') throw error
        if (remedy === 'REFRESH') refresh()
        if (performance.now() + waitMs > until) throw new LogUnavailable(`Kafka is not available: ${error.message}`)
        await sleep(waitMs)
      }
    }
  }

  return {
    request: (target, send, until) => repeating(async () => send(await brokerFor(target)), until),
    leaders: (topic, until) => repeating(() => leadersNow(topic), until),
    refresh,
    async close() {
      if (closed) return
      closed = true
      // What still waits for an answer, as a fetch does, would hold the goodbye up.
      hangUp(closedError())
      await cluster.disconnect().catch(() => {})
    },
  }
}

const unanswered = () => new LogUnavailable('Kafka has not answered in time')

export function closedError(): LogUnavailable {
  return new LogUnavailable(CLOSED)
}

/** What a request is refused for is the caller's to handle; here is what goes wrong with the connections, not over and over. */
function createWarner(logger: KafkaLogger) {
  const saidAt = new Map<string, number>()
  return ({ namespace, log }: { namespace: string; log: { message: string } & Record<string, unknown> }) => {
    const { message, broker } = log
    if (message.startsWith('Response ') || message.includes(CLOSED)) return
    const now = performance.now()
    if (now - (saidAt.get(message) ?? Number.NEGATIVE_INFINITY) < WARN_AGAIN_MS) return
    if (saidAt.size >= WARNINGS_KNOWN_MAX) saidAt.clear()
    saidAt.set(message, now)
    logger.warn({ kafka: namespace, broker }, message)
  }
}
