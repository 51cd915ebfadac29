import { type Static, Type } from 'typebox'
import { DAY_MS } from '../schemas/durations.ts'
import { IDENTIFIER_DAYS_MIN } from './analytics/retention/ended-identifiers.ts'
import { type RetentionDays, readRetentionDays } from './analytics/retention/retention-days.ts'
import type { TopicNumbers } from './event-log/kafka/partition-counts.ts'
import { type KafkaSecurity, readKafkaSecurity, securitySettings } from './event-log/kafka/security.ts'
import { readTopicPartitions, readTopicRetention } from './event-log/kafka/topic-numbers.ts'
import { parseRedisAddress, REDIS_ADDRESS_FORMS } from './redis/address.ts'
import * as Setting from './settings.ts'
import { type Environment, listOf, readSettings } from './settings.ts'

/** How to reach the engines that are not embedded; null for one that is. Plain data, which can be sent to worker threads. */
export interface EngineConfig {
  /** Prefix of all of Endcap's topics, tables, indices and keys in an engine that is shared with others. */
  readonly namespace: string
  readonly kafka: KafkaConfig | null
  /** `url`: servers, separated by commas. `cluster` is null when one server has all tables. */
  readonly clickhouse: { readonly url: string; readonly cluster: string | null } | null
  /** Retention of the tables of Analytics, embedded or not. */
  readonly retentionDays: RetentionDays
  /** For how many days Analytics, embedded or not, keeps the identifiers of people; null: as long as their rows. */
  readonly identifierDays: number | null
  readonly elasticsearch: ElasticsearchConfig | null
  readonly redis: { readonly url: string } | null
}

export interface ElasticsearchConfig {
  /** Nodes, separated by commas. */
  readonly url: string
  /** Null to sign in with the user and password of the addresses, if they have any. */
  readonly apiKey: string | null
  readonly shards: number
  readonly replicas: number
  /** Shards that hold the offers of one shop; 0 for all shards. */
  readonly perShop: number
}

export interface KafkaConfig {
  readonly brokers: readonly string[]
  readonly security: KafkaSecurity
  readonly replicationFactor: number
  /** Null to leave topics with the partitions that they have, and to create new ones with their default. */
  readonly partitions: number | null
  /** Numbers of partitions of single topics. */
  readonly topicPartitions: TopicNumbers
  /** Null for the default of each topic. */
  readonly retentionMs: number | null
  /** Retention of single topics, in milliseconds. */
  readonly topicRetentionMs: TopicNumbers
  readonly sessionTimeoutMs: number
}

const BROKER_PATTERN = /^[^\s:/]+:(\d{1,5})$/
const PORT_MAX = 65_535
/** Valid as a part of names in Kafka, ClickHouse and Elasticsearch. */
const NAMESPACE_PATTERN = '^[a-z][a-z0-9_]{0,30}$'

function isBroker(text: string): boolean {
  const port = Number(BROKER_PATTERN.exec(text)?.[1] ?? 0)
  return port >= 1 && port <= PORT_MAX
}

export const engineSettings = Type.Object({
  NAMESPACE: Type.String({
    default: 'endcap',
    pattern: NAMESPACE_PATTERN,
    description: '1 to 31 lower-case letters, digits and underscores, beginning with a letter',
  }),
  KAFKA_BROKERS: Setting.List('', 'a list of host:port, separated by commas', isBroker),
  ...securitySettings,
  KAFKA_REPLICATION_FACTOR: Setting.Integer(1, 10, 1),
  KAFKA_PARTITIONS: Setting.Integer(0, 1_000, 0),
  KAFKA_TOPIC_PARTITIONS: Setting.Text(''),
  KAFKA_RETENTION_DAYS: Setting.Integer(0, 36_500, 0),
  KAFKA_TOPIC_RETENTION_DAYS: Setting.Text(''),
  KAFKA_SESSION_TIMEOUT_MS: Setting.Integer(6_000, 300_000, 10_000),
  CLICKHOUSE_URL: Setting.Addresses('http', 'https'),
  CLICKHOUSE_CLUSTER: Type.Optional(
    Type.String({ pattern: '^\\w{1,60}$', description: '1 to 60 letters, digits and underscores' }),
  ),
  ANALYTICS_RETENTION_DAYS: Setting.Text(''),
  ANALYTICS_IDENTIFIER_DAYS: Setting.Integer(0, 36_500, 0),
  ELASTICSEARCH_URL: Setting.Addresses('http', 'https'),
  ELASTICSEARCH_API_KEY: Setting.Secret(),
  ELASTICSEARCH_SHARDS: Setting.Integer(1, 100, 1),
  ELASTICSEARCH_REPLICAS: Setting.Integer(0, 10, 1),
  ELASTICSEARCH_SHARDS_PER_SHOP: Setting.Integer(0, 99, 0),
  REDIS_URL: Setting.AddressOf(REDIS_ADDRESS_FORMS, (text) => parseRedisAddress(text) !== null),
})
type EngineSettings = Static<typeof engineSettings>
type EngineSetting = keyof EngineSettings

/** The first words of the settings of an engine, and the one that has its address. */
const addressSettings: Readonly<Record<string, EngineSetting>> = {
  KAFKA_: 'KAFKA_BROKERS',
  CLICKHOUSE_: 'CLICKHOUSE_URL',
  ELASTICSEARCH_: 'ELASTICSEARCH_URL',
}

/** Whether all engines are embedded, with their files in the data folder. */
export const isEmbedded = ({ kafka, clickhouse, elasticsearch, redis }: EngineConfig): boolean =>
  [kafka, clickhouse, elasticsearch, redis].every((engine) => engine === null)

/** Whether no engine is embedded, so that several processes can share the work. */
export const allExternal = ({ kafka, clickhouse, elasticsearch, redis }: EngineConfig): boolean =>
  [kafka, clickhouse, elasticsearch, redis].every((engine) => engine !== null)

/** @param problems gets a sentence for each setting that cannot be used. */
export function readEngineConfig(env: Environment, problems: string[]): EngineConfig {
  const settings = readSettings(engineSettings, env, problems)
  problems.push(...Object.entries(addressSettings).flatMap(([prefix, address]) => unused(settings, prefix, address)))
  const { CLICKHOUSE_URL, CLICKHOUSE_CLUSTER: cluster = null, REDIS_URL } = settings
  return {
    namespace: settings.NAMESPACE,
    kafka: readKafka(settings, problems),
    clickhouse: CLICKHOUSE_URL === undefined ? null : { url: CLICKHOUSE_URL, cluster },
    retentionDays: readRetentionDays('ANALYTICS_RETENTION_DAYS', settings.ANALYTICS_RETENTION_DAYS, problems),
    identifierDays: readIdentifierDays(settings, problems),
    elasticsearch: readElasticsearch(settings, problems),
    redis: REDIS_URL === undefined ? null : { url: REDIS_URL },
  }
}

/** Settings of an engine that has no address: somebody who forgot it would start an installation of its own, with embedded engines. */
function unused(settings: EngineSettings, prefix: string, address: EngineSetting): string[] {
  if (settings[address]) return []
  return (Object.keys(engineSettings.properties) as EngineSetting[])
    .filter((key) => key.startsWith(prefix) && settings[key] !== usual(key))
    .map((key) => `${key} needs ${address}: the embedded engine does not use it`)
}

const usual = (key: EngineSetting): unknown => (engineSettings.properties[key] as { default?: unknown }).default

function readIdentifierDays({ ANALYTICS_IDENTIFIER_DAYS: days }: EngineSettings, problems: string[]): number | null {
  if (days > 0 && days < IDENTIFIER_DAYS_MIN) {
    problems.push(
      `ANALYTICS_IDENTIFIER_DAYS must be 0 or at least ${IDENTIFIER_DAYS_MIN}, not ${days}: a purchase may be credited to a click of 90 days before, and its credit may change for another 30`,
    )
  }
  return days || null
}

function readElasticsearch(settings: EngineSettings, problems: string[]): ElasticsearchConfig | null {
  const { ELASTICSEARCH_URL: url, ELASTICSEARCH_API_KEY: apiKey = null } = settings
  if (url === undefined) return null
  if (apiKey !== null && listOf(url).some((node) => new URL(node).username !== '')) {
    problems.push(
      'ELASTICSEARCH_URL must name no user when ELASTICSEARCH_API_KEY is set: only one of them can be used to sign in',
    )
  }
  const { ELASTICSEARCH_SHARDS: shards, ELASTICSEARCH_SHARDS_PER_SHOP: perShop } = settings
  if (perShop >= shards && perShop > 0) {
    problems.push('ELASTICSEARCH_SHARDS_PER_SHOP must be below ELASTICSEARCH_SHARDS, or 0 for all of them')
  }
  return { url, apiKey, shards, replicas: settings.ELASTICSEARCH_REPLICAS, perShop }
}

function readKafka(settings: EngineSettings, problems: string[]): KafkaConfig | null {
  const { KAFKA_TOPIC_PARTITIONS: topicPartitions, KAFKA_TOPIC_RETENTION_DAYS: topicRetentionDays } = settings
  const brokers = listOf(settings.KAFKA_BROKERS)
  if (brokers.length === 0) return null
  return {
    brokers,
    security: readKafkaSecurity(settings, problems),
    replicationFactor: settings.KAFKA_REPLICATION_FACTOR,
    partitions: settings.KAFKA_PARTITIONS || null,
    topicPartitions: readTopicPartitions('KAFKA_TOPIC_PARTITIONS', topicPartitions, problems),
    retentionMs: settings.KAFKA_RETENTION_DAYS * DAY_MS || null,
    topicRetentionMs: readTopicRetention('KAFKA_TOPIC_RETENTION_DAYS', topicRetentionDays, problems),
    sessionTimeoutMs: settings.KAFKA_SESSION_TIMEOUT_MS,
  }
}
