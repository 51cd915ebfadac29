import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { MessagePort } from 'node:worker_threads'
import type { TopicName } from '../schemas/topics.ts'
import { analyticsClient, startEmbeddedAnalytics } from './analytics/embedded/analytics.ts'
import { withMending } from './analytics/mending.ts'
import { migrate } from './analytics/migrate.ts'
import { type Analytics, AnalyticsGaveUp } from './analytics/port.ts'
import { applyRetention } from './analytics/retention/apply-retention.ts'
import { embeddedCopy } from './backup/embedded.ts'
import type { EngineCopy } from './backup/port.ts'
import { countersClient, startEmbeddedCounters } from './counters/embedded/counters.ts'
import type { Counters } from './counters/port.ts'
import type { EngineConfig } from './engine-config.ts'
import { EngineUnavailable } from './engine-unavailable.ts'
import { eventLogClient, startEmbeddedEventLog } from './event-log/embedded/event-log.ts'
import { type ErasingLog, withErasures } from './event-log/erasing-log.ts'
import type { KafkaLogger } from './event-log/kafka/client/broker-client.ts'
import type { LogRestore } from './event-log/kafka/epoch/restore.ts'
import type { KafkaEventLogOptions } from './event-log/kafka/event-log.ts'
import type { EventLog } from './event-log/port.ts'
import { productIndexClient, startEmbeddedProductIndex } from './product-index/embedded/product-index.ts'
import { openReplacement } from './product-index/embedded/replacement.ts'
import type { ProductIndex } from './product-index/port.ts'
import { allOrNone, type Served } from './threads/worker.ts'

/** The four engines, as one thread uses them. */
export interface Engines {
  log: ErasingLog
  analytics: Analytics
  index: ProductIndex
  counters: Counters
}

/**
 * What a thread needs to open the engines: a port to each embedded engine, and the settings of the others. The ports go into the
 * `transferList` of a worker; `portsIn` lists them.
 */
export type EngineLinks = {
  config: EngineConfig
  /** Partitions of `ad-events`, and of all topics that are partitioned alike. */
  adEventPartitions: number
} & Record<keyof Engines, MessagePort | null>

export interface EngineHost {
  /** New links, to be opened by `connectEngines` in any thread. */
  links(): EngineLinks
  /** Null unless the log and Analytics are embedded. */
  readonly copy: EngineCopy | null
  /** Stops the embedded engines, the log last, because the others are its projections. */
  stop(): Promise<void>
  /** Resolves when an embedded engine has died on its own: the process should end and be started again. */
  readonly failed: Promise<Error>
}

export interface EngineLogger extends KafkaLogger {
  info(details: object, message: string): void
}

/** Clients of engines that are not embedded. Each is loaded only when it is used, because loading them would slow every thread's start. */
const kafkaClient = () => import('./event-log/kafka/event-log.ts')
const clickhouseClient = () => import('./analytics/clickhouse/analytics.ts')
const elasticsearchClient = () => import('./product-index/elasticsearch/product-index.ts')
const redisClient = () => import('./counters/redis/counters.ts')

/**
 * How long appends to the embedded log are gathered into one commit. Each commit costs an fsync and wakes two threads. At a hundred
 * visits a second, gathering makes one commit of four.
 */
const APPENDS_GATHER_MS = 6
/** The settings with the addresses of the engines that are prepared. */
const ADDRESS_SETTINGS: Readonly<Record<string, string>> = {
  kafka: 'KAFKA_BROKERS',
  clickhouse: 'CLICKHOUSE_URL',
  elasticsearch: 'ELASTICSEARCH_URL',
  redis: 'REDIS_URL',
}
const RETRY_FIRST_MS = 250
const RETRY_MAX_MS = 5_000
/** A server that accepts connections and says nothing would otherwise be named only when a statement times out, after minutes. */
const TELL_SILENCE_AFTER_MS = 10_000

export interface StartEnginesOptions {
  folder: string
  config: EngineConfig
  /** Whether this process creates topics, tables and mappings. Default: true. */
  prepares?: boolean
  /** Partitions of `ad-events`, when they are known; otherwise the log is asked. */
  adEventPartitions?: number
  logger: EngineLogger
}

/**
 * Starts the embedded engines, each in a thread of its own, and creates the topics, tables and mappings of the others,
 * waiting for as long as one of them is away.
 * @throws when another process uses the folder, or an engine holds a schema that cannot be migrated.
 */
export async function startEngines(options: StartEnginesOptions): Promise<EngineHost> {
  const log = options.config.kafka ? null : await startEmbeddedEventLog({ folder: join(options.folder, 'log') })
  try {
    return await startProjections(options, log)
  } catch (error) {
    await log?.stop()
    throw error
  }
}

async function startProjections(options: StartEnginesOptions, log: Served | null): Promise<EngineHost> {
  const { config } = options
  const folder = (name: keyof Engines) => ({ folder: join(options.folder, name) })
  const adEventPartitions = await prepared(options, log?.connect() ?? null)
  const [analytics, index, counters] = await allOrNone([
    config.clickhouse ? null : startEmbeddedAnalytics({ ...folder('analytics'), retentionDays: config.retentionDays }),
    config.elasticsearch ? null : startEmbeddedProductIndex(folder('index')),
    config.redis ? null : startEmbeddedCounters({ ...folder('counters'), shards: adEventPartitions }),
  ])
  const served = [analytics, index, counters, log].filter((each): each is Served => each !== null)
  return {
    links: () => ({
      config,
      adEventPartitions,
      log: log?.connect() ?? null,
      analytics: analytics?.connect() ?? null,
      index: index?.connect() ?? null,
      counters: counters?.connect() ?? null,
    }),
    copy: log && analytics && embeddedCopy({ log, analytics }, { log: 'log', analytics: 'analytics' }),
    async stop() {
      await Promise.all([analytics, index, counters].map((each) => each?.stop()))
      await log?.stop()
    },
    failed: served.length === 0 ? new Promise(() => {}) : Promise.race(served.map((each) => each.failed)),
  }
}

/** Prepares the engines that are not embedded. @returns how many partitions `ad-events` has. */
async function prepared(options: StartEnginesOptions, port: MessagePort | null): Promise<number> {
  const { config, logger } = options
  const prepares = options.prepares ?? true
  if (prepares) await prepare(options)
  if (options.adEventPartitions !== undefined) return options.adEventPartitions
  if (prepares && config.kafka) await noteCluster(config, logger)
  return countPartitions('ad-events', await openLog(config, port, logger), logger)
}

export const portsIn = (links: EngineLinks): MessagePort[] =>
  Object.values(links).filter((link) => link instanceof MessagePort)

/** Opens the engines in this thread. @param logger for what happens outside calls, such as a lost connection. */
export async function connectEngines(
  { config, adEventPartitions: shards, ...ports }: EngineLinks,
  logger: EngineLogger,
): Promise<Engines> {
  const { namespace, clickhouse, redis } = config
  return {
    log: withErasures(await openLog(config, ports.log, logger), Date.now),
    analytics: withMending(
      clickhouse
        ? (await clickhouseClient()).connectClickHouse({ ...clickhouse, namespace })
        : analyticsClient(ports.analytics!),
      logger,
    ),
    index: (await openServedIndex(config)) ?? productIndexClient(ports.index!),
    counters: redis
      ? (await redisClient()).connectRedis({ ...redis, namespace, shards })
      : countersClient(ports.counters!, shards),
  }
}

export async function closeEngines(engines: Engines): Promise<void> {
  await Promise.all(Object.values(engines).map((engine) => engine.close()))
}

const openLog = async (config: EngineConfig, port: MessagePort | null, logger: EngineLogger): Promise<EventLog> =>
  config.kafka
    ? (await kafkaClient()).connectKafkaEventLog(await kafkaOptions(config, logger))
    : eventLogClient(port!, { gatherMs: APPENDS_GATHER_MS })

/** Reads and raises the numbers of partitions of a log that is not embedded. */
export async function openPartitionControl(config: EngineConfig, logger: EngineLogger) {
  const { createPartitionControl } = await import('./event-log/kafka/partition-control.ts')
  return createPartitionControl(await kafkaOptions(config, logger))
}

/** How many partitions a topic has, which need not be the configured number. Waits for the log, and closes it. */
async function countPartitions(topic: TopicName, log: EventLog, logger: EngineLogger): Promise<number> {
  try {
    return (await untilThere('event log', logger, () => log.bounds(topic))).length
  } finally {
    await log.close()
  }
}

/** Creates the topics that the copy of a log in Kafka lacks, and opens a restore. @throws LogInUse */
export async function openLogRestore(config: EngineConfig, logger: EngineLogger): Promise<LogRestore> {
  await prepareKafka(config, logger)
  const restore = await import('./event-log/kafka/epoch/restore.ts')
  return untilThere('kafka', logger, async () => restore.openLogRestore(await kafkaOptions(config, logger)))
}

/** Records the cluster of the log in the log itself, so that a copy in another cluster is recognized as a copy. */
async function noteCluster(config: EngineConfig, logger: EngineLogger): Promise<void> {
  const restore = await import('./event-log/kafka/epoch/restore.ts')
  await untilThere('event log', logger, async () => restore.noteCluster(await kafkaOptions(config, logger)))
}

/** Connects to the product index alone, without the other engines; null when it is embedded. */
export async function openServedIndex({ namespace, elasticsearch }: EngineConfig): Promise<ProductIndex | null> {
  if (!elasticsearch) return null
  return (await elasticsearchClient()).connectElasticsearch({ ...elasticsearch, shards: elasticsearch, namespace })
}

/** A new embedded index next to the one in a data folder. */
export const openIndexReplacement = (dataFolder: string) => openReplacement(join(dataFolder, 'index'))

/** Creates the tables of an Analytics again after they were dropped. */
export async function migrateAnalytics(analytics: Analytics, { retentionDays }: EngineConfig): Promise<void> {
  await migrate(analytics)
  await applyRetention(analytics, retentionDays, Date.now())
}

async function kafkaOptions({ namespace, kafka }: EngineConfig, logger: KafkaLogger): Promise<KafkaEventLogOptions> {
  const { clientSecurity } = await import('./event-log/kafka/oauth-bearer.ts')
  const { brokers, security, sessionTimeoutMs } = kafka!
  return {
    brokers,
    ...clientSecurity(security, () => performance.now()),
    sessionTimeoutMs,
    clientId: namespace,
    namespace,
    logger,
    now: Date.now,
  }
}

async function prepare({ config, logger }: StartEnginesOptions): Promise<void> {
  const { namespace, clickhouse, retentionDays, elasticsearch, redis } = config
  await Promise.all([
    config.kafka && prepareKafka(config, logger),
    clickhouse &&
      untilThere('clickhouse', logger, async () => {
        const { migrateClickHouse } = await import('./analytics/clickhouse/migrate.ts')
        await migrateClickHouse({ ...clickhouse, namespace, retentionDays })
      }),
    elasticsearch &&
      untilThere('elasticsearch', logger, async () => {
        const { migrateElasticsearch } = await import('./product-index/elasticsearch/migrate.ts')
        // A missing index is left to the indexer, which also fills it: an empty index next to a full log would serve nothing.
        await migrateElasticsearch({ ...elasticsearch, namespace, creates: false })
      }),
    // Nothing has to be made in Redis. It is asked once, so that a wrong address is told as those of the other engines are.
    redis &&
      untilThere('redis', logger, async () => {
        const counters = (await redisClient()).connectRedis({ ...redis, namespace, shards: 1 })
        await counters.watermark().finally(() => counters.close())
      }),
  ])
}

function prepareKafka(config: EngineConfig, logger: EngineLogger): Promise<void> {
  const { replicationFactor, topicPartitions, topicRetentionMs, partitions, retentionMs } = config.kafka!
  return untilThere('kafka', logger, async () => {
    const { migrateKafka } = await import('./event-log/kafka/migrate.ts')
    await migrateKafka({
      ...(await kafkaOptions(config, logger)),
      replicationFactor,
      topicPartitions,
      topicRetentionMs,
      ...(partitions === null ? {} : { partitions }),
      ...(retentionMs === null ? {} : { retentionMs }),
    })
  })
}

/** Retries while the engine is unavailable. @throws any other error, and AnalyticsGaveUp, which waiting does not help. */
export async function untilThere<T>(engine: string, logger: EngineLogger, call: () => Promise<T>): Promise<T> {
  const setting = ADDRESS_SETTINGS[engine]
  for (let waitMs = RETRY_FIRST_MS; ; waitMs = Math.min(2 * waitMs, RETRY_MAX_MS)) {
    const tellSilence = () => logger.warn({ engine, setting }, 'an engine is not ready yet: waiting for it')
    const timer = setTimeout(tellSilence, TELL_SILENCE_AFTER_MS)
    try {
      const result = await call()
      logger.info({ engine }, `${engine} is ready`)
      return result
    } catch (error) {
      if (!(error instanceof EngineUnavailable) || error instanceof AnalyticsGaveUp) throw error
      logger.warn({ engine, setting, reason: error.message }, 'an engine is unavailable: waiting for it')
      await delay(waitMs)
    } finally {
      clearTimeout(timer)
    }
  }
}
