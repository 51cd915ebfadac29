import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connectKafkaEventLog } from '../../../infra/event-log/kafka/event-log.ts'
import { migrateKafka } from '../../../infra/event-log/kafka/migrate.ts'
import { addresses, testNamespace } from '../addresses.ts'
import { removeKafkaNamespace } from './kafka-tools.ts'

/** Enough logs that some of them ask the silent broker first. */
const LOGS = 8

const namespace = testNamespace()
const shared = { clientId: 'test', namespace, logger: { warn() {} }, now: Date.now }
const sockets = new Set<Socket>()
const server = createServer((socket) => sockets.add(socket.on('error', () => {})))

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  await migrateKafka({ ...shared, brokers: addresses.kafkaBrokers, replicationFactor: 1, partitions: 1 })
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  server.close()
  await removeKafkaNamespace(namespace)
})

it('a call goes to another broker when the first takes connections and answers nothing', async () => {
  const silent = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const logs = Array.from({ length: LOGS }, () =>
    connectKafkaEventLog({ ...shared, brokers: [silent, ...addresses.kafkaBrokers] }),
  )
  const appends = logs.map((log, n) => log.append([{ topic: 'page-views', key: `k${n}`, value: Buffer.from('v') }]))
  expect((await Promise.all(appends)).flat()).toHaveLength(LOGS)
  expect(sockets.size).toBeGreaterThan(0)
  await Promise.all(logs.map((log) => log.close()))
})
