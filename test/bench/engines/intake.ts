/**
 * The intake over Kafka: batches of 1,000 view events against bare kafkajs that produces the same encoded records from as many
 * callers (idempotent, all replicas, without compression, which is the default of kafkajs). Goal: a ratio of at least 0.6. Then single
 * views at 1,000 a second, for how long they take.
 *
 *     KAFKA_BROKERS=127.0.0.1:19092 node test/bench/engines/intake.ts
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kafka, logLevel, Partitioners } from 'kafkajs'
import { patchKafkajs } from '../../../infra/event-log/kafka/client/patches.ts'
import { addresses } from '../../engines/addresses.ts'
import { removeKafkaNamespace } from '../../engines/event-log/kafka-tools.ts'
import { openEngines } from '../engines-of-environment.ts'
import {
  bareFastify,
  batchRecords,
  compared,
  measureInTurn,
  reportLatency,
  singleViews,
  straight,
  viewBatches,
} from '../intake/ways.ts'

const GOAL = 0.6
const P99_GOAL_MS = 15
const brokers = addresses.kafkaBrokers
process.env.KAFKA_BROKERS = brokers.join(',')
patchKafkajs()

const folder = mkdtempSync(join(tmpdir(), 'bench-intake-'))
const { log, namespace, close } = await openEngines(folder)
const producer = new Kafka({ brokers, logLevel: logLevel.NOTHING }).producer({
  idempotent: true,
  createPartitioner: Partitioners.DefaultPartitioner,
})
await producer.connect()
const topic = `${namespace}.ad-events`
const messages = batchRecords.map(({ key, value }) => ({ key, value }))

const best = await measureInTurn({
  bareFastify,
  singles: singleViews(log),
  straight: straight(() => producer.send({ topic, messages, acks: -1 })),
  batches: viewBatches(log),
})
await reportLatency('Kafka', log, P99_GOAL_MS)
await producer.disconnect()
await close()
await removeKafkaNamespace(namespace)
rmSync(folder, { recursive: true })
console.table([
  compared('single views, Kafka', best.singles, 'bare Fastify', best.bareFastify, GOAL),
  compared('batches of 1,000, Kafka', best.batches, 'bare kafkajs', best.straight, GOAL),
])
