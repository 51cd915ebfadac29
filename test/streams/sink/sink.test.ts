import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  type Analytics,
  AnalyticsRejected,
  AnalyticsUnavailable,
  type RowBlock,
} from '../../../infra/analytics/port.ts'
import type { TopicName } from '../../../schemas/topics.ts'
import { decode } from '../../../schemas/wire/codec.ts'
import { encodeOffsetMetadata, SINK_GROUP } from '../../../streams/sink/offset-metadata.ts'
import { storedTopics } from '../../../streams/sink/rows.ts'
import { withChangedConsumers } from '../../changed-consumers.ts'
import { tries } from '../../effort.ts'
import { openTemporaryAnalytics } from '../../new-analytics.ts'
import { waitFor } from '../../wait-for.ts'
import { campaign, purchase, shop, T0, touch } from '../attribution/events.ts'
import type { Happening } from '../attribution/happenings.ts'
import { AGE_MS, gather, openWorld, record, view } from './world.ts'

const { world, sinkOf, query, countOf, beginAgain, drain } = openWorld(openTemporaryAnalytics)

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
  const places = await world.log.append(happenings.map(record))
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

it('the sink stores what came to several partitions and topics by one insert a table', async () => {
  const views = Array.from({ length: 40 }, (_, i) => view(`v${i}`, `c${i}`))
  const bought = views.map((_, i) => purchase({ eventId: `o${i}`, cid: `c${i}`, at: T0, products: ['p1'] }))
  const purchases = bought.map((value): Happening => ({ topic: 'transactions', value }))
  await world.log.append([...views, ...purchases].map(record))
  const inserts: { table: string; scopes: number }[] = []
  const stored: number[] = []
  const watched: Analytics = {
    ...world.analytics,
    async insert(table, rows, by) {
      inserts.push({ table, scopes: 'fences' in by ? new Set(by.fences.map(({ scope }) => scope)).size : 0 })
      await world.analytics.insert(table, rows, by)
    },
  }
  // Time passes once everything has been read.
  const pass = async () => {
    world.time += AGE_MS
    await delay(1)
  }
  const sink = sinkOf({ analytics: watched, gather: pass, onStored: () => stored.push(inserts.length) })
  const ended = sink.run()
  await waitFor(async () => sink.state().records === 80)
  await sink.stop()
  await ended
  const { length: partitions } = await world.log.bounds('page-views')
  expect(inserts.toSorted((a, b) => a.table.localeCompare(b.table))).toEqual([
    { table: 'page_views', scopes: partitions },
    { table: 'transactions', scopes: partitions },
  ])
  expect([await countOf('page_views'), await countOf('transactions')]).toEqual([40, 40])
  // `onStored` is called once, when both inserts are done.
  expect(stored).toEqual([2])
})

it('the sink stores what cannot be decoded as a dead letter, and the rest of the batch', async () => {
  await world.log.append([
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
  await world.log.append(views.map(record))
  const refused = ['v7', 'v31']
  const picky: Analytics = {
    ...world.analytics,
    async insert(table, rows, options) {
      const bytes = Buffer.from((rows as RowBlock).bytes)
      if (refused.some((id) => bytes.includes(id))) throw new AnalyticsRejected('no such value')
      await world.analytics.insert(table, rows, options)
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
        await beginAgain()
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
        const flakyLog = withChangedConsumers(world.log, ({ commit }) => ({ commit: flaky(commit, unavailable) }))
        const flakyAnalytics: Analytics = {
          ...world.analytics,
          insert: flaky(world.analytics.insert, unavailable),
          raiseFences: flaky(world.analytics.raiseFences, unavailable),
        }
        let id = 0
        for (const size of sizes) {
          await world.log.append(Array.from({ length: size }, () => record(view(`v${id++}`, `c${id % 7}`))))
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
  await world.log.append(views)
  let polled = 0
  let holds = () => 0
  const watched = withChangedConsumers(world.log, (consumer) => {
    holds = () => consumer.assigned().length
    return {
      async poll(asked) {
        const batch = await consumer.poll(asked)
        polled += batch?.records.length ?? 0
        return batch
      },
    }
  })
  const sink = sinkOf({ log: watched, gather })
  const ended = sink.run()
  await waitFor(async () => polled === views.length)
  const all = holds()
  const other = await world.log.consumer({ group: SINK_GROUP, topics: storedTopics })
  let taken = 0
  for (;;) {
    const batch = await other.poll({ maxRecords: 100, maxWaitMs: 100 })
    if (!batch) break
    taken += batch.records.length
    const metadata = encodeOffsetMetadata({ epoch: world.epoch, pendingLast: null })
    await other.commit(batch.assignment, { offset: batch.records.at(-1)!.offset + 1, metadata })
  }
  await waitFor(async () => holds() < all)
  await other.close()
  await waitFor(async () => holds() === all)
  while ((await sink.lag()).some(({ records }) => records > 0)) {
    world.time += AGE_MS
    await delay(20)
  }
  await sink.stop()
  await ended
  expect(taken).toBeGreaterThan(0)
  expect(await countOf('page_views')).toBe(views.length - taken)
})

async function deadLetters() {
  const records = await world.log.read('dead-letters' satisfies TopicName, 0, 0, 100)
  return records.map(({ value }) => decode('DeadLetter', value!))
}
