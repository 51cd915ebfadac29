import kafkajs from 'kafkajs'
import { patchKafkajs } from '../../../infra/event-log/kafka/client/patches.ts'
import { connectWithoutEpoch } from '../../../infra/event-log/kafka/event-log.ts'
import { migrateKafka } from '../../../infra/event-log/kafka/migrate.ts'
import { type TopicName, topicNames } from '../../../schemas/topics.ts'
import { decode, encode } from '../../../schemas/wire/codec.ts'
import { addresses } from '../addresses.ts'
import { forgetRecords } from '../event-log/kafka-tools.ts'

const silent = { info() {}, warn() {}, error() {} }
const PAGE_RECORDS = 1_000
const addressOf = (namespace: string) => {
  return { brokers: addresses.kafkaBrokers, clientId: 'mirror', namespace, logger: silent }
}

export interface Mirror {
  /** Copies the new records of these topics, or of one partition of them, since the last copy. */
  copy(topics?: readonly TopicName[], only?: number): Promise<void>
  close(): Promise<void>
}

/**
 * Copies the topics of one namespace to another as MirrorMaker 2 does between clusters (`clusters.ts` runs it), but step by step.
 * Copies keys, values and partitions, but neither offsets, transaction markers, aborted records nor committed offsets of groups.
 * Both namespaces are in one cluster, so the copy of `log-epoch` says that the original is in another one.
 */
export async function startMirror(from: string, to: string, partitions: number): Promise<Mirror> {
  await migrateKafka({ ...addressOf(to), replicationFactor: 1, partitions })
  const source = connectWithoutEpoch({ ...addressOf(from), now: Date.now })
  const producer = await connectProducer()
  const next = new Map<string, number>()

  async function copyPartition(topic: TopicName, partition: number, start: number): Promise<void> {
    const place = `${topic}/${partition}`
    for (let at = next.get(place) ?? start; ; ) {
      const records = await source.read(topic, partition, at, PAGE_RECORDS)
      if (records.length === 0) return
      const messages = records.map(({ key, value, appendedAt }) => {
        return {
          partition,
          key,
          value: topic === 'log-epoch' ? ofAnother(value!) : value,
          timestamp: String(appendedAt),
        }
      })
      await producer.send({ topic: `${to}.${topic}`, messages })
      at = records.at(-1)!.offset + 1
      next.set(place, at)
    }
  }

  return {
    async copy(topics = topicNames, only) {
      for (const topic of topics) {
        const bounds = (await source.bounds(topic)).filter(({ partition }) => partition === (only ?? partition))
        await Promise.all(bounds.map(({ partition, start }) => copyPartition(topic, partition, start)))
      }
    },
    async close() {
      await Promise.all([source.close(), producer.disconnect()])
    },
  }
}

const ofAnother = (epoch: Buffer) => encode('LogEpoch', { ...decode('LogEpoch', epoch), clusterId: 'of-the-first-log' })

/** Makes topics that have held other records before, so that new records have greater offsets than in a copy. */
export async function ageTopics(
  namespace: string,
  topics: readonly TopicName[],
  records: number,
  partitions: number,
): Promise<void> {
  await migrateKafka({ ...addressOf(namespace), replicationFactor: 1, partitions })
  const producer = await connectProducer()
  const log = connectWithoutEpoch({ ...addressOf(namespace), now: Date.now })
  for (const topic of topics) {
    const messages = (await log.bounds(topic)).flatMap(({ partition }) =>
      Array.from({ length: records }, () => ({ partition, key: null, value: 'expired' })),
    )
    await producer.send({ topic: `${namespace}.${topic}`, messages })
    await forgetRecords(namespace, topic)
  }
  await Promise.all([log.close(), producer.disconnect()])
}

async function connectProducer() {
  patchKafkajs()
  const producer = new kafkajs.Kafka({
    brokers: addresses.kafkaBrokers,
    clientId: 'mirror',
    logLevel: kafkajs.logLevel.NOTHING,
  }).producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner })
  await producer.connect()
  return producer
}
