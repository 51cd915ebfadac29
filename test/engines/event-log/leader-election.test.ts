import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connectKafkaEventLog } from '../../../infra/event-log/kafka/event-log.ts'
import { migrateKafka } from '../../../infra/event-log/kafka/migrate.ts'
import type { EventLog } from '../../../infra/event-log/port.ts'
import { type LeadChange, runForLeader } from '../../../streams/runtime/leader-election.ts'
import { addresses, testNamespace } from '../addresses.ts'
import { faultySockets, removeKafkaNamespace } from './kafka-tools.ts'

/** The brokers' minimum. */
const SESSION_TIMEOUT_MS = 6_000
const shared = { brokers: addresses.kafkaBrokers, clientId: 'test', logger: { warn() {} }, now: Date.now }
const silent = { info() {}, warn() {}, error() {} }

let namespace: string
let ends: (() => Promise<void>)[]
beforeEach(async () => {
  namespace = testNamespace()
  ends = []
  await migrateKafka({ ...shared, namespace, replicationFactor: 1, partitions: 1 })
})
afterEach(async () => {
  for (const end of ends.reverse()) await end()
  await removeKafkaNamespace(namespace)
})

/** A candidate with its own connections, which the test can cut, and the changes it was notified of, in order. */
function candidate() {
  const sockets = faultySockets()
  const options = { ...shared, namespace, sessionTimeoutMs: SESSION_TIMEOUT_MS, socketFactory: sockets.create }
  const log: EventLog = connectKafkaEventLog(options)
  const told: LeadChange[] = []
  const { stop } = runForLeader({ log, name: 'office', logger: silent }, (change) => void told.push(change))
  ends.push(() => log.close(), stop)
  return { told, sockets }
}

describe('a leader that is cut off from Kafka for longer than a session lasts', () => {
  it('leads on when no other one has taken its place', async () => {
    const leader = candidate()
    await expect.poll(() => leader.told).toEqual(['WON'])
    leader.sockets.cut()
    await new Promise((resolve) => setTimeout(resolve, SESSION_TIMEOUT_MS + 4_000))
    leader.sockets.mend()
    await expect.poll(() => leader.told.at(-1)).toBe('RENEWED')
    expect(leader.told).not.toContain('LOST')
  })

  it('has lost its lead to the candidate that took its place', async () => {
    const leader = candidate()
    await expect.poll(() => leader.told).toEqual(['WON'])
    const heir = candidate()
    leader.sockets.cut()
    await expect.poll(() => heir.told).toEqual(['WON'])
    leader.sockets.mend()
    await expect.poll(() => leader.told.at(-1)).toBe('LOST')
    expect(heir.told).not.toContain('LOST')
  })
})
