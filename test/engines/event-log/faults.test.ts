import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import kafkajs, { type Producer, type Transaction } from 'kafkajs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connectKafkaEventLog, type KafkaEventLogOptions } from '../../../infra/event-log/kafka/event-log.ts'
import { migrateKafka } from '../../../infra/event-log/kafka/migrate.ts'
import { type EventLog, Fenced, LogUnavailable, type NewRecord } from '../../../infra/event-log/port.ts'
import { type TopicName, topicNames, topics } from '../../../schemas/topics.ts'
import { addresses, testNamespace } from '../addresses.ts'
import { faultySockets, removeKafkaNamespace } from './kafka-tools.ts'

const brokers = addresses.kafkaBrokers
const SESSION_TIMEOUT_MS = 6_000
const PARTITIONS = 4
/** Shorter than the three seconds after which a silent connection counts as dead, so that late answers arrive. */
const TIMEOUT_MS = 2_500
/** For calls whose timeout is not tested: it only ends calls that hang. */
const PATIENCE_MS = 60_000
/** For a log that is cut off. */
const HASTY_MS = 1_000
/** A long wait, because a group may form slowly. */
const FIRST_POLL = { maxRecords: 10, maxWaitMs: 30_000 }
/** Longer than the three seconds after which a silent connection counts as dead. */
const SILENCE_TIMEOUT_MS = 4_000
const shared = { brokers, clientId: 'test', logger: { warn() {} }, now: Date.now }
const warnings: string[] = []
process.on('warning', ({ name, message }) => warnings.push(`${name}: ${message}`))

let namespace: string
let sockets: ReturnType<typeof faultySockets>
let logs: EventLog[]
let log: EventLog

beforeEach(async () => {
  namespace = testNamespace()
  sockets = faultySockets()
  logs = []
  await migrateKafka({ ...shared, namespace, replicationFactor: 1, partitions: PARTITIONS })
  log = open()
})
afterEach(async () => {
  await Promise.all(logs.map((each) => each.close()))
  await removeKafkaNamespace(namespace)
})

/** A log whose connections the test can break. */
function open(options: Partial<KafkaEventLogOptions> = {}): EventLog {
  const timing = { timeoutMs: TIMEOUT_MS, sessionTimeoutMs: SESSION_TIMEOUT_MS }
  const opened = connectKafkaEventLog({ ...shared, ...timing, namespace, socketFactory: sockets.create, ...options })
  logs.push(opened)
  return opened
}

const view = (key: string, value: string): NewRecord => ({ topic: 'page-views', key, value: Buffer.from(value) })

/** Appends until it succeeds: on a busy machine the log's short timeout may not be enough. */
const untilTaken = (record: NewRecord) => expect.poll(() => log.append([record])).toHaveLength(1)

async function valuesIn(topic: TopicName): Promise<string[]> {
  const reader = open({ socketFactory: faultySockets().create, timeoutMs: PATIENCE_MS })
  const values: string[] = []
  for (const { partition, start, end } of await reader.bounds(topic)) {
    for (let from = start; from < end; ) {
      const some = await reader.read(topic, partition, from, 1_000)
      if (some.length === 0) break
      values.push(...some.map(({ value }) => value!.toString()))
      from = some.at(-1)!.offset + 1
    }
  }
  return values
}

describe('without Kafka', () => {
  it('without Kafka every call is unavailable, and works once Kafka is back', async () => {
    log = open({ timeoutMs: HASTY_MS })
    sockets.cut()
    await expect(log.append([view('a', '1')])).rejects.toThrow(LogUnavailable)
    await expect(log.read('page-views', 0, 0, 1)).rejects.toThrow(LogUnavailable)
    await expect(log.committed('g')).rejects.toThrow(LogUnavailable)
    await expect(log.exclusiveWriter('w')).rejects.toThrow(LogUnavailable)
    await expect(log.tail('registry', () => {})).rejects.toThrow(LogUnavailable)
    sockets.mend()
    const readBack = async () => {
      const [position] = await log.append([view('a', '2')])
      return log.read('page-views', position!.partition, position!.offset, 1)
    }
    await expect.poll(readBack).toHaveLength(1)
  })

  it('topics that are asked for at once are all known when Kafka is back', async () => {
    await expect.poll(() => log.bounds('registry')).toHaveLength(1)
    sockets.cut()
    await expect(log.bounds('registry')).rejects.toThrow(LogUnavailable)
    sockets.mend()
    const bounds = await Promise.all(topicNames.map((topic) => log.bounds(topic)))
    expect(bounds.map(({ length }) => length)).toEqual(
      topicNames.map((name) => (topics[name].partitions === 1 ? 1 : PARTITIONS)),
    )
  })

  it('without Kafka a consumer is unavailable, and reads again once Kafka is back', async () => {
    await untilTaken(view('a', '1'))
    const consumer = await log.consumer({ group: 'g', topics: ['page-views'] })
    expect(await consumer.poll(FIRST_POLL)).not.toBeNull()
    sockets.cut()
    const pollOften = async () => {
      for (let n = 0; n < 100; n++) await consumer.poll({ maxRecords: 10, maxWaitMs: 200 })
    }
    await expect(pollOften()).rejects.toThrow(LogUnavailable)
    sockets.mend()
    const other = open({ socketFactory: faultySockets().create, timeoutMs: PATIENCE_MS })
    await other.append([view('a', '2')])
    const next = async () => (await consumer.poll({ maxRecords: 10, maxWaitMs: 500 }).catch(() => null))?.records ?? []
    await expect.poll(next).toMatchObject([{ key: 'a' }])
  })

  it('without Kafka, appends beyond the memory limit are refused', async () => {
    sockets.cut()
    const value = Buffer.alloc(1_000_000)
    const calls = Array.from({ length: 80 }, (_, n) => log.append([{ topic: 'page-views', key: `k${n}`, value }]))
    const messages = (await Promise.allSettled(calls)).map((each) => String((each as PromiseRejectedResult).reason))
    expect(messages.filter((message) => message.includes('Too much is waiting')).length).toBeGreaterThan(10)
  })
})

it('a connection that has gone silent is replaced, and the next call works', async () => {
  log = open({ timeoutMs: SILENCE_TIMEOUT_MS })
  await untilTaken(view('a', 'before'))
  sockets.silence()
  await expect(log.append([view('a', 'lost')])).rejects.toThrow(LogUnavailable)
  await untilTaken(view('a', 'after'))
  expect(await valuesIn('page-views')).toContain('after')
})

describe('an append whose answer is lost', () => {
  it('an append whose answer is lost does not swallow the next one of as many records', async () => {
    await untilTaken(view('a', 'before'))
    sockets.holdAnswers()
    await expect(log.append([view('a', 'lost')])).rejects.toThrow(LogUnavailable)
    sockets.releaseAnswers()
    await untilTaken(view('a', 'after'))
    const values = await valuesIn('page-views')
    expect(values).toContain('after')
    expect(values.filter((value) => value === 'lost').length).toBeLessThanOrEqual(1)
  })

  it('an append whose connection breaks is sent again before its deadline, and stored once', async () => {
    log = open({ timeoutMs: 10_000 })
    await untilTaken(view('a', 'before'))
    sockets.holdAnswers()
    const appending = log.append([view('a', 'once')])
    await sleep(300)
    sockets.cut()
    sockets.releaseAnswers()
    sockets.mend()
    await appending
    expect((await valuesIn('page-views')).filter((value) => value === 'once')).toHaveLength(1)
  })
})

describe('transactions', () => {
  it('aborted transactions and their markers are neither read nor counted', async () => {
    const consumer = await log.consumer({ group: 'g', topics: ['page-views'] })
    await untilTaken(view('in', 'in'))
    const batch = await consumer.poll(FIRST_POLL)
    const { assignment } = batch!
    const place = { offset: batch!.records[0]!.offset + 1, metadata: '' }
    const outputs = (name: string): NewRecord[] =>
      Array.from({ length: 5 }, (_, n) => ({ topic: 'transactions', key: 'k', value: Buffer.from(`${name} ${n}`) }))
    await consumer.commit(assignment, place, outputs('first'))
    sockets.holdAnswers()
    await expect(consumer.commit(assignment, place, outputs('doubtful'))).rejects.toThrow(LogUnavailable)
    sockets.releaseAnswers()
    await consumer.commit(assignment, place, outputs('second'))
    const values = await valuesIn('transactions')
    expect(values.filter((value) => /first|second/.test(value))).toHaveLength(10)
    let counted = 0
    for (const { partition, start, end } of await log.bounds('transactions')) {
      counted += await log.count('transactions', partition, start, end)
    }
    expect(counted).toBe(values.length)
  })

  it("a lost writer's open transaction ends when its successor starts", async () => {
    const gone = await log.exclusiveWriter('registry')
    await gone.append([{ topic: 'registry', key: 'a', value: Buffer.from('one') }])
    sockets.holdAnswers()
    const lost = gone.append([{ topic: 'registry', key: 'a', value: Buffer.from('lost') }])
    lost.catch(() => {})
    const other = open({ socketFactory: faultySockets().create, timeoutMs: PATIENCE_MS })
    const writer = await other.exclusiveWriter('registry')
    await writer.append([{ topic: 'registry', key: 'a', value: Buffer.from('two') }])
    const values = await valuesIn('registry')
    expect(values[0]).toBe('one')
    expect(values.at(-1)).toBe('two')
    await expect(lost).rejects.toThrow()
    sockets.releaseAnswers()
    await expect(gone.append([{ topic: 'registry', key: 'a', value: null }])).rejects.toThrow(Fenced)
  })
})

it('a consumer keeps its partitions while its caller works for longer than a session', async () => {
  log = open({ timeoutMs: PATIENCE_MS })
  await log.append([view('a', '1')])
  const consumer = await log.consumer({ group: 'g', topics: ['page-views'] })
  const batch = await consumer.poll(FIRST_POLL)
  await sleep(SESSION_TIMEOUT_MS + 1_500)
  const { offset } = batch!.records[0]!
  await consumer.commit(batch!.assignment, { offset: offset + 1, metadata: 'done' })
  expect(await log.committed('g')).toMatchObject([{ offset: offset + 1, metadata: 'done' }])
})

it('a count uses the ranges that were counted before, and adds what has come since', async () => {
  log = open({ timeoutMs: PATIENCE_MS })
  const records = (count: number) => Array.from({ length: count }, (_, n) => view('one', String(n)))
  const [first] = await log.append(records(9_000))
  const { partition, offset } = first!
  expect(await log.count('page-views', partition, offset, offset + 9_000)).toBe(9_000)
  await log.append(records(1_000))
  expect(await log.count('page-views', partition, offset, offset + 10_000)).toBe(10_000)
  expect(await log.count('page-views', partition, offset + 10, offset + 8_200)).toBe(8_190)
})

describe('migration', () => {
  it('several processes may migrate at once, and again', async () => {
    const another = testNamespace()
    const run = () => migrateKafka({ ...shared, namespace: another, replicationFactor: 1 })
    await Promise.all([run(), run(), run()])
    await run()
    const other = open({ namespace: another, timeoutMs: PATIENCE_MS })
    expect(await other.bounds('page-views')).toHaveLength(12)
    await other.close()
    await removeKafkaNamespace(another)
  })
})

it('Kafka gives Node nothing to warn of', () => {
  expect(warnings).toEqual([])
})

describe('a transaction that is undecided at the call', () => {
  let producer: Producer
  let transaction: Transaction
  beforeEach(async () => {
    log = open({ timeoutMs: PATIENCE_MS })
    await log.append([view('one', 'plain')])
    const kafka = new kafkajs.Kafka({ brokers, clientId: 'test', logLevel: kafkajs.logLevel.NOTHING })
    const transactionalId = `${namespace}.${randomUUID()}`
    producer = kafka.producer({ transactionalId, maxInFlightRequests: 1, idempotent: true })
    await producer.connect()
    transaction = await producer.transaction()
    await transaction.send({ topic: `${namespace}.page-views`, messages: [{ key: 'one', value: 'under way' }] })
  })
  afterEach(() => producer.disconnect())

  it('ends before a topic is settled', async () => {
    const readable = async () => (await log.bounds('page-views')).reduce((sum, { end }) => sum + end, 0)
    const before = await readable()
    let isSettled = false
    const settling = log.settled('page-views').then(() => {
      isSettled = true
    })
    await log.settled('registry')
    expect([await readable(), isSettled]).toEqual([before, false])
    await transaction.commit()
    await settling
    expect(await readable()).toBeGreaterThan(before)
    await log.settled('page-views')
  })

  it('ends before a tail has caught up', async () => {
    const seen: string[] = []
    let caughtUp = false
    const tailing = log
      .tail('page-views', (records) => void seen.push(...records.map(({ value }) => value!.toString())))
      .then((tail) => {
        caughtUp = true
        return tail
      })
    await expect.poll(() => seen).toEqual(['plain'])
    await log.bounds('page-views')
    expect(caughtUp).toBe(false)
    await transaction.commit()
    const tail = await tailing
    expect(seen).toEqual(['plain', 'under way'])
    await tail.close()
  })
})
