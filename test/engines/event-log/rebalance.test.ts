import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { connectKafkaEventLog } from '../../../infra/event-log/kafka/event-log.ts'
import { migrateKafka } from '../../../infra/event-log/kafka/migrate.ts'
import type { EventLog } from '../../../infra/event-log/port.ts'
import { addresses, testNamespace } from '../addresses.ts'
import { type Member, readAll, startCopier } from './copier.ts'
import { membersOfGroup, removeKafkaNamespace, socketsThatLoseJoins } from './kafka-tools.ts'

const brokers = addresses.kafkaBrokers
/** The brokers' minimum. */
const SESSION_TIMEOUT_MS = 6_000
/** The time spent on a batch: long enough to be killed in. */
const WORK_MS = 60
/** The timeout of the load's appends, which are not tested here. */
const PATIENCE_MS = 60_000
const KEYS = 40
const PARTITIONS = 4
const logger = { warn() {} }

let namespace: string
let log: EventLog
let members: Member[]

beforeEach(async () => {
  namespace = testNamespace()
  members = []
  await migrateKafka({ brokers, clientId: 'test', namespace, replicationFactor: 1, partitions: PARTITIONS, logger })
  log = connectKafkaEventLog({ brokers, clientId: 'test', namespace, logger, now: Date.now, timeoutMs: PATIENCE_MS })
})
afterEach(async () => {
  for (const member of members) member.process.kill('SIGKILL')
  await log.close()
  await removeKafkaNamespace(namespace)
})

function startMember(): Member {
  const member = startCopier({ brokers, namespace, sessionTimeoutMs: SESSION_TIMEOUT_MS, workMs: WORK_MS })
  members.push(member)
  return member
}

const countOf = (member: Member, word: string) => member.lines.filter((line) => line.startsWith(word)).length

function untilHas(member: Member, word: string, more: number): Promise<void> {
  const wanted = countOf(member, word) + more
  return expect.poll(() => countOf(member, word), { interval: 5 }).toBeGreaterThanOrEqual(wanted) as Promise<void>
}

/** Appends until it is told to stop. @returns the number of records. */
function produceLoad(): { stop(): Promise<number> } {
  let stopping = false
  let count = 0
  const running = (async () => {
    while (!stopping) {
      const records = Array.from({ length: 20 }, () => {
        const number = count++
        return { topic: 'ad-events', key: `k${number % KEYS}`, value: Buffer.from(String(number)) } as const
      })
      await log.append(records)
      await sleep(20)
    }
  })()
  return {
    async stop() {
      stopping = true
      await running
      return count
    },
  }
}

it('every record is copied once and in order while members join, leave, are killed and are frozen', async () => {
  const load = produceLoad()
  const first = startMember()
  await untilHas(first, 'committed', 5)
  const second = startMember()
  await untilHas(second, 'committed', 5)
  // Kill it in the middle of its work, with records that are polled but not committed.
  await untilHas(first, 'working', 1)
  first.process.kill('SIGKILL')
  const third = startMember()
  await untilHas(third, 'committed', 5)
  // Freeze it in the middle of its work: its successors go on, and what it commits after that is refused.
  second.process.kill('SIGUSR2')
  await untilHas(second, 'freezing', 1)
  const committedBefore = countOf(third, 'committed')
  await sleep(SESSION_TIMEOUT_MS + 2_000)
  await expect.poll(() => countOf(third, 'committed')).toBeGreaterThan(committedBefore + 5)
  second.process.kill('SIGCONT')
  await untilHas(second, 'revoked', 1)
  // It becomes a member again, and leaves properly.
  await untilHas(second, 'committed', 5)
  second.process.kill('SIGTERM')
  const count = await load.stop()

  const ends = await log.bounds('ad-events')
  const isDone = async () => {
    const commits = await log.committed('copier')
    return ends.every(({ partition, end }) => commits.some((c) => c.partition === partition && c.offset === end))
  }
  await expect.poll(isDone).toBe(true)
  const copied = await readAll(log, 'judged-events')
  const numbers = copied.map(({ value }) => Number(value!.toString()))
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, n) => n))
  for (const records of Map.groupBy(copied, ({ key }) => key).values()) {
    const order = records.map(({ value }) => Number(value!.toString()))
    expect(order).toEqual(order.toSorted((a, b) => a - b))
  }
  expect(members.flatMap(({ errors }) => errors)).toEqual([])
})

it('a member whose joins were answered in vain stays one member, and reads every partition', async () => {
  const sockets = socketsThatLoseJoins(3)
  const unlucky = connectKafkaEventLog({
    brokers,
    clientId: 'test',
    namespace,
    logger,
    now: Date.now,
    sessionTimeoutMs: SESSION_TIMEOUT_MS,
    socketFactory: sockets.create,
  })
  const consumer = await unlucky.consumer({ group: 'readers', topics: ['page-views'] })
  try {
    await expect.poll(() => consumer.isMember()).toBe(true)
    expect(sockets.left()).toBe(0)
    expect(await membersOfGroup(`${namespace}.readers`)).toHaveLength(1)
    expect(consumer.assigned()).toHaveLength(PARTITIONS)
  } finally {
    await consumer.close()
    await unlucky.close()
  }
})
