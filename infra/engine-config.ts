import type { Settings } from './settings.ts'

/** Which engines are not embedded, and how to reach them. Plain data: worker threads get it as it is. */
export interface EngineConfig {
  /** Prefix of everything of ours in an engine that is shared with others. */
  readonly namespace: string
  readonly kafka: KafkaConfig | null
  readonly clickhouse: { readonly url: string } | null
  readonly elasticsearch: { readonly url: string; readonly shards: number; readonly replicas: number } | null
  readonly redis: { readonly url: string } | null
}

export interface KafkaConfig {
  readonly brokers: readonly string[]
  readonly ssl: boolean
  readonly sasl: { mechanism: SaslMechanism; username: string; password: string } | null
  readonly replicationFactor: number
  /** Null: what each topic is cut into by default. */
  readonly partitions: number | null
  /** Null: what each topic is kept for by default. */
  readonly retentionMs: number | null
  readonly sessionTimeoutMs: number
}

const saslMechanisms = ['plain', 'scram-sha-256', 'scram-sha-512'] as const
type SaslMechanism = (typeof saslMechanisms)[number]

const DAY_MS = 86_400_000
const BROKER_PATTERN = /^[^\s:/]+:\d{1,5}$/
/** Kafka, ClickHouse and Elasticsearch each allow it as it is. */
const NAMESPACE_PATTERN = /^[a-z][a-z0-9_]{0,30}$/

/** Every engine has an address of its own: nothing is embedded, so that several processes can share the work. */
export const allExternal = ({ kafka, clickhouse, elasticsearch, redis }: EngineConfig): boolean =>
  [kafka, clickhouse, elasticsearch, redis].every((engine) => engine !== null)

export function readEngineConfig(settings: Settings): EngineConfig {
  const namespace = settings.text('NAMESPACE', 'endcap')
  if (!NAMESPACE_PATTERN.test(namespace)) {
    settings.problems.push('NAMESPACE must be 1 to 31 lower-case letters, digits and underscores, a letter first')
  }
  const clickhouse = settings.address('CLICKHOUSE_URL', ['http', 'https'])
  const elasticsearch = settings.address('ELASTICSEARCH_URL', ['http', 'https'])
  const redis = settings.address('REDIS_URL', ['redis', 'rediss'])
  return {
    namespace,
    kafka: readKafka(settings),
    clickhouse: clickhouse === null ? null : { url: clickhouse },
    elasticsearch:
      elasticsearch === null
        ? null
        : {
            url: elasticsearch,
            shards: settings.integer('ELASTICSEARCH_SHARDS', 1, 1, 100),
            replicas: settings.integer('ELASTICSEARCH_REPLICAS', 1, 0, 10),
          },
    redis: redis === null ? null : { url: redis },
  }
}

function readKafka(settings: Settings): KafkaConfig | null {
  const brokers = settings.list('KAFKA_BROKERS', '')
  if (brokers.length === 0) return null
  if (!brokers.every((broker) => BROKER_PATTERN.test(broker))) {
    settings.problems.push('KAFKA_BROKERS must be a list of host:port, separated by commas')
  }
  const partitions = settings.integer('KAFKA_PARTITIONS', 0, 0, 1_000)
  const retentionDays = settings.integer('KAFKA_RETENTION_DAYS', 0, 0, 36_500)
  return {
    brokers,
    ssl: settings.flag('KAFKA_TLS', false),
    sasl: readSasl(settings),
    replicationFactor: settings.integer('KAFKA_REPLICATION_FACTOR', 1, 1, 10),
    partitions: partitions === 0 ? null : partitions,
    retentionMs: retentionDays === 0 ? null : retentionDays * DAY_MS,
    sessionTimeoutMs: settings.integer('KAFKA_SESSION_TIMEOUT_MS', 10_000, 6_000, 300_000),
  }
}

function readSasl(settings: Settings): KafkaConfig['sasl'] {
  const [username, password] = [settings.optional('KAFKA_USERNAME'), settings.optional('KAFKA_PASSWORD')]
  const mechanism = settings.oneOf('KAFKA_SASL_MECHANISM', 'scram-sha-512', saslMechanisms)
  if (username === null && password === null) return null
  if (username !== null && password !== null) return { mechanism, username, password }
  settings.problems.push('KAFKA_USERNAME and KAFKA_PASSWORD must be set together')
  return null
}
