import kafkajs, { type Admin } from 'kafkajs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { patchKafkajs } from '../../../infra/event-log/kafka/client/patches.ts'
import { migrateKafka } from '../../../infra/event-log/kafka/migrate.ts'
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

/** What each start of a process does to the topics. */
const start = () => migrateKafka({ brokers, clientId: 'test', namespace, replicationFactor: 1, logger: { warn() {} } })

/** Replaces all settings of the topic `ad-events`, as an operator's tool may. */
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

it('a start keeps what an operator has set on a topic, and sets what is missing', async () => {
  const made = await settingsOf('ad-events')
  expect(made).toMatchObject({ 'cleanup.policy': 'delete', 'message.timestamp.type': 'LogAppendTime' })

  const operators = { 'max.message.bytes': '5000000', 'segment.bytes': '104857600', 'retention.ms': '864000000' }
  await setOnly(operators)
  await expect.poll(() => settingsOf('ad-events')).toEqual(operators)
  await start()
  await expect.poll(() => settingsOf('ad-events')).toEqual({ ...made, ...operators })
})

it('a start raises a limit of a topic that is below what Endcap accepts', async () => {
  const made = await settingsOf('ad-events')
  await setOnly({ ...made, 'max.message.bytes': '1000' })
  await expect.poll(() => settingsOf('ad-events')).toMatchObject({ 'max.message.bytes': '1000' })
  await start()
  await expect.poll(() => settingsOf('ad-events')).toEqual(made)
})
