import { setTimeout as sleep } from 'node:timers/promises'
import kafkajs, { type Admin } from 'kafkajs'
import { type TopicName, topicNames } from '../../../schemas/topics.ts'
import { OperatorError } from '../../../services/domain/errors.ts'
import { within } from '../../within.ts'
import { LogUnavailable } from '../port.ts'
import { openAdmin } from './admin.ts'
import { type BrokerClient, type KafkaAddress, openBrokerClient, unavailable } from './client/broker-client.ts'
import { codeOf, remedyFor, rootOf } from './client/errors.ts'
import { alterTopicsRequest } from './client/protocol/requests.ts'
import { meaningOf } from './client/refusals.ts'
import { namingTheRight } from './client/rights.ts'
import { type KafkaNames, namesIn } from './names.ts'
import { type PartitionCounts, type PartitionOptions, partitionProblem, partitionsToMake } from './partition-counts.ts'
import { openTransactionalWriter } from './produce/transaction.ts'
import { createReader } from './read/reader.ts'
import { copiesProblem, settingsToChange, type TopicSettingsOptions, wantedSettings } from './topic-settings.ts'
import { sharedWarnings } from './warnings.ts'

/** Limit of each step by kafkajs' admin client, and of changing settings. The next attempt may then begin with another broker. */
const STEP_MAX_MS = 20_000
const TOPICS_KNOWN_MAX_MS = 20_000
const TOPICS_KNOWN_AGAIN_MS = 100
const TOPICS_LED_MAX_MS = 60_000
const COORDINATORS_MAX_MS = 60_000
/** The group and the transactional id that a migration uses. */
const MIGRATION = 'migration'

export interface MigrateKafkaOptions extends KafkaAddress, TopicSettingsOptions, PartitionOptions {
  namespace: string
}

/** A topic has another number of partitions than it must have. The message is written for the operator. */
class PartitionsDiffer extends OperatorError {
  override readonly name = 'PartitionsDiffer'
}

/**
 * Creates missing topics, and sets what each topic needs (`topic-settings.ts`). Several processes may do so at once.
 * @throws LogUnavailable when Kafka is away; PartitionsDiffer when a topic exists with another number of partitions than the operator asks for,
 * because its keys would lie in other partitions than before.
 */
export async function migrateKafka(options: MigrateKafkaOptions): Promise<void> {
  const admin = openAdmin(options)
  const client = openBrokerClient({ ...options, logger: sharedWarnings(options.logger, () => performance.now()) })
  try {
    await inTime(admin.connect())
    const missing = await inTime(missingTopics(admin, options))
    if (missing.length > 0) await onceKnown(() => inTime(create(missing, admin, options)))
    await checkPartitions(client, options)
    await untilLed(missing, client, options)
    await onceKnown(() => inTime(configure(admin, client, options)))
    await wakeCoordinators(client, options)
  } catch (error) {
    if (remedyFor(error) !== 'NONE') throw unavailable(rootOf(error))
    const root = rootOf(error)
    throw root.name.startsWith('KafkaJS')
      ? new OperatorError(`Kafka has refused: ${meaningOf(root)}`, { cause: root })
      : error
  } finally {
    await Promise.all([admin.disconnect(), client.close()])
  }
}

const inTime = <T>(step: Promise<T>): Promise<T> =>
  within(step, STEP_MAX_MS, () => new LogUnavailable('A broker has not answered in time'))

/** Repeats a step while the broker that it asks does not know topics that another broker knows already. */
async function onceKnown(step: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + TOPICS_KNOWN_MAX_MS
  for (;;) {
    try {
      return await step()
    } catch (error) {
      if (codeOf(error) !== 'UNKNOWN_TOPIC_OR_PARTITION' || performance.now() > deadline) throw error
      await sleep(TOPICS_KNOWN_AGAIN_MS)
    }
  }
}

/** Makes a new cluster create its internal topics for groups and transactions now: at their first use, a call would take too long. */
async function wakeCoordinators(client: BrokerClient, { namespace }: MigrateKafkaOptions): Promise<void> {
  const names = namesIn(namespace)
  const deadline = performance.now() + COORDINATORS_MAX_MS
  const producer = { client, names, codec: 'none', now: Date.now } as const
  await openTransactionalWriter(producer, names.writer(MIGRATION), deadline)
  await createReader(client, names).committed(MIGRATION, deadline)
}

async function missingTopics(admin: Admin, { namespace }: MigrateKafkaOptions): Promise<TopicName[]> {
  const existing = new Set(await admin.listTopics())
  return topicNames.filter((name) => !existing.has(namesIn(namespace).topic(name)))
}

async function create(missing: TopicName[], admin: Admin, options: MigrateKafkaOptions): Promise<void> {
  const names = namesIn(options.namespace)
  const counts = await partitionsOf(
    admin,
    topicNames.filter((name) => !missing.includes(name)),
    names,
  )
  const topics = missing.map((name) => ({
    topic: names.topic(name),
    numPartitions: partitionsToMake(name, counts, options),
    replicationFactor: options.replicationFactor,
    configEntries: wantedSettings(name, options).map(({ name, value }) => ({ name, value })),
  }))
  try {
    // Resolves with false when another process has made them.
    await admin.createTopics({ waitForLeaders: false, topics })
  } catch (error) {
    const [first] = (error as { errors?: (Error & { topic: string })[] }).errors ?? []
    throw first ? namingTheRight(first, 'CreateTopics', first) : error
  }
}

async function partitionsOf(admin: Admin, existing: TopicName[], names: KafkaNames): Promise<PartitionCounts> {
  // An empty list would ask for every topic of the cluster.
  if (existing.length === 0) return new Map()
  const { topics } = await admin.fetchTopicMetadata({ topics: existing.map(names.topic) })
  return new Map(topics.map(({ name, partitions }) => [names.topicOf(name)!, partitions.length]))
}

/** The number of replicas of each topic, by its full name: that of the partition with the fewest. */
async function copiesOf(admin: Admin, names: KafkaNames): Promise<Map<string, number>> {
  const { topics } = await admin.fetchTopicMetadata({ topics: topicNames.map(names.topic) })
  const copies = topics.map(({ name, partitions }) => {
    return [name, Math.min(...partitions.map(({ replicas }) => replicas.length))] as const
  })
  return new Map(copies)
}

/**
 * Waits until the brokers know the topics, which may be a moment after their creation, and checks their numbers of partitions.
 * @throws PartitionsDiffer
 */
async function checkPartitions(client: BrokerClient, options: MigrateKafkaOptions): Promise<void> {
  const { topic } = namesIn(options.namespace)
  const deadline = performance.now() + TOPICS_KNOWN_MAX_MS
  const counts = new Map<TopicName, number>()
  for (const name of topicNames) counts.set(name, (await client.leaders(topic(name), deadline)).size)
  const problem = partitionProblem(counts, topic, options)
  if (problem) throw new PartitionsDiffer(problem)
}

/** Waits until new topics can be used: brokers name the leader of a partition before that leader has created its files. */
async function untilLed(created: TopicName[], client: BrokerClient, options: MigrateKafkaOptions): Promise<void> {
  const names = namesIn(options.namespace)
  const reader = createReader(client, names)
  const deadline = performance.now() + TOPICS_LED_MAX_MS
  for (const name of created) await reader.starts(name, deadline)
}

/** Changes only settings that must have another value. All other settings that an operator has made on a topic stay. */
async function configure(admin: Admin, client: BrokerClient, options: MigrateKafkaOptions): Promise<void> {
  const names = namesIn(options.namespace)
  const asked = topicNames.map((name) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name: names.topic(name) }))
  const { resources } = await admin.describeConfigs({ includeSynonyms: false, resources: asked }).catch((error) => {
    throw namingTheRight(rootOf(error), 'DescribeConfigs', { topic: names.topic('registry') })
  })
  const copies = await copiesOf(admin, names)
  const changes = resources.flatMap(({ resourceName, configEntries }) => {
    const { found = [], defaults = [] } = Object.groupBy(
      configEntries.map(({ configName: name, configValue: value, configSource }) => ({ name, value, configSource })),
      ({ configSource }) => (configSource === kafkajs.ConfigSource.TOPIC_CONFIG ? 'found' : 'defaults'),
    )
    const replicationFactor = copies.get(resourceName)!
    const problem = copiesProblem(resourceName, found, replicationFactor)
    if (problem) throw new OperatorError(problem)
    const settings = settingsToChange(
      wantedSettings(names.topicOf(resourceName)!, {
        ...options,
        // Otherwise a topic that was created with fewer replicas could not be written at all.
        replicationFactor: Math.min(options.replicationFactor, replicationFactor),
      }),
      found,
      defaults,
    )
    return settings.length === 0 ? [] : [{ topic: resourceName, settings }]
  })
  if (changes.length === 0) return
  const deadline = performance.now() + STEP_MAX_MS
  await client.send('ANY', alterTopicsRequest(changes), deadline)
}
