import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { countsIn } from '../../../infra/analytics/audit/counts.ts'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import type { EventLog, LogRecord, NewRecord } from '../../../infra/event-log/port.ts'
import type { PageView } from '../../../schemas/records/events.ts'
import type { TopicName } from '../../../schemas/topics.ts'
import { decode, encode, UnknownSchema } from '../../../schemas/wire/codec.ts'
import {
  createStream,
  requireCompleteRegistry,
  type StreamOptions,
  type StreamStep,
} from '../../../streams/runtime/pipeline.ts'
import type { Stream } from '../../../streams/runtime/stream.ts'
import { samples } from '../../schemas/samples.ts'

let folder: string
let log: EventLog
let streams: Stream[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pipeline-'))
  log = await openEmbeddedEventLog({ folder })
  streams = []
})
afterEach(async () => {
  await Promise.all(streams.map((stream) => stream.stop()))
  await log.close()
  await rm(folder, { recursive: true })
})

const NOW = 1_790_000_000_000
const silent = { info() {}, warn() {}, error() {} }

function start(step: StreamStep, options: Partial<StreamOptions> = {}): Stream {
  const stream = createStream({
    name: 'copier',
    topics: ['page-views'],
    log,
    step,
    batchMaxRecords: 7,
    lookAgainMs: 5_000,
    now: () => NOW,
    logger: silent,
    retry: { firstMs: 1, maxMs: 4 },
    ...options,
  })
  streams.push(stream)
  void stream.run()
  return stream
}

const view = (id: string): NewRecord => ({
  topic: 'page-views',
  key: id,
  value: encode('PageView', { ...samples.PageView, id }),
})
const garbage: NewRecord = { topic: 'page-views', key: 'garbage', value: Buffer.from('not Avro') }

/** Copies each page view's id into `feed-issues`, which has one partition. */
const copy: StreamStep = async ({ records }) => ({
  outputs: records.map(({ value }) => ({
    topic: 'feed-issues',
    key: 'k',
    value: encode('FeedIssue', { ...samples.FeedIssue, message: (value as PageView).id }),
  })),
})

/** The first `count` records of a topic with one partition, once they are there. */
async function readOnceThere(topic: TopicName, count: number): Promise<LogRecord[]> {
  for (;;) {
    const records = await log.read(topic, 0, 0, count)
    if (records.length === count) return records
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
const messages = (records: LogRecord[]) => records.map(({ value }) => decode('FeedIssue', value!).message)
const ids = (count: number) => Array.from({ length: count }, (_, n) => `view ${n}`)

it('a stream makes each record into its outputs, once, over restarts', async () => {
  await log.append(ids(30).map(view))
  const first = start(copy)
  await readOnceThere('feed-issues', 30)
  await first.stop()
  expect(first.state()).toMatchObject({ status: 'STOPPED', records: 30, dead: 0, failures: 0, lastCommitAt: NOW })
  await log.append([view('late')])
  start(copy)
  const copied = messages(await readOnceThere('feed-issues', 31))
  expect(copied.slice(0, 30).toSorted()).toEqual(ids(30).toSorted())
  expect(copied[30]).toBe('late')
})

it('a stream that had much to do does not pause before it looks again', async () => {
  await log.append(ids(7).map(view))
  start(copy, { gatherMs: 3_600_000 })
  await readOnceThere('feed-issues', 7)
  await log.append([view('next')])
  expect(messages(await readOnceThere('feed-issues', 8))[7]).toBe('next')
})

it('a stream tells a step where its batch ends and what is committed before it, also after a restart and a failure', async () => {
  const one = (names: readonly string[]) => log.append(names.map((id) => ({ ...view(id), key: 'one' })))
  const told: [committed: number | null, lastOffset: number][] = []
  let fails = true
  const noting: StreamStep = async (batch) => {
    told.push([batch.committed, batch.lastOffset])
    fails = !fails
    if (!fails) throw new Error('once more')
    return copy(batch)
  }
  await one(ids(10))
  const first = start(noting)
  await readOnceThere('feed-issues', 10)
  await first.stop()
  await one(['late'])
  await log.append([{ ...garbage, key: 'one' }])
  start(noting)
  await readOnceThere('feed-issues', 11)
  expect(told).toEqual([
    [null, 6],
    [null, 6],
    [7, 9],
    [7, 9],
    [10, 11],
    [10, 11],
  ])
})

it('a stream tries a batch again until its step succeeds, in order and without a gap', async () => {
  await log.append(ids(20).map((id) => ({ ...view(id), key: 'one' })))
  let attempts = 0
  const errors: string[] = []
  const stream = start(
    async (batch) => {
      attempts += 1
      if (attempts % 3 !== 0) throw new Error(`attempt ${attempts}`)
      return copy(batch)
    },
    { logger: { ...silent, error: (details) => errors.push((details as { err: Error }).err.message) } },
  )
  expect(messages(await readOnceThere('feed-issues', 20))).toEqual(ids(20))
  await stream.stop()
  expect(errors.slice(0, 2)).toEqual(['attempt 1', 'attempt 2'])
  expect(stream.state()).toMatchObject({ records: 20, failures: 0, lastError: { at: NOW } })
})

it('a stream shows that it is retrying, and why', async () => {
  await log.append([view('one')])
  let failed = () => {}
  const failing = new Promise<void>((resolve) => {
    failed = resolve
  })
  const stream = start(async () => {
    failed()
    throw new Error('the engine is down')
  })
  await failing
  await new Promise((resolve) => setImmediate(resolve))
  expect(stream.state()).toMatchObject({ status: 'RETRYING', lastError: { message: 'the engine is down' } })
  await stream.stop()
  expect(await log.committed('copier')).toEqual([])
})

it('a stream puts what it cannot decode into dead-letters and goes on', async () => {
  const [position] = await log.append([garbage])
  await log.append([view('good')])
  const stream = start(copy)
  expect(messages(await readOnceThere('feed-issues', 1))).toEqual(['good'])
  const [record] = await readOnceThere('dead-letters', 1)
  const { partition, offset } = position!
  expect(record!.key).toBe(`page-views/${partition}/${offset}`)
  expect(decode('DeadLetter', record!.value!)).toMatchObject({
    stream: 'copier',
    topic: 'page-views',
    partition,
    offset,
    key: 'garbage',
    value: garbage.value,
    code: 'UNDECODABLE',
    failedAt: NOW,
  })
  await stream.stop()
  expect(stream.state()).toMatchObject({ records: 2, dead: 1 })
})

it('a stream puts what its step declares dead into dead-letters, and the rest where it belongs', async () => {
  await log.append(['a', 'bad', 'c'].map((id) => ({ ...view(id), key: 'one' })))
  start(async (batch) => {
    const isBad = ({ value }: { value: unknown }) => (value as PageView).id === 'bad'
    const { outputs } = await copy({ ...batch, records: batch.records.filter((record) => !isBad(record)) })
    const dead = batch.records.filter(isBad).map(({ offset }) => ({ offset, code: 'BAD', message: 'x'.repeat(5_000) }))
    return { outputs: outputs!, dead }
  })
  expect(messages(await readOnceThere('feed-issues', 2))).toEqual(['a', 'c'])
  const [letter] = await readOnceThere('dead-letters', 1)
  expect(decode('DeadLetter', letter!.value!)).toMatchObject({ code: 'BAD', message: 'x'.repeat(1_000), key: 'one' })
})

it('a stream keeps a record too large for its letter out of it', async () => {
  await log.append([{ ...garbage, value: Buffer.alloc(1_040_000, 'x') }])
  start(copy)
  const [letter] = await readOnceThere('dead-letters', 1)
  expect(decode('DeadLetter', letter!.value!)).toMatchObject({ value: null, code: 'UNDECODABLE' })
})

it('a stream gives its step batches of one partition, no longer than it asked for, tombstones as null', async () => {
  await log.append(ids(40).map(view))
  await log.append([{ topic: 'products', key: 'gone', value: null }])
  const sizes: number[] = []
  const tombstones: unknown[] = []
  const seen = new Promise<void>((resolve) => {
    let count = 0
    start(
      async ({ topic, partition, records }) => {
        sizes.push(records.length)
        for (const record of records) expect(record).toMatchObject({ topic, partition })
        if (topic === 'products') tombstones.push(...records)
        count += records.length
        if (count === 41) resolve()
        return {}
      },
      { topics: ['page-views', 'products'] },
    )
  })
  await seen
  expect(Math.max(...sizes)).toBeLessThanOrEqual(7)
  expect(tombstones).toMatchObject([{ key: 'gone', value: null }])
})

it('a stream tells its lag in records and in the age of the oldest', async () => {
  await log.append(ids(12).map((id) => ({ ...view(id), key: 'one' })))
  const stream = start(copy, { now: () => Date.now() + 60_000 })
  await readOnceThere('feed-issues', 12)
  await stream.stop()
  const total = async () => (await stream.lag()).reduce((sum, each) => sum + each.records, 0)
  expect(await total()).toBe(0)
  const [position] = await log.append(ids(5).map((id) => ({ ...view(id), key: 'one' })))
  expect(await total()).toBe(5)
  const lag = await stream.lag()
  expect(lag).toHaveLength(4)
  const behind = lag.find((each) => each.partition === position!.partition)!
  expect(behind.ageMs).toBeGreaterThanOrEqual(60_000)
  expect(lag.filter((each) => each !== behind).map((each) => each.ageMs)).toEqual([0, 0, 0])
})

it('a stream lets the batch at hand finish when it is stopped', async () => {
  await log.append([view('one')])
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let entered = () => {}
  const inStep = new Promise<void>((resolve) => {
    entered = resolve
  })
  const stream = start(async (batch) => {
    entered()
    await held
    return copy(batch)
  })
  await inStep
  const stopped = stream.stop()
  release()
  await stopped
  expect(messages(await log.read('feed-issues', 0, 0, 10))).toEqual(['one'])
  expect(await log.committed('copier')).toHaveLength(1)
})

it('a stream shares its topic with another instance of itself, losing and doubling nothing', async () => {
  await log.append(ids(300).map(view))
  start(copy)
  await readOnceThere('feed-issues', 50)
  start(copy)
  const copied = messages(await readOnceThere('feed-issues', 300))
  expect(copied.toSorted()).toEqual(ids(300).toSorted())
  await Promise.all(streams.map((stream) => stream.stop()))
  expect(await log.read('feed-issues', 0, 300, 10)).toEqual([])
})

/** A page view as written by a version that has one more schema. */
const viewOfLaterVersion = (id: string, key: string): NewRecord => {
  const value = encode('PageView', { ...samples.PageView, id })
  value.writeBigUInt64LE(0x0123456789abcdefn, 2)
  return { topic: 'page-views', key, value }
}

it('a stream leaves a partition whose next record needs a newer version, with what lies before it done, and no other', async () => {
  await log.append([...ids(3).map((id) => ({ ...view(id), key: 'one' })), viewOfLaterVersion('later', 'one')])
  await log.append([{ ...view('behind it'), key: 'one' }])
  const stream = start(copy)
  expect(messages(await readOnceThere('feed-issues', 3))).toEqual(ids(3))
  await expect.poll(() => stream.state().paused).toHaveLength(1)
  const { partition } = (await log.committed('copier'))[0]!
  expect(stream.state()).toMatchObject({
    status: 'RUNNING',
    outdated: true,
    failures: 0,
    dead: 0,
    paused: [{ topic: 'page-views', partition, offset: 3, since: NOW }],
  })
  const elsewhere = await log.append(Array.from({ length: 20 }, (_, n) => view(`k${n}`)))
  const others = elsewhere.filter((each) => each.partition !== partition)
  await readOnceThere('feed-issues', 3 + others.length)
  await stream.stop()
  expect(await log.read('dead-letters', 0, 0, 10)).toEqual([])
  const commit = (await log.committed('copier')).find((each) => each.partition === partition)!
  expect(commit).toMatchObject({ topic: 'page-views', offset: 3 })
  expect(countsIn(commit)).toEqual({ from: 0, read: 3, written: 3, dead: 0 })
})

it('a stream does not ask again and again for what it leaves alone, and looks at it more and more seldom', async () => {
  let time = NOW
  let polls = 0
  const refused: number[] = []
  const counting: EventLog = {
    ...log,
    async consumer(options) {
      const consumer = await log.consumer(options)
      return {
        ...consumer,
        poll: (wish) => {
          polls += 1
          return consumer.poll(wish)
        },
      }
    },
  }
  const warn = (details: object) => refused.push((details as { waitMs: number }).waitMs)
  await log.append([viewOfLaterVersion('later', 'one')])
  const options = { log: counting, now: () => time, lookAgainMs: 100, logger: { ...silent, warn } }
  const stream = start(copy, options)
  await expect.poll(() => stream.state().paused).toHaveLength(1)
  const before = polls
  await log.append(ids(2).map((id) => ({ ...view(id), key: 'two' })))
  await readOnceThere('feed-issues', 2)
  // One poll that waits, one that returns the batch, and one that finds no more records.
  expect(polls - before).toBeLessThanOrEqual(4)

  for (const afterMs of [5_000, 10_000, 20_000]) {
    const known = refused.length
    time += afterMs - 1
    const polled = polls
    await expect.poll(() => polls).toBeGreaterThan(polled + 1)
    expect(refused).toHaveLength(known)
    time += 1
    await expect.poll(() => refused).toHaveLength(known + 1)
  }
  expect(refused).toEqual([5_000, 10_000, 20_000, 40_000])
})

it('a stream goes on once the record that it could not read is gone', async () => {
  let time = NOW
  await log.append([viewOfLaterVersion('later', 'one'), { ...view('behind it'), key: 'one' }])
  let gone = false
  const without: EventLog = {
    ...log,
    async consumer(options) {
      const consumer = await log.consumer(options)
      return {
        ...consumer,
        async poll(wish) {
          const batch = await consumer.poll(wish)
          return batch && gone ? { ...batch, records: batch.records.slice(1) } : batch
        },
      }
    },
  }
  const stream = start(copy, { log: without, now: () => time, lookAgainMs: 5 })
  await expect.poll(() => stream.state().paused).toHaveLength(1)
  gone = true
  time += 5_000
  expect(messages(await readOnceThere('feed-issues', 1))).toEqual(['behind it'])
  await expect.poll(() => stream.state().outdated).toBe(false)
})

it('a stream leaves only the partition alone whose step needs a newer version', async () => {
  await log.append(ids(20).map(view))
  const stream = start(async (batch) => {
    if (batch.partition === 1) throw new UnknownSchema('the registry of a later version')
    return copy(batch)
  })
  const counts = (await log.bounds('page-views')).map(({ partition, end }) => (partition === 1 ? 0 : end))
  await readOnceThere(
    'feed-issues',
    counts.reduce((sum, count) => sum + count),
  )
  await expect
    .poll(() => stream.state().paused)
    .toMatchObject([{ partition: 1, offset: 0, reason: 'the registry of a later version' }])
  expect(stream.state()).toMatchObject({ status: 'RUNNING', failures: 0 })
})

it('a stream decides nothing by a registry whose copy has stopped', async () => {
  const snapshot = { staleReason: null as string | null }
  await log.append(ids(4).map((id) => ({ ...view(id), key: 'one' })))
  const stream = start(requireCompleteRegistry(snapshot, copy))
  await readOnceThere('feed-issues', 4)
  snapshot.staleReason = 'the copy ends at offset 9'
  await log.append([{ ...view('late'), key: 'one' }])
  await expect.poll(() => stream.state().paused).toMatchObject([{ offset: 4, reason: 'the copy ends at offset 9' }])
  expect(await log.read('feed-issues', 0, 0, 10)).toHaveLength(4)
})

it('a stream commits at once what several partitions have, and each partition as far as it came', async () => {
  let underWay = 0
  let mostUnderWay = 0
  let fails = true
  const watched: EventLog = {
    ...log,
    async consumer(options) {
      const consumer = await log.consumer(options)
      return {
        ...consumer,
        async commit(assignment, place, outputs) {
          underWay += 1
          mostUnderWay = Math.max(mostUnderWay, underWay)
          await consumer.commit(assignment, place, outputs)
          underWay -= 1
        },
      }
    },
  }
  const noting: StreamStep = async (batch) => {
    if (batch.partition === 0 && fails) {
      fails = false
      throw new Error('once more')
    }
    return copy(batch)
  }
  const { length: partitions } = await log.bounds('page-views')
  await log.append(ids(200).map(view))
  start(noting, { log: watched, batchMaxRecords: 1_000 })
  expect(messages(await readOnceThere('feed-issues', 200)).toSorted()).toEqual(ids(200).toSorted())
  // One of them failed at first.
  expect(mostUnderWay).toBeGreaterThanOrEqual(partitions - 1)
})
