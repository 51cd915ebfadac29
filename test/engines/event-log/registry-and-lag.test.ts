import { afterEach, beforeEach, expect, it } from 'vitest'
import { connectKafkaEventLog } from '../../../infra/event-log/kafka/event-log.ts'
import { migrateKafka } from '../../../infra/event-log/kafka/migrate.ts'
import type { EventLog } from '../../../infra/event-log/port.ts'
import { Snapshot } from '../../../services/domain/snapshot.ts'
import { changed, created, openRegistry } from '../../../services/registry/resources/store.ts'
import { checkpointEnd } from '../../../services/replicas/registry-checkpoint.ts'
import { followRegistry } from '../../../services/replicas/registry-follower.ts'
import { createStream } from '../../../streams/runtime/pipeline/pipeline.ts'
import { bodies } from '../../schemas/entity-samples.ts'
import { addresses, testNamespace } from '../addresses.ts'
import { removeKafkaNamespace } from './kafka-tools.ts'

const shared = { brokers: addresses.kafkaBrokers, clientId: 'test', logger: { warn() {} }, now: Date.now }
const silent = { info() {}, warn() {}, error() {} }
const by = { by: 'tester' }

let namespace: string
let log: EventLog
beforeEach(async () => {
  namespace = testNamespace()
  await migrateKafka({ ...shared, namespace, replicationFactor: 1, partitions: 1 })
  log = connectKafkaEventLog({ ...shared, namespace })
})
afterEach(async () => {
  await log.close()
  await removeKafkaNamespace(namespace)
})

/** Changes the registry. Each write is a transaction, whose marker takes an offset. */
async function changeTimes(times: number, checkpointEvery: number): Promise<void> {
  const registry = await openRegistry({ log, snapshot: new Snapshot(), now: Date.now, checkpointEvery })
  const { snapshot } = registry
  await registry.write([created('Campaign', 'c', bodies.Campaign)], by)
  for (let i = 1; i < times; i++) {
    await registry.write(() => [changed(snapshot.get('Campaign', 'c')!, bodies.Campaign)], by)
  }
  if (checkpointEvery <= times) await expect.poll(() => checkpointEnd(log)).not.toBeNull()
  await registry.close()
}

it('the lag in Kafka is at least the records, and 0 once all are done, though markers lie behind them', async () => {
  await changeTimes(10, 1_000)
  const topics = ['registry'] as const
  const step = async () => ({})
  const stream = createStream({
    ...{ name: 'reader', topics, log, step, batchMaxRecords: 4, lookAgainMs: 50, now: Date.now, logger: silent },
  })
  const [before] = await stream.lag()
  expect(before!.records).toBeGreaterThanOrEqual(10)
  expect(before!.records).toBeLessThanOrEqual(20)
  const ended = stream.run()
  await expect.poll(async () => (await stream.ownLag()).map(({ records, ageMs }) => [records, ageMs])).toEqual([[0, 0]])
  expect((await stream.lag()).map(({ records }) => records)).toEqual([0])
  expect((await log.bounds('registry'))[0]!.end).toBeGreaterThan((await log.committed('reader'))[0]!.offset)
  await stream.stop()
  await ended
})

it('a start in Kafka reads the registry from its checkpoint', async () => {
  await changeTimes(40, 10)
  const snapshot = new Snapshot()
  let read = 0
  const tail = await followRegistry({ log, snapshot, onRecord: () => void read++ })
  expect(snapshot.get('Campaign', 'c')!.version).toBe(40)
  expect(read).toBeLessThan(40)
  await tail.close()
})
