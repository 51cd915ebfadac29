import { expect, it } from 'vitest'
import { type NewRecord, Revoked } from '../../../../infra/event-log/port.ts'
import type { PageView } from '../../../../schemas/records/events.ts'
import { decode } from '../../../../schemas/wire/codec.ts'
import type { StreamStep } from '../../../../streams/runtime/pipeline/pipeline.ts'
import { withChangedConsumers } from '../../../changed-consumers.ts'
import { copiersWorld, copy, ids, messages, NOW, silent, view } from '../copier.ts'

const { world, start, readOnceThere } = copiersWorld()

const garbage: NewRecord = { topic: 'page-views', key: 'garbage', value: Buffer.from('not Avro') }

it('a stream makes each record into its outputs, once, over restarts', async () => {
  await world.log.append(ids(30).map(view))
  const first = start(copy)
  await readOnceThere('feed-issues', 30)
  await first.stop()
  expect(first.state()).toMatchObject({ status: 'STOPPED', records: 30, dead: 0, failures: 0, lastCommitAt: NOW })
  await world.log.append([view('late')])
  start(copy)
  const copied = messages(await readOnceThere('feed-issues', 31))
  expect(copied.slice(0, 30).toSorted()).toEqual(ids(30).toSorted())
  expect(copied[30]).toBe('late')
})

it('a stream that had much to do does not pause before it looks again', async () => {
  await world.log.append(ids(7).map(view))
  start(copy, { gatherMs: 3_600_000 })
  await readOnceThere('feed-issues', 7)
  await world.log.append([view('next')])
  expect(messages(await readOnceThere('feed-issues', 8))[7]).toBe('next')
})

it('a stream tells a step where its batch ends and what is committed before it, also after a restart and a failure', async () => {
  const one = (names: readonly string[]) => world.log.append(names.map((id) => ({ ...view(id), key: 'one' })))
  const told: [committed: number | null, lastOffset: number][] = []
  let fails = true
  const noting: StreamStep = async (batch) => {
    told.push([await batch.turn(), batch.lastOffset])
    fails = !fails
    if (!fails) throw new Error('once more')
    return copy(batch)
  }
  await one(ids(10))
  const first = start(noting)
  await readOnceThere('feed-issues', 10)
  await first.stop()
  await one(['late'])
  await world.log.append([{ ...garbage, key: 'one' }])
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
  await world.log.append(ids(20).map((id) => ({ ...view(id), key: 'one' })))
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

it('a batch whose step finds that another member has gone on is dropped, without a failure', async () => {
  await world.log.append([{ ...view('first'), key: 'one' }])
  const begun = Promise.withResolvers<void>()
  const stream = start(async () => {
    begun.resolve()
    throw new Revoked('another member has gone on')
  })
  await begun.promise
  await stream.stop()
  expect(stream.state()).toMatchObject({ failures: 0, lastError: null, records: 0 })
  start(copy)
  expect(messages(await readOnceThere('feed-issues', 1))).toEqual(['first'])
})

it('a stream shows that it is retrying, and why', async () => {
  await world.log.append([view('one')])
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
  expect(await world.log.committed('copier')).toEqual([])
})

it('a stream puts what it cannot decode into dead-letters and goes on', async () => {
  const [position] = await world.log.append([garbage])
  await world.log.append([view('good')])
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
  await world.log.append(['a', 'bad', 'c'].map((id) => ({ ...view(id), key: 'one' })))
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
  await world.log.append([{ ...garbage, value: Buffer.alloc(1_040_000, 'x') }])
  start(copy)
  const [letter] = await readOnceThere('dead-letters', 1)
  expect(decode('DeadLetter', letter!.value!)).toMatchObject({ value: null, code: 'UNDECODABLE' })
})

it('a stream gives its step batches of one partition, no longer than it asked for, tombstones as null', async () => {
  await world.log.append(ids(40).map(view))
  await world.log.append([{ topic: 'products', key: 'gone', value: null }])
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
  await world.log.append(ids(12).map((id) => ({ ...view(id), key: 'one' })))
  const stream = start(copy, { now: () => Date.now() + 60_000 })
  await readOnceThere('feed-issues', 12)
  await stream.stop()
  const total = async () => (await stream.lag()).reduce((sum, each) => sum + each.records, 0)
  expect(await total()).toBe(0)
  const [position] = await world.log.append(ids(5).map((id) => ({ ...view(id), key: 'one' })))
  expect(await total()).toBe(5)
  const lag = await stream.lag()
  expect(lag).toHaveLength(4)
  const behind = lag.find((each) => each.partition === position!.partition)!
  expect(behind.ageMs).toBeGreaterThanOrEqual(60_000)
  expect(lag.filter((each) => each !== behind).map((each) => each.ageMs)).toEqual([0, 0, 0])
})

it('a stream lets the batch at hand finish when it is stopped', async () => {
  await world.log.append([view('one')])
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
  expect(messages(await world.log.read('feed-issues', 0, 0, 10))).toEqual(['one'])
  expect(await world.log.committed('copier')).toHaveLength(1)
})

it('a stream shares its topic with another instance of itself, losing and doubling nothing', async () => {
  await world.log.append(ids(300).map(view))
  const first = start(copy)
  await readOnceThere('feed-issues', 50)
  const second = start(copy)
  const copied = messages(await readOnceThere('feed-issues', 300))
  expect(copied.toSorted()).toEqual(ids(300).toSorted())
  await Promise.all([first.stop(), second.stop()])
  expect(await world.log.read('feed-issues', 0, 300, 10)).toEqual([])
})

it('a stream commits at once what several partitions have, and each partition as far as it came', async () => {
  let underWay = 0
  let mostUnderWay = 0
  let fails = true
  const watched = withChangedConsumers(world.log, (consumer) => ({
    async commit(assignment, place, outputs) {
      underWay += 1
      mostUnderWay = Math.max(mostUnderWay, underWay)
      await consumer.commit(assignment, place, outputs)
      underWay -= 1
    },
  }))
  const noting: StreamStep = async (batch) => {
    if (batch.partition === 0 && fails) {
      fails = false
      throw new Error('once more')
    }
    return copy(batch)
  }
  const { length: partitions } = await world.log.bounds('page-views')
  await world.log.append(ids(200).map(view))
  start(noting, { log: watched, batchMaxRecords: 1_000 })
  expect(messages(await readOnceThere('feed-issues', 200)).toSorted()).toEqual(ids(200).toSorted())
  // One of them failed at first.
  expect(mostUnderWay).toBeGreaterThanOrEqual(partitions - 1)
})

it('a stream works on while it commits a full round', async () => {
  const secondStep = Promise.withResolvers<void>()
  let steps = 0
  const counting: StreamStep = async (batch) => {
    steps += 1
    if (steps === 2) secondStep.resolve()
    return copy(batch)
  }
  const waiting = withChangedConsumers(world.log, (consumer) => ({
    async commit(...commit) {
      await secondStep.promise
      await consumer.commit(...commit)
    },
  }))
  await world.log.append(ids(80).map(view))
  start(counting, { log: waiting })
  expect(messages(await readOnceThere('feed-issues', 80)).toSorted()).toEqual(ids(80).toSorted())
})
