import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type Analytics,
  AnalyticsFenced,
  AnalyticsRejected,
  AnalyticsUnavailable,
  type RowBlock,
} from '../../../infra/analytics/port.ts'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import type { EventLog, NewRecord } from '../../../infra/event-log/port.ts'
import type { TopicName } from '../../../schemas/topics.ts'
import { decode } from '../../../schemas/wire/codec.ts'
import { type SinkBatch, storeBatches } from '../../../streams/sink/batch.ts'
import { encodeOffsetMetadata, SINK_GROUP } from '../../../streams/sink/offset-metadata.ts'
import { storedTopics, tablesOf } from '../../../streams/sink/rows.ts'
import { createSink } from '../../../streams/sink/sink.ts'
import { withChangedConsumers } from '../../changed-consumers.ts'
import { tries } from '../../effort.ts'
import { openNewAnalytics } from '../../new-analytics.ts'
import { waitFor } from '../../wait-for.ts'
import { bytesOf, campaign, type Happening, keyOf, pageView, purchase, shop, T0, touch } from '../attribution/events.ts'

const silent = { info() {}, warn() {}, error() {} }
const AGE_MS = 2_000
const RETRY = { firstMs: 1, maxMs: 10 }
const gather = () => delay(5)
const tables = Object.values(tablesOf).flatMap((each) => each.map(({ table }) => table))

let folder: string
let analytics: Analytics
let log: EventLog
/** A new epoch for each log, because each log starts at offset 0 again, as after a rebuild. */
let epoch = 0
let time: number
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sink-'))
  analytics = await openNewAnalytics({ folder: join(folder, 'analytics') })
})
beforeEach(async () => {
  await openNewLog()
  return () => log.close()
})
afterAll(async () => {
  await analytics.close()
  await rm(folder, { recursive: true })
})

async function openNewLog() {
  epoch += 1
  time = T0
  for (const table of tables) await analytics.command(`TRUNCATE TABLE ${table}`)
  log = await openEmbeddedEventLog({ folder: join(folder, `log${epoch}`) })
  const commits = storedTopics.map(async (topic) =>
    (await log.bounds(topic)).map(({ partition, start }) => {
      return { topic, partition, offset: start, metadata: encodeOffsetMetadata({ epoch, pendingLast: null }) }
    }),
  )
  await log.reset(SINK_GROUP, (await Promise.all(commits)).flat())
}

const record = (happening: Happening): NewRecord => ({
  topic: happening.topic,
  key: keyOf(happening),
  value: bytesOf(happening),
})
const view = (id: string, cid = 'a'): Happening => ({
  topic: 'page-views',
  value: pageView({ id, cid, uid: null, at: T0 }),
})
const query = <Row extends object>(sql: string) => analytics.query<Row>(sql)
const countOf = async (table: string) => (await query<{ n: number }>(`SELECT count() AS n FROM ${table}`))[0]!.n

/** Runs a sink while time passes, until it has committed everything. */
async function drain(through: { log?: EventLog; analytics?: Analytics; onStored?: () => void } = {}): Promise<void> {
  const sink = createSink({ log, analytics, ...through, now: () => time, logger: silent, retry: RETRY, gather })
  const ended = sink.run()
  while ((await sink.lag()).some(({ records }) => records > 0)) {
    time += AGE_MS
    await delay(20)
  }
  await sink.stop()
  await ended
}

it('the sink stores each topic in its table, with the place of the record', async () => {
  const click = touch({ eventId: 'e1', cid: 'a', uid: 'u', at: T0, adId: 'p1', itemGroupId: 'g' })
  const happenings: Happening[] = [
    { topic: 'judged-events', value: { ...click, claims: { ...click.claims, cid: 'shown', country: 'DE' } } },
    { topic: 'transactions', value: purchase({ eventId: 'o1', cid: 'a', at: T0, products: ['p1', 'p2'] }) },
    view('v1'),
    { topic: 'registry', value: campaign({ version: 3, at: T0, list: ['p1'] }) },
    { topic: 'registry', value: shop({ version: 2, clickWindowHours: 5, viewWindowHours: 6 }) },
    { topic: 'item-groups', value: { shopId: 'shop', feedId: 'feed', id: 'a/b', itemGroupId: 'g' } },
    { topic: 'item-groups', value: { shopId: 'shop', feedId: 'feed', id: 'a/b', itemGroupId: 'h' } },
  ]
  const places = await log.append(happenings.map(record))
  await drain()
  const place = (i: number) => {
    const { topic, partition, offset } = places[i]!
    return { _topic: topic, _partition: partition, _offset: offset }
  }
  expect(await query('SELECT * FROM judged_events')).toMatchObject([
    {
      ...place(0),
      eventId: 'e1',
      type: 'CLICK',
      verdict: 'VALID',
      cid: 'a',
      uid: 'u',
      emittedCid: 'shown',
      emittedUid: null,
      adId: 'p1',
      itemGroupId: 'g',
      country: 'DE',
    },
  ])
  expect(await query('SELECT * FROM transactions')).toEqual([{ ...place(1), ...happenings[1]!.value }])
  expect(await query('SELECT * FROM page_views')).toEqual([{ ...place(2), ...happenings[2]!.value }])
  expect(await query('SELECT * FROM campaign_versions')).toEqual([
    {
      ...place(3),
      campaignId: 'campaign',
      version: 3,
      shopId: 'shop',
      accountId: 'account',
      updatedAt: T0,
      attributionProductIds: ['p1'],
    },
  ])
  const settings = 'clickWindowHours, viewWindowHours, timeZone'
  expect(await query(`SELECT shopId, version, ${settings} FROM shop_versions`)).toEqual([
    { shopId: 'shop', version: 2, clickWindowHours: 5, viewWindowHours: 6, timeZone: 'Europe/Berlin' },
  ])
  expect(await query('SELECT * FROM product_groups FINAL')).toEqual([
    { ...place(6), shopId: 'shop', feedId: 'feed', id: 'a/b', itemGroupId: 'h' },
  ])
})

it('the sink waits for a batch to fill until it is old enough', async () => {
  await log.append([record(view('v1'))])
  const sink = createSink({ log, analytics, now: () => time, logger: silent, gather })
  const ended = sink.run()
  await delay(300)
  expect(await countOf('page_views')).toBe(0)
  time += AGE_MS
  while (sink.state().batches === 0) await delay(10)
  expect(await countOf('page_views')).toBe(1)
  await sink.stop()
  await ended
})

describe('a sink whose records may wait for long', () => {
  const HOUR_MS = 3_600_000
  /** Waits as the sink does by default, and notes for how long. */
  function waitingSink(through: { analytics?: Analytics } = {}) {
    const waitsMs: number[] = []
    const gather = async (ms: number, hurry: AbortSignal) => {
      waitsMs.push(ms)
      await delay(ms, undefined, { signal: hurry }).catch(() => {})
    }
    const stored: number[] = []
    const sink = createSink({
      log,
      analytics,
      ...through,
      now: () => time,
      logger: silent,
      retry: RETRY,
      batchAgeMs: () => HOUR_MS,
      gather,
      onStored: () => stored.push(sink.state().records),
    })
    return { sink, waitsMs, stored, ended: sink.run() }
  }

  it('stores them at once when it is asked to, with those that it has not read yet', async () => {
    await log.append([record(view('v1'))])
    const { sink, waitsMs, stored, ended } = waitingSink()
    await waitFor(async () => waitsMs.length === 1)
    expect(waitsMs).toEqual([HOUR_MS])
    await log.append(Array.from({ length: 10 }, (_, i) => record(view(`w${i}`, `c${i}`))))
    // Who asks also wants rows to be stored soon from now on. Those of all partitions are still stored together.
    time += HOUR_MS
    await Promise.all([sink.storeNow(), sink.storeNow()])
    expect(await countOf('page_views')).toBe(11)
    expect(stored).toEqual([11])
    // Then it waits for the first record of the next batch, and there is nothing to store.
    await sink.storeNow()
    await log.append([record(view('v3'))])
    await waitFor(async () => waitsMs.length === 2)
    await sink.storeNow()
    expect(await countOf('page_views')).toBe(12)
    await sink.stop()
    await ended
  })

  it('lets nobody wait for a store that has failed', async () => {
    let isAway = true
    const insert: Analytics['insert'] = async (...args) => {
      if (isAway) throw new AnalyticsUnavailable('away')
      await analytics.insert(...args)
    }
    await log.append([record(view('v1'))])
    const { sink, waitsMs, ended } = waitingSink({ analytics: { ...analytics, insert } })
    await waitFor(async () => waitsMs.length === 1)
    await sink.storeNow()
    expect(await countOf('page_views')).toBe(0)
    isAway = false
    await waitFor(async () => (await countOf('page_views')) === 1)
    await sink.stop()
    await ended
  })

  it('stores many within a second, as any sink', async () => {
    const views = Array.from({ length: 4_000 }, (_, i) => view(`v${i}`, `c${i % 100}`))
    await log.append(views.map(record))
    const sink = createSink({
      log,
      analytics,
      now: () => time,
      logger: silent,
      batchAgeMs: () => HOUR_MS,
      gather: async (ms) => {
        time += ms
        await delay(1)
      },
    })
    const ended = sink.run()
    await waitFor(async () => sink.state().records === views.length)
    expect(time - T0).toBe(1_000)
    await sink.stop()
    await ended
  })
})

it('the sink stores a batch that was begun before the clock was set back', async () => {
  await log.append([record(view('v1'))])
  const setBack = async () => {
    time -= 3_600_000
    await delay(1)
  }
  const sink = createSink({ log, analytics, now: () => time, logger: silent, gather: setBack })
  const ended = sink.run()
  while (sink.state().batches === 0) await delay(10)
  expect(await countOf('page_views')).toBe(1)
  await sink.stop()
  await ended
})

it.each([
  { records: 3, waitsMs: [1_000] },
  { records: 5_000, waitsMs: Array.from({ length: 50 }, () => 20) },
])(
  'the sink waits once for others of $records records, and looks often where more must be behind them',
  async (each) => {
    const views = Array.from({ length: each.records }, (_, i) => view(`v${i}`, `c${i % 100}`))
    await log.append(views.map(record))
    const waitsMs: number[] = []
    const noting = async (ms: number) => {
      waitsMs.push(ms)
      time += ms
      await delay(1)
    }
    const sink = createSink({ log, analytics, now: () => time, logger: silent, gather: noting })
    const ended = sink.run()
    while ((await sink.lag()).some(({ records }) => records > 0)) await delay(5)
    await sink.stop()
    await ended
    expect(waitsMs).toEqual(each.waitsMs)
    expect(await countOf('page_views')).toBe(each.records)
  },
)

it('the sink stores what came to several partitions and topics by one insert a table', async () => {
  const views = Array.from({ length: 40 }, (_, i) => view(`v${i}`, `c${i}`))
  const bought = views.map((_, i) => purchase({ eventId: `o${i}`, cid: `c${i}`, at: T0, products: ['p1'] }))
  const purchases = bought.map((value): Happening => ({ topic: 'transactions', value }))
  await log.append([...views, ...purchases].map(record))
  const inserts: { table: string; scopes: number }[] = []
  const stored: number[] = []
  const watched: Analytics = {
    ...analytics,
    async insert(table, rows, by) {
      inserts.push({ table, scopes: 'fences' in by ? new Set(by.fences.map(({ scope }) => scope)).size : 0 })
      await analytics.insert(table, rows, by)
    },
  }
  // Time passes once everything has been read.
  const pass = async () => {
    time += AGE_MS
    await delay(1)
  }
  const sink = createSink({
    log,
    analytics: watched,
    now: () => time,
    logger: silent,
    gather: pass,
    onStored: () => stored.push(inserts.length),
  })
  const ended = sink.run()
  await waitFor(async () => sink.state().records === 80)
  await sink.stop()
  await ended
  const { length: partitions } = await log.bounds('page-views')
  expect(inserts.toSorted((a, b) => a.table.localeCompare(b.table))).toEqual([
    { table: 'page_views', scopes: partitions },
    { table: 'transactions', scopes: partitions },
  ])
  expect([await countOf('page_views'), await countOf('transactions')]).toEqual([40, 40])
  // `onStored` is called once, when both inserts are done.
  expect(stored).toEqual([2])
})

it('the sink stores what cannot be decoded as a dead letter, and the rest of the batch', async () => {
  await log.append([
    record(view('v1')),
    { topic: 'page-views', key: 'a', value: Buffer.from('no record') },
    record(view('v2')),
  ])
  await drain()
  expect(await countOf('page_views')).toBe(2)
  expect(await deadLetters()).toMatchObject([{ stream: 'sink', topic: 'page-views', code: 'UNDECODABLE' }])
})

it('the sink finds the rows that the store refuses, and stores the rest of the batch', async () => {
  const views = Array.from({ length: 50 }, (_, i) => view(`v${i}`))
  await log.append(views.map(record))
  const refused = ['v7', 'v31']
  const picky: Analytics = {
    ...analytics,
    async insert(table, rows, options) {
      const bytes = Buffer.from((rows as RowBlock).bytes)
      if (refused.some((id) => bytes.includes(id))) throw new AnalyticsRejected('no such value')
      await analytics.insert(table, rows, options)
    },
  }
  await drain({ analytics: picky })
  expect(await countOf('page_views')).toBe(48)
  expect(await deadLetters()).toMatchObject([{ code: 'REJECTED' }, { code: 'REJECTED' }])
})

it('the sink stores every record once whenever calls fail, before or after they took effect', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 4 }),
      fc.infiniteStream(fc.nat(9)),
      async (sizes, luck) => {
        await log.close()
        await openNewLog()
        let failures = 12
        const flaky =
          <Args extends unknown[]>(call: (...args: Args) => Promise<void>, error: () => Error) =>
          async (...args: Args) => {
            const chance = failures > 0 ? luck.next().value : 9
            if (chance < 2) failures -= 1
            if (chance === 0) throw error()
            await call(...args)
            if (chance === 1) throw error()
          }
        const unavailable = () => new AnalyticsUnavailable('try again')
        const flakyLog = withChangedConsumers(log, ({ commit }) => ({ commit: flaky(commit, unavailable) }))
        const flakyAnalytics: Analytics = {
          ...analytics,
          insert: flaky(analytics.insert, unavailable),
          raiseFences: flaky(analytics.raiseFences, unavailable),
        }
        let id = 0
        for (const size of sizes) {
          await log.append(Array.from({ length: size }, () => record(view(`v${id++}`, `c${id % 7}`))))
          await drain({ log: flakyLog, analytics: flakyAnalytics })
        }
        expect(await query('SELECT count() AS rows, uniqExact(id) AS ids FROM page_views')).toEqual([
          { rows: id, ids: id },
        ])
      },
    ),
    { numRuns: tries(8, 80), endOnFailure: true },
  )
})

it('the sink does not store what it read of a partition that has left and come back since', async () => {
  const views = Array.from({ length: 40 }, (_, n) => record(view(`v${n}`, `c${n}`)))
  await log.append(views)
  let polled = 0
  let holds = () => 0
  const watched = withChangedConsumers(log, (consumer) => {
    holds = () => consumer.assigned().length
    return {
      async poll(asked) {
        const batch = await consumer.poll(asked)
        polled += batch?.records.length ?? 0
        return batch
      },
    }
  })
  const sink = createSink({ log: watched, analytics, now: () => time, logger: silent, gather })
  const ended = sink.run()
  await waitFor(async () => polled === views.length)
  const all = holds()
  const other = await log.consumer({ group: SINK_GROUP, topics: storedTopics })
  let taken = 0
  for (;;) {
    const batch = await other.poll({ maxRecords: 100, maxWaitMs: 100 })
    if (!batch) break
    taken += batch.records.length
    const metadata = encodeOffsetMetadata({ epoch, pendingLast: null })
    await other.commit(batch.assignment, { offset: batch.records.at(-1)!.offset + 1, metadata })
  }
  await waitFor(async () => holds() < all)
  await other.close()
  await waitFor(async () => holds() === all)
  while ((await sink.lag()).some(({ records }) => records > 0)) {
    time += AGE_MS
    await delay(20)
  }
  await sink.stop()
  await ended
  expect(taken).toBeGreaterThan(0)
  expect(await countOf('page_views')).toBe(views.length - taken)
})

describe('a batch in doubt', () => {
  const views = ['v0', 'v1', 'v2', 'v3']
  /** Leaves the first three records as a batch that was opened but not stored, under the epoch of the log. */
  async function leaveInDoubt(): Promise<SinkBatch> {
    const places = await log.append(views.map((id) => record(view(id))))
    const { partition, offset: first } = places[0]!
    const { offset: last } = places[2]!
    const records = await log.read('page-views', partition, first, 3)
    const others = (await log.committed(SINK_GROUP)).filter(
      (each) => each.topic !== 'page-views' || each.partition !== partition,
    )
    const metadata = encodeOffsetMetadata({ epoch, pendingLast: last })
    await log.reset(SINK_GROUP, [...others, { topic: 'page-views', partition, offset: first, metadata }])
    return { topic: 'page-views', partition, first, last, records, epoch }
  }
  const stored = async () => (await query<{ id: string }>('SELECT id FROM page_views ORDER BY id')).map(({ id }) => id)

  it.each([
    ['nothing', 0],
    ['a part', 2],
    ['all', 3],
  ])('of which %s is stored is finished, and the partition goes on after it', async (_, count) => {
    const batch = await leaveInDoubt()
    await storeBatches(analytics, [{ ...batch, records: batch.records.slice(0, count) }])
    await drain()
    expect(await stored()).toEqual(views)
  })

  it('a batch in doubt that is finished is told of as one that is stored', async () => {
    await leaveInDoubt()
    const seen: number[] = []
    const counting: Promise<unknown>[] = []
    const onStored = () => counting.push(countOf('page_views').then((count) => seen.push(count)))
    await drain({ onStored })
    await Promise.all(counting)
    expect(seen[0]).toBeGreaterThanOrEqual(3)
  })

  it('a batch in doubt can no longer be stored by whoever opened it', async () => {
    const batch = await leaveInDoubt()
    await drain()
    await expect(storeBatches(analytics, [batch])).rejects.toBeInstanceOf(AnalyticsFenced)
    expect(await stored()).toEqual(views)
  })

  it('a batch in doubt is finished under a new epoch each time that finishing it fails', async () => {
    await leaveInDoubt()
    const epochs: number[] = []
    const failing: Analytics = {
      ...analytics,
      async insert(table, rows, by) {
        if ('fences' in by) epochs.push(by.fences[0]!.epoch)
        if (epochs.length < 3) throw new AnalyticsUnavailable('try again')
        await analytics.insert(table, rows, by)
      },
    }
    await drain({ analytics: failing })
    expect(epochs.slice(0, 3)).toEqual([epoch + 1, epoch + 2, epoch + 3])
    expect(await stored()).toEqual(views)
  })
})

async function deadLetters() {
  const records = await log.read('dead-letters' satisfies TopicName, 0, 0, 100)
  return records.map(({ value }) => decode('DeadLetter', value!))
}
