import type { EngineConfig } from '../engine-config.ts'
import type { KafkaLogger } from '../event-log/kafka/client/broker-client.ts'
import type { LogRestore } from '../event-log/kafka/epoch/restore.ts'
import type { KafkaEventLogOptions } from '../event-log/kafka/event-log.ts'
import type { ProductIndex } from '../product-index/port.ts'
import { type EngineLogger, untilThere } from './until-there.ts'

/*
 * The engines that are servers of their own. The client of one is loaded only when it is used, because loading all of them would slow
 * every thread's start.
 */

export const kafkaClient = () => import('../event-log/kafka/event-log.ts')
export const clickhouseClient = () => import('../analytics/clickhouse/analytics.ts')
export const elasticsearchClient = () => import('../product-index/elasticsearch/product-index.ts')
export const redisClient = () => import('../counters/redis/counters.ts')

/** Creates the topics, tables and mappings. Waits for as long as an engine is away. */
export async function prepareServers({
  config,
  logger,
}: {
  config: EngineConfig
  logger: EngineLogger
}): Promise<void> {
  const { namespace, clickhouse, retentionDays, elasticsearch, redis } = config
  await Promise.all([
    config.kafka && prepareKafka(config, logger),
    clickhouse &&
      untilThere('clickhouse', logger, async () => {
        const { migrateClickHouse } = await import('../analytics/clickhouse/migrate.ts')
        await migrateClickHouse({ ...clickhouse, namespace, retentionDays })
      }),
    elasticsearch &&
      untilThere('elasticsearch', logger, async () => {
        const { migrateElasticsearch } = await import('../product-index/elasticsearch/migrate.ts')
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
    const { migrateKafka } = await import('../event-log/kafka/migrate.ts')
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

/** Creates the topics that the copy of a log in Kafka lacks, and opens a restore. @throws LogInUse */
export async function openLogRestore(config: EngineConfig, logger: EngineLogger): Promise<LogRestore> {
  await prepareKafka(config, logger)
  const restore = await import('../event-log/kafka/epoch/restore.ts')
  return untilThere('kafka', logger, async () => restore.openLogRestore(await kafkaOptions(config, logger)))
}

/** Records the cluster of the log in the log itself, so that a copy in another cluster is recognized as a copy. */
export async function noteCluster(config: EngineConfig, logger: EngineLogger): Promise<void> {
  const restore = await import('../event-log/kafka/epoch/restore.ts')
  await untilThere('event log', logger, async () => restore.noteCluster(await kafkaOptions(config, logger)))
}

/** Reads and raises the numbers of partitions of a log that is not embedded. */
export async function openPartitionControl(config: EngineConfig, logger: EngineLogger) {
  const { createPartitionControl } = await import('../event-log/kafka/partition-control.ts')
  return createPartitionControl(await kafkaOptions(config, logger))
}

/** Connects to the product index alone, without the other engines; null when it is embedded. */
export async function openServedIndex({ namespace, elasticsearch }: EngineConfig): Promise<ProductIndex | null> {
  if (!elasticsearch) return null
  return (await elasticsearchClient()).connectElasticsearch({ ...elasticsearch, shards: elasticsearch, namespace })
}

export async function kafkaOptions(
  { namespace, kafka }: EngineConfig,
  logger: KafkaLogger,
): Promise<KafkaEventLogOptions> {
  const { clientSecurity } = await import('../event-log/kafka/oauth-bearer.ts')
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
