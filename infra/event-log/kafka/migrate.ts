import { setTimeout as sleep } from 'node:timers/promises'
import kafkajs, { type Admin } from 'kafkajs'
import { type TopicName, topicNames, topics } from '../../../schemas/topics.ts'
import { LogUnavailable } from '../port.ts'
import { remedyFor, rootOf } from './client/errors.ts'
import { type KafkaAddress, type Link, openLink } from './client/link.ts'
import { keepIdleQueuesQuiet } from './client/quiet.ts'
import { alterTopicsRequest, send } from './client/requests.ts'
import { namesIn } from './names.ts'
import { openTransactionalWriter } from './produce/transaction.ts'
import { createReader } from './read/reader.ts'
import { settingsToChange, type TopicSettingsOptions, wantedSettings } from './topic-settings.ts'

const REQUEST_TIMEOUT_MS = 30_000
/** Short, because whoever waits for Kafka asks again by himself: about five seconds together. */
const RETRY = { retries: 8, initialRetryTime: 100, maxRetryTime: 1_000 }
const TOPICS_KNOWN_MAX_MS = 20_000
const TOPICS_KNOWN_RETRY_MS = 50
const COORDINATORS_MAX_MS = 60_000
/** The group and the transactional id by which a migration asks. */
const MIGRATION = 'migration'

export interface MigrateKafkaOptions extends KafkaAddress, TopicSettingsOptions {
  namespace: string
  /** Of each topic that is cut at all, in place of what `schemas/topics.ts` says. */
  partitions?: number
}

/**
 * Makes the topics that are missing and sets what every topic needs (`kafka-topic-settings.ts`); several processes may do so at once.
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
  const link = openLink(options)
  try {
    await admin.connect()
    await createMissing(admin, options)
    await checkPartitions(admin, options)
    await configure(admin, link, options)
    await wakeCoordinators(link, options)
  } catch (error) {
    if (remedyFor(error) === 'NONE') throw error
    throw new LogUnavailable(`Kafka is not available: ${rootOf(error).message}`)
  } finally {
    await Promise.all([admin.disconnect(), link.close()])
  }
}

/** A new cluster makes its own topics, of groups and of transactions, at their first use: that takes longer than a call may. */
async function wakeCoordinators(link: Link, { namespace }: MigrateKafkaOptions): Promise<void> {
  const names = namesIn(namespace)
  const until = performance.now() + COORDINATORS_MAX_MS
  await openTransactionalWriter({ link, names, codec: 'none', now: Date.now }, names.writer(MIGRATION), until)
  await createReader(link, names).committed(MIGRATION, topicNames, until)
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
      configEntries: wantedSettings(name, options).map(({ name, value }) => ({ name, value })),
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

/** Changes only the settings that must be another way: what an operator has set on a topic stays. */
async function configure(admin: Admin, link: Link, options: MigrateKafkaOptions): Promise<void> {
  const names = namesIn(options.namespace)
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: topicNames.map((name) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name: names.topic(name) })),
  })
  const changes = resources.flatMap(({ resourceName, configEntries }) => {
    const found = configEntries
      .filter(({ configSource }) => configSource === kafkajs.ConfigSource.TOPIC_CONFIG)
      .map(({ configName, configValue }) => ({ name: configName, value: configValue }))
    const settings = settingsToChange(wantedSettings(names.topicOf(resourceName)!, options), found)
    return settings.length === 0 ? [] : [{ topic: resourceName, settings }]
  })
  if (changes.length === 0) return
  const until = performance.now() + REQUEST_TIMEOUT_MS
  await link.request('ANY', (broker) => send(broker, alterTopicsRequest(changes)), until)
}
