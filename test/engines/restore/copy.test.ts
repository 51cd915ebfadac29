import kafkajs from 'kafkajs'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { firstOffsetOf } from '../../../infra/event-log/epochs.ts'
import { patchKafkajs } from '../../../infra/event-log/kafka/client/patches.ts'
import { type KafkaLog, UnrestoredCopy } from '../../../infra/event-log/kafka/epoch/current-epoch.ts'
import { noteCluster, openLogRestore } from '../../../infra/event-log/kafka/epoch/restore.ts'
import { connectKafkaEventLog, connectWithoutEpoch } from '../../../infra/event-log/kafka/event-log.ts'
import { migrateKafka } from '../../../infra/event-log/kafka/migrate.ts'
import { logEpochRecord, readLogEpoch } from '../../../infra/event-log/log-epoch.ts'
import type { EventLog } from '../../../infra/event-log/port.ts'
import { addresses, testNamespace } from '../addresses.ts'
import { removeKafkaNamespace } from '../event-log/kafka-tools.ts'

const namespace = testNamespace()
const options = {
  ...{ brokers: addresses.kafkaBrokers, clientId: 'test', namespace, logger: { warn() {} } },
  now: Date.now,
}
const view = { topic: 'page-views', key: 'a', value: Buffer.from('1') } as const

let kafka: KafkaLog
const opened: EventLog[] = []

beforeAll(async () => {
  await migrateKafka({ ...options, replicationFactor: 1, partitions: 1 })
  kafka = connectWithoutEpoch(options)
})
afterEach(async () => {
  for (const log of opened.splice(0)) await log.close()
})
afterAll(async () => {
  await kafka?.close()
  await removeKafkaNamespace(namespace)
})

/** Connects as a process does at its start. */
function connect(): EventLog {
  const log = connectKafkaEventLog(options)
  opened.push(log)
  return log
}

/** Marks the log as a copy of a log in another cluster. */
async function copiedFrom(clusterId: string, { restoring = false } = {}): Promise<void> {
  const { epoch } = await readLogEpoch(kafka)
  await kafka.append([logEpochRecord({ epoch, restoring, restoredAt: 0, judgedTo: [], clusterId })])
}

async function presentCluster(): Promise<string> {
  patchKafkajs()
  const { brokers, clientId } = options
  const admin = new kafkajs.Kafka({ brokers, clientId, logLevel: kafkajs.logLevel.NOTHING }).admin()
  await admin.connect()
  const { clusterId } = await admin.describeCluster()
  await admin.disconnect()
  return clusterId
}

test('the first start notes the cluster, the next ones leave it', async () => {
  await connect().append([view])
  await noteCluster(options)
  await noteCluster(options)
  expect(await readLogEpoch(kafka)).toMatchObject({ epoch: 0, clusterId: await presentCluster() })
  expect(await kafka.bounds('log-epoch')).toMatchObject([{ end: 1 }])
})

test("a mirror is refused until it is restored, and is this cluster's own then", async () => {
  await copiedFrom('first')
  await noteCluster(options)
  await expect(connect().bounds('ad-events')).rejects.toThrow(UnrestoredCopy)
  const restore = await openLogRestore(options)
  expect((await restore.begin(0)).epoch).toBe(1)
  await restore.finish([])
  await restore.close()
  expect((await connect().append([view]))[0]!.offset).toBeGreaterThanOrEqual(firstOffsetOf(1))
})

test('a restore that was begun in another cluster is not gone on with', async () => {
  await copiedFrom('first', { restoring: true })
  const { epoch } = await readLogEpoch(kafka)
  const restore = await openLogRestore(options)
  expect((await restore.begin(0)).epoch).toBe(epoch + 1)
  expect((await restore.begin(0)).epoch).toBe(epoch + 1)
  await restore.finish([])
  await restore.close()
})

test('a copy that keeps all offsets is adopted in its epoch', async () => {
  const { epoch } = await readLogEpoch(kafka)
  await copiedFrom('first')
  await expect(connect().bounds('ad-events')).rejects.toThrow(UnrestoredCopy)
  const restore = await openLogRestore(options)
  await restore.adopt()
  await restore.close()
  expect((await connect().bounds('ad-events'))[0]!.start).toBe(firstOffsetOf(epoch))
})
