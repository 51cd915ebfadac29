import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import kafkajs, { type ISocketFactory, type KafkaConfig, type LogEntry } from 'kafkajs'
import type { Broker, BrokerRequests, Protocol } from 'kafkajs/internals'
import Cluster from 'kafkajs/src/cluster/index.js'
import createSocketFactory from 'kafkajs/src/network/socketFactory.js'
import { within } from '../../../within.ts'
import { LogUnavailable } from '../../port.ts'
import { createBrokerLookup, send, type Target } from './broker-lookup.ts'
import { isBetweenSignIns, remedyFor, rootOf } from './errors.ts'
import { heldAnswer } from './held-answers.ts'
import { patchKafkajs, recordSockets } from './patches.ts'
import { meaningOf } from './refusals.ts'
import { namedBy, namingTheRight, type Resources } from './rights.ts'
import { createSilentBrokers, NoAnswer } from './silent-brokers.ts'

const CONNECT_TIMEOUT_MS = 2_000
/** How long kafkajs waits for its locks. Requests end at their deadlines. */
const REQUEST_TIMEOUT_MS = 5_000
/** An answer is awaited no longer: another broker may have taken over. Joins are exempt, as they wait for the group's other members. */
const ANSWER_MAX_MS = 5_000
const HELD_STALLED_MS = 1_000
const WAITING_FOR_MEMBERS = new Set<string>(['JoinGroup', 'syncGroup'])
/** A connection is replaced once a request has waited in vain for this long: it may have died without a sign. */
const STALLED_MS = 3_000
/** Limit for finding a broker, longer than a connection may take. Any broker answers such requests at once. */
const LOOKUP_MAX_MS = 2_500
const LOOKUP_STALLED_MS = 1_000
const METADATA_MAX_AGE_MS = 60_000
const RETRY_FIRST_MS = 4
const RETRY_MAX_MS = 250
const CLOSED = 'The log has been closed'

/** Where the brokers are, and how to connect to them. */
export interface KafkaAddress {
  /** host:port of some brokers, which name the others. */
  brokers: readonly string[]
  clientId: string
  ssl?: KafkaConfig['ssl']
  sasl?: KafkaConfig['sasl']
  /** Default: plain sockets, or TLS when `ssl` is set. */
  socketFactory?: ISocketFactory
  logger: KafkaLogger
}

/** The part of a pino logger that the log uses. It gets names of topics, groups and brokers, never keys or values. */
export interface KafkaLogger {
  warn(details: object, message: string): void
}

/**
 * Connections to the brokers, made at first use and again when they break. A broker answers the requests of one connection
 * one after the other, so a client whose requests may wait long (fetches, joining a group) must not be shared.
 * Deadlines are times by `performance.now()`.
 */
export interface BrokerClient {
  /**
   * Sends a request that kafkajs implements, and retries it while that may help.
   * @throws LogUnavailable when the deadline has passed; Kafka's own error when a retry is of no use.
   */
  request<A extends keyof BrokerRequests>(
    target: Target,
    api: A,
    options: Parameters<BrokerRequests[A]>[0],
    deadline: number,
  ): ReturnType<BrokerRequests[A]>
  /** Sends a request of the folder `protocol`. @throws as `request`. */
  send<T>(target: Target, protocol: Protocol<T>, deadline: number): Promise<T>
  /** Connects to the broker of a target. @throws as `request`. */
  connect(target: Target, deadline: number): Promise<void>
  /** The node that leads each partition of a topic, by partition; at least one. @throws as `request`. */
  leaders(topic: string, deadline: number): Promise<Map<number, number>>
  /** Makes the next request reload the metadata. */
  refresh(): void
  close(): Promise<void>
}

export function openBrokerClient({ brokers, clientId, ssl, sasl, ...address }: KafkaAddress): BrokerClient {
  patchKafkajs()
  const sockets = recordSockets(address.socketFactory ?? createSocketFactory())
  const logger = new kafkajs.Kafka({
    brokers: [],
    logLevel: kafkajs.logLevel.WARN,
    logCreator: () => createWarner(address.logger),
  }).logger()
  const silent = createSilentBrokers(brokers)
  const cluster = new Cluster({
    brokers: inAnyOrder(brokers),
    clientId,
    ssl,
    sasl,
    logger,
    socketFactory(options) {
      // A request that was in flight at the close tries to connect once more.
      if (closed) throw closedError()
      const { host, port } = options
      if (silent.isPassedOver(cluster.brokerPool, `${host}:${port}`)) throw new Error('it has not answered lately')
      return sockets.create(options)
    },
    connectionTimeout: CONNECT_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // kafkajs' own timeout would poll every connection ten times a second, and leave a dead one open.
    enforceRequestTimeout: false,
    metadataMaxAge: METADATA_MAX_AGE_MS,
    allowAutoTopicCreation: false,
    // Retries are made here, where the deadline is known.
    retry: { retries: 0 },
  })
  const { brokerFor, leadersOf, refresh } = createBrokerLookup(cluster)
  let closed = false

  /** Finds brokers by asking any of them. A silent broker is asked only once. */
  async function lookUp<T>(find: () => Promise<T>): Promise<T> {
    return within(find(), LOOKUP_MAX_MS, () => hangUp(LOOKUP_STALLED_MS))
  }

  function hangUp(waitedMs: number): NoAnswer {
    const error = new NoAnswer('It has not answered in time')
    silent.hangUp(cluster.brokerPool, waitedMs, error)
    return error
  }

  async function retrying<T>(
    attempt: () => Promise<T>,
    { deadline, answerMaxMs = ANSWER_MAX_MS, ...what }: Attempts,
  ): Promise<T> {
    let reason: Error | null = null
    for (let waitMs = RETRY_FIRST_MS; ; waitMs = Math.min(waitMs * 2, RETRY_MAX_MS)) {
      if (closed) throw closedError()
      try {
        return await within(attempt(), Math.min(deadline - performance.now(), answerMaxMs), () => hangUp(STALLED_MS))
      } catch (thrown) {
        if (closed) throw closedError()
        const error = rootOf(thrown)
        const remedy = remedyFor(error)
        if (remedy === 'NONE') throw namingTheRight(error, what.api, what)
        if (remedy === 'REFRESH') refresh()
        if (isBetweenSignIns(error)) sockets.destroyAll(error)
        // An earlier error says more than that the last attempt took too long.
        if (!(error instanceof NoAnswer)) reason = error
        if (performance.now() + waitMs > deadline) throw unavailable(reason ?? error)
        await sleep(waitMs)
      }
    }
  }

  /** Sends a request to the broker of a target. */
  function asking<T>(
    target: Target,
    ask: (broker: Broker) => Promise<T>,
    { api, ...what }: Omit<Attempts, 'answerMaxMs'>,
  ): Promise<T> {
    const isHeld = WAITING_FOR_MEMBERS.has(api)
    const attempt = async () => {
      const broker = await lookUp(() => brokerFor(target))
      const answer = ask(broker)
      return isHeld ? heldAnswer(broker, answer, () => hangUp(HELD_STALLED_MS)) : answer
    }
    const answerMaxMs = isHeld ? Number.POSITIVE_INFINITY : ANSWER_MAX_MS
    return retrying(attempt, { api, ...resourcesOf(target), ...what, answerMaxMs })
  }

  return {
    request(target, api, options, deadline) {
      const ask = (broker: Broker) => (broker as unknown as UntypedRequests)[api]!(options)
      return asking(target, ask, { api, ...namedBy(options), deadline }) as ReturnType<BrokerRequests[typeof api]>
    },
    send: (target, protocol, deadline) =>
      asking(target, (broker) => send(broker, protocol), { api: protocol.request.apiName, deadline }),
    connect: (target, deadline) =>
      retrying(async () => void (await lookUp(() => brokerFor(target))), {
        api: 'connect',
        ...resourcesOf(target),
        deadline,
      }),
    leaders: (topic, deadline) => retrying(() => lookUp(() => leadersOf(topic)), { api: 'leaders', topic, deadline }),
    refresh,
    async close() {
      if (closed) return
      closed = true
      // A request that still waits for its answer, such as a fetch, would delay the disconnect.
      sockets.destroyAll(closedError())
      await cluster.disconnect().catch(() => {})
    },
  }
}

function resourcesOf(target: Target): Resources {
  if (target === 'ANY') return {}
  if ('groupOf' in target) return { group: target.groupOf }
  if ('transactionOf' in target) return { transactionalId: target.transactionOf }
  return { topic: target.leaderOf.topic }
}

/** What is tried, and for how long. The error for a missing right names the API and the resources. */
interface Attempts extends Resources {
  api: string
  deadline: number
  answerMaxMs?: number
}

type UntypedRequests = Record<string, (options: unknown) => Promise<unknown>>

/** Begins with a random broker: a process that restarts often while one broker is silent must not ask that one first each time. */
export function inAnyOrder(brokers: readonly string[]): string[] {
  const first = randomInt(Math.max(1, brokers.length))
  return [...brokers.slice(first), ...brokers.slice(0, first)]
}

export const closedError = () => new LogUnavailable(CLOSED)

export const unavailable = (error: Error) => new LogUnavailable(`Kafka is not available: ${meaningOf(error)}`)

/** Logs problems of connections. Refused requests are left to their callers. */
function createWarner(logger: KafkaLogger) {
  return ({ namespace, log }: LogEntry) => {
    const { broker } = log
    // kafkajs also logs whole errors as messages.
    const message = String(log.message)
    if (message.startsWith('Response ') || message.includes(CLOSED)) return
    logger.warn({ kafka: namespace, broker }, message)
  }
}
