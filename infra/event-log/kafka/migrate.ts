import kafkajs, { type Admin } from 'kafkajs'
import { type TopicName, topicNames, topics } from '../../../schemas/topics.ts'
import {
  type BrokerClient,
  type KafkaAddress,
  openAdmin,
  openBrokerClient,
  unavailable,
} from './client/broker-client.ts'
import { remedyFor, rootOf } from './client/errors.ts'
import { alterTopicsRequest } from './client/requests.ts'
import { namesIn } from './names.ts'
import { openTransactionalWriter } from './produce/transaction.ts'
import { createReader } from './read/reader.ts'
import { settingsToChange, type TopicSettingsOptions, wantedSettings } from './topic-settings.ts'

const REQUEST_TIMEOUT_MS = 30_000
const TOPICS_KNOWN_MAX_MS = 20_000
const COORDINATORS_MAX_MS = 60_000
/** The group and the transactional id that a migration uses. */
const MIGRATION = 'migration'

export interface MigrateKafkaOptions extends KafkaAddress, TopicSettingsOptions {
  namespace: string
  /** Of each topic with more than one, in place of what `schemas/topics.ts` says. */
  partitions?: number
}

/**
 * Makes the topics that are missing, and sets what each topic needs (`topic-settings.ts`). Several processes may do so at once.
 * @throws LogUnavailable when Kafka is away; Error when a topic exists with another number of partitions, because its keys would
 * lie in other partitions than before.
 */
export async function migrateKafka(options: MigrateKafkaOptions): Promise<void> {
  const admin = openAdmin(options)
  const client = openBrokerClient(options)
  try {
    await admin.connect()
    await createMissing(admin, options)
    await checkPartitions(client, options)
    await configure(admin, client, options)
    await wakeCoordinators(client, options)
  } catch (error) {
    throw remedyFor(error) === 'NONE' ? error : unavailable(rootOf(error))
  } finally {
    await Promise.all([admin.disconnect(), client.close()])
  }
}

/** A new cluster makes its internal topics, for groups and transactions, at their first use, which takes longer than a call may. */
async function wakeCoordinators(client: BrokerClient, { namespace }: MigrateKafkaOptions): Promise<void> {
  const names = namesIn(namespace)
  const deadline = performance.now() + COORDINATORS_MAX_MS
  const producer = { client, names, codec: 'none', now: Date.now } as const
  await openTransactionalWriter(producer, names.writer(MIGRATION), deadline)
  await createReader(client, names).committed(MIGRATION, topicNames, deadline)
}

async function createMissing(admin: Admin, options: MigrateKafkaOptions): Promise<void> {
  const names = namesIn(options.namespace)
  const existing = new Set(await admin.listTopics())
  const missing = topicNames.filter((name) => !existing.has(names.topic(name)))
  if (missing.length === 0) return
  // Resolves with false when another process has made them.
  await admin.createTopics({
    waitForLeaders: false,
    topics: missing.map((name) => ({
      topic: names.topic(name),
      numPartitions: partitionCountOf(name, options),
      replicationFactor: options.replicationFactor,
      configEntries: wantedSettings(name, options).map(({ name, value }) => ({ name, value })),
    })),
  })
}

/** A topic of one partition is one ordered history, and stays so. */
function partitionCountOf(name: TopicName, { partitions }: Pick<MigrateKafkaOptions, 'partitions'>): number {
  const intended = topics[name].partitions
  return intended === 1 ? 1 : (partitions ?? intended)
}

/** Waits until the brokers know the topics, which may be a moment after they were made. */
async function checkPartitions(client: BrokerClient, options: MigrateKafkaOptions): Promise<void> {
  const names = namesIn(options.namespace)
  const deadline = performance.now() + TOPICS_KNOWN_MAX_MS
  for (const name of topicNames) {
    const topic = names.topic(name)
    const wanted = partitionCountOf(name, options)
    const { size } = await client.leaders(topic, deadline)
    if (size !== wanted) {
      throw new Error(
        `The topic ${topic} has ${size} partitions and must have ${wanted}: with another number its keys lie in other partitions. Move its records to a new topic, or use another namespace.`,
      )
    }
  }
}

/** Changes only the settings that must differ: what else an operator has set on a topic stays. */
async function configure(admin: Admin, client: BrokerClient, options: MigrateKafkaOptions): Promise<void> {
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
  const deadline = performance.now() + REQUEST_TIMEOUT_MS
  await client.send('ANY', alterTopicsRequest(changes), deadline)
}
