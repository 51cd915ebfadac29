import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type Analytics, AnalyticsUnavailable, type RowBlock } from '../../../infra/analytics/port.ts'
import { type EventLog, LogUnavailable } from '../../../infra/event-log/port.ts'
import { waitFor } from '../../wait-for.ts'
import { T0 } from '../attribution/events.ts'
import { AGE_MS, gather, openWorld, RETRY, record, view } from './world.ts'

/** Tables of which only the number of rows is kept. When rows are stored does not depend on what they hold. */
const counted = new Map<string, number>()
const tableOf = (sql: string) => sql.split(' ').at(-1)!
const { world, sinkOf, countOf } = openWorld(
  async () =>
    ({
      insert: async (table: string, { length }: RowBlock) =>
        void counted.set(table, (counted.get(table) ?? 0) + length),
      // A sink that finishes a batch in doubt finds nothing of it.
      query: async (sql: string) => (sql.includes('count()') ? [{ n: counted.get(tableOf(sql)) ?? 0 }] : []),
      raiseFences: async () => {},
      command: async (sql: string) => void counted.delete(tableOf(sql)),
      close: async () => {},
    }) as unknown as Analytics,
)

it('the sink waits for a batch to fill until it is old enough', async () => {
  await world.log.append([record(view('v1'))])
  const sink = sinkOf({ gather })
  const ended = sink.run()
  await delay(300)
  expect(await countOf('page_views')).toBe(0)
  world.time += AGE_MS
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
    const sink = sinkOf({
      ...through,
      retry: RETRY,
      batchAgeMs: () => HOUR_MS,
      gather,
      onStored: () => stored.push(sink.state().records),
    })
    return { sink, waitsMs, stored, ended: sink.run() }
  }

  it('stores them at once when it is asked to, with those that it has not read yet', async () => {
    await world.log.append([record(view('v1'))])
    const { sink, waitsMs, stored, ended } = waitingSink()
    await waitFor(async () => waitsMs.length === 1)
    expect(waitsMs).toEqual([HOUR_MS])
    await world.log.append(Array.from({ length: 10 }, (_, i) => record(view(`w${i}`, `c${i}`))))
    // Who asks also wants rows to be stored soon from now on. Those of all partitions are still stored together.
    world.time += HOUR_MS
    await Promise.all([sink.storeNow(), sink.storeNow()])
    expect(await countOf('page_views')).toBe(11)
    expect(stored).toEqual([11])
    // Then it waits for the first record of the next batch, and there is nothing to store.
    await sink.storeNow()
    await world.log.append([record(view('v3'))])
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
      await world.analytics.insert(...args)
    }
    await world.log.append([record(view('v1'))])
    const { sink, waitsMs, ended } = waitingSink({ analytics: { ...world.analytics, insert } })
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
    await world.log.append(views.map(record))
    const sink = sinkOf({
      batchAgeMs: () => HOUR_MS,
      gather: async (ms) => {
        world.time += ms
        await delay(1)
      },
    })
    const ended = sink.run()
    await waitFor(async () => sink.state().records === views.length)
    expect(world.time - T0).toBe(1_000)
    await sink.stop()
    await ended
  })
})

it('the sink stores a batch that was begun before the clock was set back', async () => {
  await world.log.append([record(view('v1'))])
  const setBack = async () => {
    world.time -= 3_600_000
    await delay(1)
  }
  const sink = sinkOf({ gather: setBack })
  const ended = sink.run()
  while (sink.state().batches === 0) await delay(10)
  expect(await countOf('page_views')).toBe(1)
  await sink.stop()
  await ended
})

it('an idle sink is healthy again after a failure although the clock was set back since', async () => {
  let isAway = true
  const committed: EventLog['committed'] = async (group) => {
    if (isAway) throw new LogUnavailable('away')
    return world.log.committed(group)
  }
  const sink = sinkOf({ log: { ...world.log, committed }, retry: RETRY })
  const ended = sink.run()
  await waitFor(() => sink.state().status === 'RETRYING')
  world.time -= 3_600_000
  isAway = false
  await waitFor(() => sink.state().status === 'RUNNING')
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
    await world.log.append(views.map(record))
    const waitsMs: number[] = []
    const noting = async (ms: number) => {
      waitsMs.push(ms)
      world.time += ms
      await delay(1)
    }
    const sink = sinkOf({ gather: noting })
    const ended = sink.run()
    while ((await sink.lag()).some(({ records }) => records > 0)) await delay(5)
    await sink.stop()
    await ended
    expect(waitsMs).toEqual(each.waitsMs)
    expect(await countOf('page_views')).toBe(each.records)
  },
)
