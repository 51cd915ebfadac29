import { setTimeout as sleep } from 'node:timers/promises'
import kafkajs, { type Admin } from 'kafkajs'
import { type TopicName, topicNames, topics } from '../../schemas/topics.ts'
import { remedyFor, rootOf } from './kafka-errors.ts'
import { type KafkaAddress, openLink } from './kafka-link.ts'
import { namesIn } from './kafka-names.ts'
import { keepIdleQueuesQuiet } from './kafka-quiet.ts'
import { createReader } from './kafka-reader.ts'
import { openTransactionalWriter } from './kafka-transaction.ts'
import { LogUnavailable, RECORD_MAX_BYTES } from './port.ts'

/** A batch of one record of the largest size, or of BATCH_MAX_BYTES, with what the format adds. */
const MESSAGE_MAX_BYTES = RECORD_MAX_BYTES + 256 * 1024
const TOMBSTONE_RETENTION_MS = 86_400_000
const SEGMENT_MS = 86_400_000
const REQUEST_TIMEOUT_MS = 30_000
/** Short, because whoever waits for Kafka asks again by himself: about five seconds together. */
const RETRY = { retries: 8, initialRetryTime: 100, maxRetryTime: 1_000 }
const TOPICS_KNOWN_MAX_MS = 20_000
const TOPICS_KNOWN_RETRY_MS = 50
const COORDINATORS_MAX_MS = 60_000
/** The group and the transactional id by which a migration asks. */
const MIGRATION = 'migration'

export interface MigrateKafkaOptions extends KafkaAddress {
  namespace: string
  /** Copies of each partition. With 3 or more, writes need two of them: one broker may fail without a loss or a halt. */
  replicationFactor: number
  /** Of each topic that is cut at all, in place of what `schemas/topics.ts` says. */
  partitions?: number
  /** Shortens how long retained topics keep their records; default: what `schemas/topics.ts` says. */
  retentionMs?: number
}

/**
 * Makes the topics that are missing and sets the configuration of all; several processes may do so at once.
 * @throws LogUnavailable when Kafka is away. @throws when a topic exists with another number of partitions: its keys would lie in other partitions than before.
 */
export async function migrateKafka(options: MigrateKafkaOptions): Promise<void> {
  keepIdleQueuesQuiet()
  const { brokers, clientId, ssl, sasl, socketFactory } = options
  const kafka = new kafkajs.Kafka({
    brokers: [...brokers],
    clientId,
    ...(ssl === undefined ? {} : { ssl: ssl as boolean }),
    ...(sasl === undefined ? {} : { sasl }),
    ...(socketFactory === undefined ? {} : { socketFactory }),
    requestTimeout: REQUEST_TIMEOUT_MS,
    retry: RETRY,
    logLevel: kafkajs.logLevel.NOTHING,
  })
  const admin = kafka.admin()
  try {
    await admin.connect()
    await createMissing(admin, options)
    await checkPartitions(admin, options)
    await configure(admin, options)
  } catch (error) {
    if (remedyFor(error) === 'NONE') throw error
    throw new LogUnavailable(`Kafka is not available: ${rootOf(error).message}`)
  } finally {
    await admin.disconnect()
  }
  await wakeCoordinators(options)
}

/** A new cluster makes its own topics, of groups and of transactions, at their first use: that takes longer than a call may. */
async function wakeCoordinators(options: MigrateKafkaOptions): Promise<void> {
  const names = namesIn(options.namespace)
  const link = openLink(options)
  const until = performance.now() + COORDINATORS_MAX_MS
  try {
    await openTransactionalWriter({ link, names, codec: 'none', now: Date.now }, names.writer(MIGRATION), until)
    await createReader(link, names).committed(MIGRATION, topicNames, until)
  } finally {
    await link.close()
  }
}

async function createMissing(admin: Admin, options: MigrateKafkaOptions): Promise<void> {
  const names = namesIn(options.namespace)
  const existing = new Set(await admin.listTopics())
  const missing = topicNames.filter((name) => !existing.has(names.topic(name)))
  if (missing.length === 0) return
  // Resolves with false when another process was faster.
  await admin.createTopics({
    waitForLeaders: false,
    topics: missing.map((name) => ({
      topic: names.topic(name),
      numPartitions: partitionsOf(name, options),
      replicationFactor: options.replicationFactor,
      configEntries: configOf(name, options),
    })),
  })
}

/** A topic of one partition is one ordered history, whatever is set. */
function partitionsOf(name: TopicName, { partitions }: Pick<MigrateKafkaOptions, 'partitions'>): number {
  const intended = topics[name].partitions
  return intended === 1 ? 1 : (partitions ?? intended)
}

async function checkPartitions(admin: Admin, options: MigrateKafkaOptions): Promise<void> {
  const names = namesIn(options.namespace)
  const { topics: found } = await metadataOf(admin, topicNames.map(names.topic))
  for (const { name, partitions } of found) {
    const wanted = partitionsOf(names.topicOf(name)!, options)
    if (partitions.length !== wanted) {
      throw new Error(
        `The topic ${name} has ${partitions.length} partitions and must have ${wanted}: with another number its keys lie in other partitions. Move its records to a new topic, or use another namespace.`,
      )
    }
  }
}

/** A broker may hear of new topics a moment after they were made. */
async function metadataOf(admin: Admin, fullNames: string[]) {
  for (const until = performance.now() + TOPICS_KNOWN_MAX_MS; ; await sleep(TOPICS_KNOWN_RETRY_MS)) {
    try {
      return await admin.fetchTopicMetadata({ topics: fullNames })
    } catch (error) {
      if (performance.now() > until || remedyFor(error) === 'NONE') throw error
    }
  }
}

async function configure(admin: Admin, options: MigrateKafkaOptions): Promise<void> {
  const names = namesIn(options.namespace)
  await admin.alterConfigs({
    validateOnly: false,
    resources: topicNames.map((name) => ({
      type: kafkajs.ConfigResourceTypes.TOPIC,
      name: names.topic(name),
      configEntries: configOf(name, options),
    })),
  })
}

function configOf(name: TopicName, { replicationFactor, retentionMs }: MigrateKafkaOptions) {
  const topic = topics[name]
  const kept =
    topic.kind === 'compacted' ? topic.retentionMs : Math.min(topic.retentionMs, retentionMs ?? topic.retentionMs)
  const config = {
    'cleanup.policy': topic.kind === 'compacted' ? 'compact' : 'delete',
    'retention.ms': String(kept),
    // Only closed segments are compacted.
    ...(topic.kind === 'compacted' ? { 'segment.ms': String(SEGMENT_MS) } : {}),
    'delete.retention.ms': String(TOMBSTONE_RETENTION_MS),
    'max.message.bytes': String(MESSAGE_MAX_BYTES),
    'min.insync.replicas': String(replicationFactor >= 3 ? 2 : 1),
    // The time of a record is when the log took it, by the brokers' clocks.
    'message.timestamp.type': 'LogAppendTime',
  }
  return Object.entries(config).map(([name, value]) => ({ name, value }))
}
