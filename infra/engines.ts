import { join } from 'node:path'
import { MessagePort } from 'node:worker_threads'
import type { TopicName } from '../schemas/topics.ts'
import { analyticsClient, startEmbeddedAnalytics } from './analytics/embedded/analytics.ts'
import { withMending } from './analytics/mending.ts'
import { migrate } from './analytics/migrate.ts'
import type { Analytics } from './analytics/port.ts'
import { applyRetention } from './analytics/retention/apply-retention.ts'
import { embeddedCopy } from './backup/embedded.ts'
import type { EngineCopy } from './backup/port.ts'
import { countersClient, startEmbeddedCounters } from './counters/embedded/counters.ts'
import type { Counters } from './counters/port.ts'
import type { EngineConfig } from './engine-config.ts'
import {
  clickhouseClient,
  kafkaClient,
  kafkaOptions,
  noteCluster,
  openServedIndex,
  prepareServers,
  redisClient,
} from './engines/servers.ts'
import { type EngineLogger, untilThere } from './engines/until-there.ts'
import { eventLogClient, startEmbeddedEventLog } from './event-log/embedded/event-log.ts'
import { type ErasingLog, withErasures } from './event-log/erasing-log.ts'
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

/**
 * How long appends to the embedded log are gathered into one commit. Each commit costs an fsync and wakes two threads. At a hundred
 * visits a second, gathering makes one commit of four.
 */
const APPENDS_GATHER_MS = 6

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
  if (prepares) await prepareServers(options)
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

/** How many partitions a topic has, which need not be the configured number. Waits for the log, and closes it. */
async function countPartitions(topic: TopicName, log: EventLog, logger: EngineLogger): Promise<number> {
  try {
    return (await untilThere('event log', logger, () => log.bounds(topic))).length
  } finally {
    await log.close()
  }
}

/** A new embedded index next to the one in a data folder. */
export const openIndexReplacement = (dataFolder: string) => openReplacement(join(dataFolder, 'index'))

/** Creates the tables of an Analytics again after they were dropped. */
export async function migrateAnalytics(analytics: Analytics, { retentionDays }: EngineConfig): Promise<void> {
  await migrate(analytics)
  await applyRetention(analytics, retentionDays, Date.now())
}
