import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import type { Commit, EventLog } from '../../../infra/event-log/port.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { CREDIT_RULES_VERSION } from '../../../services/domain/attribution/credit.ts'
import { createAttributionLag } from '../../../streams/attribution/attribution.ts'
import { createLastKnownLag, createTopicLag } from '../../../streams/runtime/lag.ts'
import { createStream } from '../../../streams/runtime/pipeline/pipeline.ts'
import { samples } from '../../schemas/samples.ts'
import { waitFor } from '../../wait-for.ts'
import { fakeLog, logRecord } from './fake-log.ts'

const NOW = 1_790_000_000_000
const silent = { info() {}, warn() {}, error() {} }
const commit = (offset: number): Commit => ({ topic: 'page-views', partition: 0, offset, metadata: '' })

/** One partition of page views that ends at `end` and has records at these offsets. All other offsets are markers. */
function oneTopic(held: { end: number; offsets: number[] }) {
  const reads: number[] = []
  const log: EventLog = {
    ...fakeLog(),
    bounds: async () => [{ partition: 0, start: 0, end: held.end }],
    count: () => Promise.reject(new Error('lag counts no records')),
    async read(topic, partition, from, max) {
      reads.push(from)
      const found = held.offsets.filter((offset) => offset >= from).slice(0, max)
      return found.map((offset) => ({
        ...logRecord({ topic, key: null, value: null }, partition, offset),
        appendedAt: NOW - 1_000 + offset,
      }))
    },
  }
  return { log, reads, lag: createTopicLag({ log, group: 'g', topics: ['page-views'], now: () => NOW }) }
}

describe('the lag of a group', () => {
  it('is the offsets from its oldest record to the end, and the age of that record', async () => {
    const { log, lag } = oneTopic({ end: 100, offsets: [40, 41, 99] })
    expect(await lag()).toEqual([{ topic: 'page-views', partition: 0, records: 60, ageMs: 960 }])
    await log.reset('g', [commit(42)])
    expect(await lag()).toEqual([{ topic: 'page-views', partition: 0, records: 1, ageMs: 901 }])
  })

  it('is not hidden by a clock that was set back after its oldest record came', async () => {
    const { log, lag } = oneTopic({ end: 70_100, offsets: [61_000] })
    expect(await lag()).toEqual([{ topic: 'page-views', partition: 0, records: 9_100, ageMs: 60_000 }])
    await log.reset('g', [commit(70_100)])
    expect(await lag()).toEqual([{ topic: 'page-views', partition: 0, records: 0, ageMs: 0 }])
  })

  it('is nothing where only markers of transactions are left', async () => {
    const { log, lag } = oneTopic({ end: 100, offsets: [98] })
    await log.reset('g', [commit(99)])
    expect(await lag()).toEqual([{ topic: 'page-views', partition: 0, records: 0, ageMs: 0 }])
  })

  it('reads nothing again where only markers were, until more has come', async () => {
    const held = { end: 100, offsets: [98] }
    const { log, lag, reads } = oneTopic(held)
    await log.reset('g', [commit(99)])
    for (let time = 0; time < 3; time++) await lag()
    expect(reads).toEqual([99])
    held.end = 103
    held.offsets.push(101)
    expect((await lag())[0]!.records).toBe(2)
    await log.reset('g', [commit(102)])
    for (let time = 0; time < 3; time++) expect((await lag())[0]!.records).toBe(0)
    expect(reads).toEqual([99, 99, 102])
  })

  it('reads one record at most, and none while its oldest record stays the same', async () => {
    const held = { end: 100, offsets: [40, 41] }
    const { log, lag, reads } = oneTopic(held)
    await Promise.all([lag(), lag()])
    expect(reads).toEqual([0])
    held.end = 5_000
    await log.reset('g', [commit(30)])
    expect((await lag())[0]!.records).toBe(4_960)
    expect(reads).toEqual([0])
    await log.reset('g', [commit(41)])
    await lag()
    expect(reads).toEqual([0, 41])
    await log.reset('g', [commit(5_000)])
    await lag()
    expect(reads).toEqual([0, 41])
  })
})

describe('the lag of attribution', () => {
  const at = (offset: number, metadata = '') => ({ topic: 'page-views' as const, partition: 0, offset, metadata })

  it('is what the sink has stored and attribution has not seen', async () => {
    const { log } = oneTopic({ end: 900, offsets: [10, 20, 850] })
    const lag = createAttributionLag({ log, now: () => NOW })
    expect(await lag()).toEqual([])
    await log.reset('sink', [at(21)])
    expect(await lag()).toEqual([{ topic: 'page-views', partition: 0, records: 11, ageMs: 990 }])
    await log.reset('attribution', [at(11, String(CREDIT_RULES_VERSION))])
    expect(await lag()).toEqual([{ topic: 'page-views', partition: 0, records: 1, ageMs: 980 }])
    await log.reset('attribution', [at(21, String(CREDIT_RULES_VERSION))])
    expect(await lag()).toEqual([{ topic: 'page-views', partition: 0, records: 0, ageMs: 0 }])
  })

  it('is everything again after a change of the rules', async () => {
    const { log } = oneTopic({ end: 900, offsets: [10, 20] })
    await log.reset('sink', [at(21)])
    await log.reset('attribution', [at(21, 'older')])
    expect(await createAttributionLag({ log, now: () => NOW })()).toMatchObject([{ records: 11 }])
  })
})

describe('the own lags of the members of a group', () => {
  let folder: string
  let log: EventLog
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lag-'))
    log = await openEmbeddedEventLog({ folder })
  })
  afterEach(async () => {
    await log.close()
    await rm(folder, { recursive: true })
  })

  it('name each partition once, so that their sum is the lag of the group', async () => {
    const topics = ['page-views'] as const
    const stuck = () => Promise.reject(new Error('an engine is away'))
    const streams = [1, 2].map(() =>
      createStream({
        name: 'stuck',
        topics,
        log,
        step: stuck,
        batchMaxRecords: 10,
        lookAgainMs: 20,
        now: Date.now,
        logger: silent,
        retry: { firstMs: 5, maxMs: 5 },
      }),
    )
    expect(await streams[0]!.ownLag()).toEqual([])
    const views = Array.from({ length: 40 }, (_, n) => ({
      topic: 'page-views' as const,
      key: `${n}`,
      value: encode('PageView', { ...samples.PageView, id: `${n}` }),
    }))
    await log.append(views)
    const ended = streams.map((stream) => stream.run())
    const own = async () => Promise.all(streams.map((stream) => stream.ownLag()))
    const partitions = (await log.bounds('page-views')).map(({ partition }) => partition)
    await waitFor(async () => (await own()).every((each) => each.length === partitions.length / 2))
    const lags = (await own()).flat()
    expect(lags.map(({ partition }) => partition).toSorted((a, b) => a - b)).toEqual(partitions)
    expect(lags.reduce((sum, { records }) => sum + records, 0)).toBe(40)
    expect((await streams[0]!.lag()).reduce((sum, { records }) => sum + records, 0)).toBe(40)
    await Promise.all(streams.map((stream) => stream.stop()))
    await Promise.all(ended)
    expect(await own()).toEqual([[], []])
  })
})

describe('the last known lag', () => {
  const aLag = { topic: 'page-views', partition: 0, records: 3, ageMs: 500 }
  let read: () => Promise<(typeof aLag)[]>
  let lag: () => Promise<object[]>
  beforeEach(() => {
    vi.useFakeTimers({ now: NOW })
    lag = createLastKnownLag(() => read(), Date.now)
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('is the lag itself while it can be read', async () => {
    read = async () => [aLag]
    expect(await lag()).toEqual([{ ...aLag, staleMs: 0 }])
    read = async () => []
    expect(await lag()).toEqual([])
  })

  it('is what was read last, with the time since then, while reading fails', async () => {
    read = async () => [aLag]
    await lag()
    read = () => Promise.reject(new Error('the log is away'))
    vi.setSystemTime(NOW + 7_000)
    expect(await lag()).toEqual([{ ...aLag, staleMs: 7_000 }])
    read = async () => [{ ...aLag, records: 4 }]
    expect(await lag()).toEqual([{ ...aLag, records: 4, staleMs: 0 }])
  })

  it('is what was read last after two seconds of reading, and the late answer once that has come', async () => {
    read = async () => [aLag]
    await lag()
    const late = Promise.withResolvers<(typeof aLag)[]>()
    read = () => late.promise
    const asked = lag()
    await vi.advanceTimersByTimeAsync(2_001)
    expect(await asked).toMatchObject([{ records: 3, staleMs: expect.toSatisfy((ms: number) => ms >= 2_000) }])
    const askedAgain = lag()
    late.resolve([{ ...aLag, records: 9 }])
    expect(await askedAgain).toEqual([{ ...aLag, records: 9, staleMs: 0 }])
  })

  it('is nothing before anything was read', async () => {
    read = () => Promise.reject(new Error('the log is away'))
    expect(await lag()).toEqual([])
  })
})
