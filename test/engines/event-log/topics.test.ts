import kafkajs, { type Admin } from 'kafkajs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { patchKafkajs } from '../../../infra/event-log/kafka/client/patches.ts'
import { type MigrateKafkaOptions, migrateKafka } from '../../../infra/event-log/kafka/migrate.ts'
import type { TopicName } from '../../../schemas/topics.ts'
import { addresses, testNamespace } from '../addresses.ts'
import { removeKafkaNamespace } from './kafka-tools.ts'

const brokers = addresses.kafkaBrokers
const TOPIC = kafkajs.ConfigResourceTypes.TOPIC

let namespace: string
let admin: Admin

beforeEach(async () => {
  patchKafkajs()
  namespace = testNamespace()
  admin = new kafkajs.Kafka({ brokers, clientId: 'test', logLevel: kafkajs.logLevel.NOTHING }).admin()
  await admin.connect()
  await start()
})
afterEach(async () => {
  await admin.disconnect()
  await removeKafkaNamespace(namespace)
})

/** Does to the topics what each start of a process does. */
const start = (asked: Partial<MigrateKafkaOptions> = {}) =>
  migrateKafka({ brokers, clientId: 'test', namespace, replicationFactor: 1, logger: { warn() {} }, ...asked })

/** Replaces all settings of the topic `ad-events`, as an operator's tool may do. */
const setOnly = (settings: Record<string, string>) =>
  admin.alterConfigs({
    validateOnly: false,
    resources: [
      {
        type: TOPIC,
        name: `${namespace}.ad-events`,
        configEntries: Object.entries(settings).map(([name, value]) => ({ name, value })),
      },
    ],
  })

async function settingsOf(topic: string): Promise<Record<string, string>> {
  const resources = [{ type: TOPIC, name: `${namespace}.${topic}` }]
  const [found] = (await admin.describeConfigs({ includeSynonyms: false, resources })).resources
  return Object.fromEntries(
    found!.configEntries
      .filter(({ configSource }) => configSource === kafkajs.ConfigSource.TOPIC_CONFIG)
      .map(({ configName, configValue }) => [configName, configValue]),
  )
}

/** Starts a namespace whose topics an earlier version has created. */
async function madeBefore(counts: Partial<Record<TopicName, number>>): Promise<void> {
  await removeKafkaNamespace(namespace)
  namespace = testNamespace()
  const topics = Object.entries(counts).map(([name, numPartitions]) => ({
    topic: `${namespace}.${name}`,
    numPartitions,
  }))
  await admin.createTopics({ topics, waitForLeaders: false })
  await expect.poll(() => admin.listTopics()).toEqual(expect.arrayContaining(topics.map(({ topic }) => topic)))
}

async function partitionsOf(...names: TopicName[]): Promise<number[]> {
  const { topics } = await admin.fetchTopicMetadata({ topics: names.map((name) => `${namespace}.${name}`) })
  const counts = new Map(topics.map(({ name, partitions }) => [name, partitions.length]))
  return names.map((name) => counts.get(`${namespace}.${name}`)!)
}

it('a new installation has 12 partitions of each topic, and one of each ordered history', async () => {
  expect(await partitionsOf('ad-events', 'judged-events', 'emissions', 'registry')).toEqual([12, 12, 12, 1])
})

it('an installation of four partitions goes on with them, and gets a missing topic of a unit as the unit is', async () => {
  await madeBefore({ 'ad-events': 4, 'judged-events': 4, emissions: 4 })
  await start()
  await start()
  expect(await partitionsOf('ad-events', 'judged-events', 'corrections', 'emissions', 'products')).toEqual([
    4, 4, 4, 4, 12,
  ])
  await expect(start({ partitions: 12 })).rejects.toThrow(/emissions has 4 partitions and KAFKA_PARTITIONS asks for 12/)
  await expect(start({ topicPartitions: { emissions: 6 } })).rejects.toThrow(/emissions has 4 partitions/)
})

it('topics that must be partitioned alike and are not are refused', async () => {
  await madeBefore({ 'ad-events': 4, 'judged-events': 6 })
  await expect(start()).rejects.toThrow(/ad-events and .*judged-events must have the same number of partitions/)
})

it('a start makes as many partitions and keeps records for as long as is asked for by topic', async () => {
  await madeBefore({})
  const DAY_MS = 86_400_000
  await start({
    partitions: 3,
    topicPartitions: { emissions: 5 },
    retentionMs: 60 * DAY_MS,
    topicRetentionMs: { emissions: 2 * DAY_MS },
  })
  expect(await partitionsOf('ad-events', 'emissions', 'registry')).toEqual([3, 5, 1])
  expect((await settingsOf('emissions'))['retention.ms']).toBe(String(2 * DAY_MS))
  expect((await settingsOf('ad-events'))['retention.ms']).toBe(String(60 * DAY_MS))
})

it('a start keeps what an operator has set on a topic, and sets what is missing', async () => {
  const made = await settingsOf('ad-events')
  expect(made).toMatchObject({ 'cleanup.policy': 'delete', 'message.timestamp.type': 'LogAppendTime' })

  const operators = { 'max.message.bytes': '5000000', 'segment.bytes': '104857600', 'retention.ms': '864000000' }
  await setOnly(operators)
  await expect.poll(() => settingsOf('ad-events')).toEqual(operators)
  await start()
  // What the brokers do by default anyway is not set again.
  const { 'retention.bytes': _, 'unclean.leader.election.enable': __, ...missing } = made
  await expect.poll(() => settingsOf('ad-events')).toEqual({ ...missing, ...operators })
})

it('a start raises a limit of a topic that is below what Endcap accepts', async () => {
  const made = await settingsOf('ad-events')
  await setOnly({ ...made, 'max.message.bytes': '1000' })
  await expect.poll(() => settingsOf('ad-events')).toMatchObject({ 'max.message.bytes': '1000' })
  await start()
  await expect.poll(() => settingsOf('ad-events')).toEqual(made)
})

it('a start does not demand more copies in sync than a topic has', async () => {
  const made = await settingsOf('ad-events')
  await start({ replicationFactor: 3 })
  expect(await settingsOf('ad-events')).toEqual(made)
})

it('a start refuses a topic that can never be written', async () => {
  await setOnly({ ...(await settingsOf('ad-events')), 'min.insync.replicas': '2' })
  await expect.poll(() => settingsOf('ad-events')).toMatchObject({ 'min.insync.replicas': '2' })
  await expect(start()).rejects.toThrow(/ad-events has 1 copies of each partition and its min\.insync\.replicas is 2/)
})
