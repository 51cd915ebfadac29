/**
 * The log on Kafka against bare kafkajs, in turn on the same broker: appends of 1,000 view events against `producer.send` of the
 * same records (idempotent, all replicas, same compression). Also what each compression costs and saves, and the CPU that an idle
 * producer with three consumers uses, against the same of kafkajs as it comes.
 *
 *     KAFKA_BROKERS=127.0.0.1:19092 node test/bench/engines/log.ts
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import kafkajs from 'kafkajs'

import { batchesIn, type Codec, encodeBatch } from '../../../infra/event-log/kafka/client/protocol/record-batch.ts'
import { connectKafkaEventLog } from '../../../infra/event-log/kafka/event-log.ts'
import { migrateKafka } from '../../../infra/event-log/kafka/migrate.ts'
import type { EventLog, NewRecord } from '../../../infra/event-log/port.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { addresses, testNamespace } from '../../engines/addresses.ts'
import { removeKafkaNamespace } from '../../engines/event-log/kafka-tools.ts'
import { claimsOf, eventOf } from '../../streams/judge/fixtures.ts'
import { startStopwatch } from '../stopwatch.ts'

const BATCH_RECORDS = 1_000
const CAMPAIGNS = 200
const SECONDS = 1
/** Each way is measured this often, in turn; the best counts, because the machine is shared. */
const ROUNDS = 3
const AT_ONCE = [1, 8]
const IDLE_SECONDS = 5
const ZSTD_LEVEL = 1

const brokers = addresses.kafkaBrokers
const clientId = 'bench'
const logger = { warn() {} }
const campaigns = Array.from({ length: CAMPAIGNS }, () => randomUUID())

const records = Array.from({ length: BATCH_RECORDS }, (_, n): NewRecord => {
  const ids = { requestId: randomUUID(), slotHash: randomUUID(), adUnitId: randomUUID(), accountId: randomUUID() }
  const campaignId = campaigns[(n * 7) % CAMPAIGNS]!
  const cid = randomUUID()
  const claims = claimsOf({ ...ids, campaignId, cid, uid: n % 3 === 0 ? randomUUID() : null })
  const event = { ...eventOf({ claims }), eventId: randomUUID(), cid }
  return { topic: 'ad-events', key: campaignId, value: encode('AdEvent', event) }
})
const recordBytes = records.reduce((sum, { key, value }) => sum + key!.length + value!.length, 0)

// kafkajs itself supports only gzip.
kafkajs.CompressionCodecs[kafkajs.CompressionTypes.ZSTD] = () => ({
  compress: async ({ buffer }: { buffer: Buffer }) =>
    zstdCompressSync(buffer, { params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } }),
  decompress: async (buffer: Buffer) => zstdDecompressSync(buffer),
})
const theirCodec = {
  none: kafkajs.CompressionTypes.None,
  gzip: kafkajs.CompressionTypes.GZIP,
  zstd: kafkajs.CompressionTypes.ZSTD,
}

async function perSecond(send: () => Promise<unknown>, atOnce: number): Promise<number> {
  let sent = 0
  const begin = performance.now()
  const worker = async () => {
    while (performance.now() - begin < SECONDS * 1_000) {
      await send()
      sent += BATCH_RECORDS
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return (sent / (performance.now() - begin)) * 1_000
}

async function compareAppends(log: EventLog, namespace: string, codec: Codec): Promise<void> {
  const kafka = new kafkajs.Kafka({ brokers, clientId, logLevel: kafkajs.logLevel.NOTHING })
  const { DefaultPartitioner } = kafkajs.Partitioners
  const producer = kafka.producer({ idempotent: true, createPartitioner: DefaultPartitioner })
  await producer.connect()
  const messages = records.map(({ key, value }) => ({ key, value }))
  const topic = `${namespace}.ad-events`
  const bare = () => producer.send({ topic, messages, acks: -1, compression: theirCodec[codec] })
  const ours = () => log.append(records)
  for (const send of [bare, ours]) for (let n = 0; n < 20; n++) await send()
  for (const atOnce of AT_ONCE) {
    const best = { bare: 0, ours: 0 }
    for (let round = 0; round < ROUNDS; round++) {
      best.bare = Math.max(best.bare, await perSecond(bare, atOnce))
      best.ours = Math.max(best.ours, await perSecond(ours, atOnce))
    }
    print(`${codec}, ${atOnce} batches at once`, {
      'kafkajs records/s': Math.round(best.bare),
      'append records/s': Math.round(best.ours),
      ratio: (best.ours / best.bare).toFixed(2),
    })
  }
  await producer.disconnect()
}

/** CPU time only, of the records of a batch that go to one partition. */
function measureCodec(codec: Codec): void {
  const origin = { producerId: 1n, producerEpoch: 0, firstSequence: 0, transactional: false }
  const part = records.slice(0, BATCH_RECORDS / 4).map(({ key, value }) => ({ key: Buffer.from(key!), value }))
  const make = () => encodeBatch(part, origin, { codec, timestamp: Date.now() })
  const bytes = make()
  const times = { encode: timeOf(make), decode: timeOf(() => [...batchesIn(bytes)].map((batch) => batch.decode())) }
  print(`batches of ${part.length}, ${codec}`, {
    'bytes/record': Math.round(bytes.length / part.length),
    'encode records/ms': Math.round(part.length / times.encode),
    'decode records/ms': Math.round(part.length / times.decode),
  })
}

/** Milliseconds of one run, the best of several rounds. */
function timeOf(run: () => unknown): number {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 10; round++) {
    const begin = performance.now()
    for (let n = 0; n < 20; n++) run()
    best = Math.min(best, (performance.now() - begin) / 20)
  }
  return best
}

async function idleCpu(): Promise<string> {
  await sleep(2_000)
  const spent = startStopwatch()
  await sleep(IDLE_SECONDS * 1_000)
  return `${(spent().cpuMs / (IDLE_SECONDS * 10)).toFixed(2)} % of a core`
}

async function idleCpuOfKafkajs(namespace: string): Promise<string> {
  const kafka = new kafkajs.Kafka({ brokers, clientId, logLevel: kafkajs.logLevel.NOTHING })
  const producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner })
  await producer.connect()
  const consumers = ['one', 'two', 'three'].map((group) => kafka.consumer({ groupId: `${namespace}.bare-${group}` }))
  for (const consumer of consumers) {
    await consumer.subscribe({ topic: `${namespace}.page-views` })
    await consumer.run({ eachBatch: async () => {} })
  }
  const cpu = await idleCpu()
  for (const each of [producer, ...consumers]) await each.disconnect()
  return cpu
}

async function idleCpuOfLog(log: EventLog): Promise<string> {
  await log.append([{ topic: 'page-views', key: 'k', value: null }])
  const consumers = await Promise.all(
    ['one', 'two', 'three'].map((group) => log.consumer({ group, topics: ['page-views'] })),
  )
  let ended = false
  const polling = consumers.map(async (consumer) => {
    while (!ended) await consumer.poll({ maxRecords: 100, maxWaitMs: 200 })
  })
  const cpu = await idleCpu()
  ended = true
  await Promise.all(polling)
  for (const consumer of consumers) await consumer.close()
  return cpu
}

function print(what: string, figures: Record<string, string | number>): void {
  const text = Object.entries(figures).map(([name, value]) => `${name} ${value}`)
  process.stdout.write(`${what}: ${text.join(', ')}\n`)
}

const namespace = testNamespace()
const options = { brokers, clientId, namespace, logger, now: Date.now }
print('records', { 'bytes each': Math.round(recordBytes / BATCH_RECORDS) })
for (const codec of ['none', 'gzip', 'zstd'] as const) measureCodec(codec)
// Measure kafkajs first: the log removes kafkajs's timer for the whole process.
const admin = new kafkajs.Kafka({ brokers, clientId, logLevel: kafkajs.logLevel.NOTHING }).admin()
await admin.connect()
await admin.createTopics({ topics: [{ topic: `${namespace}.page-views`, numPartitions: 4 }] })
await admin.disconnect()
const bareIdle = await idleCpuOfKafkajs(namespace)
await migrateKafka({ ...options, replicationFactor: 1 })
const log = connectKafkaEventLog(options)
print('idle', { kafkajs: bareIdle, log: await idleCpuOfLog(log) })
await log.close()
for (const codec of ['none', 'gzip', 'zstd'] as const) {
  const each = connectKafkaEventLog({ ...options, codec })
  await compareAppends(each, namespace, codec)
  await each.close()
}
await removeKafkaNamespace(namespace)
