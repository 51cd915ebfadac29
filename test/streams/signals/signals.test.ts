import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Analytics } from '../../../infra/analytics/port.ts'
import type { EventLog, NewRecord } from '../../../infra/event-log/port.ts'
import type { ProductSignals } from '../../../schemas/records/records.ts'
import { decode, encode } from '../../../schemas/wire/codec.ts'
import { createShopSignals } from '../../../streams/signals/shop-signals.ts'
import { createSignals } from '../../../streams/signals/signals.ts'
import { openTemporaryAnalytics } from '../../new-analytics.ts'
import { purchase, touch } from '../attribution/events.ts'
import { bytesOf, keyOf, partitionOf, partitionsOf } from '../attribution/happenings.ts'
import { openWorld } from '../attribution/world.ts'
import { fakeTopic, logRecord } from '../runtime/fake-log.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 2, 10, 12)

let analytics: Analytics
let epoch = 1_000
let world: Awaited<ReturnType<typeof openWorld>>
let appended: NewRecord[]
let log: EventLog
beforeAll(async () => {
  analytics = await openTemporaryAnalytics()
})
afterAll(() => analytics.close())
beforeEach(async () => {
  world = await openWorld(analytics, epoch++)
  const topic = fakeTopic()
  appended = topic.appended
  log = { ...world.log, ...topic }
})

let nextId = 0
const bought = (products: string[], fields: { at?: number; eventId?: string; cid?: string; shopId?: string } = {}) => ({
  topic: 'transactions' as const,
  value: purchase({ eventId: `o${nextId++}`, cid: 'a', at: NOW - DAY, products, ...fields }),
})
const seen = (adId: string, type: 'VIEW' | 'CLICK', fields: Partial<Parameters<typeof touch>[0]> = {}) => ({
  topic: 'judged-events' as const,
  value: touch({ eventId: `e${nextId++}`, cid: 'a', at: NOW - DAY, adId, type, ...fields }),
})
/** The latest signals of each of the shop's products. */
function latest(): Record<string, ProductSignals> {
  const all = appended.map(({ value }) => decode('ProductSignals', value!))
  return Object.fromEntries(all.filter(({ shopId }) => shopId === 'shop').map((each) => [each.id, each]))
}
const signals = (now = NOW, intervalMs = 0) => {
  const deps = { log, analytics, now: () => now }
  return createSignals({ ...deps, shopSignals: createShopSignals(deps), intervalMs })
}

/** A log that holds some orders, however many of them are stored. */
function importing(log: EventLog, orders: readonly ReturnType<typeof bought>[]): EventLog {
  const byPartition = Map.groupBy(orders, (order) => partitionOf(keyOf(order), partitionsOf(order.topic)))
  const bounds = [...byPartition].map(([partition, own]) => ({ partition, start: 0, end: own.length }))
  return {
    ...log,
    bounds: async (topic) => (topic === 'transactions' ? bounds : log.bounds(topic)),
    read: async (topic, partition, offset) => {
      const order = byPartition.get(partition)?.[offset]
      return order ? [logRecord({ topic, key: keyOf(order), value: bytesOf(order) }, partition, offset)] : []
    },
  }
}

describe('signals', () => {
  test('a purchase outweighs a click, a click a view, and a fresh one an old one', async () => {
    await world.store([
      bought(['fresh']),
      bought(['old'], { at: NOW - 20 * DAY }),
      bought(['gone'], { at: NOW - 31 * DAY }),
      seen('clicked', 'CLICK'),
      seen('viewed', 'VIEW'),
    ])
    await signals().runOnce()
    const { fresh, old, gone, clicked, viewed } = latest()
    expect(fresh!.popularity).toBeGreaterThan(old!.popularity)
    expect(old!.popularity).toBeGreaterThan(clicked!.popularity)
    expect(clicked!.popularity).toBeGreaterThan(viewed!.popularity)
    expect(viewed!.popularity).toBeGreaterThan(0)
    expect(gone!.popularity).toBe(0)
  })

  test('a week halves popularity', async () => {
    await world.store([bought(['now', 'now'], { at: NOW }), bought(['week'], { at: NOW - 7 * DAY })])
    await signals().runOnce()
    expect(latest().now!.popularity).toBe(1)
    expect(latest().week!.popularity).toBe(0.5)
  })

  test('views and clicks are the valid sponsored ones of 30 days, each event once', async () => {
    await world.store([
      seen('p', 'VIEW'),
      seen('p', 'VIEW', { eventId: 'twice' }),
      seen('p', 'CLICK'),
      seen('p', 'CLICK', { verdict: 'BOT' }),
      seen('p', 'CLICK', { kind: 'DISPLAY' }),
      seen('p', 'VIEW', { at: NOW - 31 * DAY }),
    ])
    await world.store([seen('p', 'VIEW', { eventId: 'twice' })])
    await signals().runOnce()
    expect(latest().p).toMatchObject({ views: 2, clicks: 1 })
  })

  test('an order that came twice counts once', async () => {
    await world.store([bought(['p'], { at: NOW, eventId: 'o' })])
    await world.store([bought(['p'], { at: NOW, eventId: 'o' })])
    await signals().runOnce()
    expect(latest().p!.popularity).toBe(1)
  })

  test('products bought together recommend one another, however long ago, in their shop alone', async () => {
    await world.store([
      bought(['tea', 'cup'], { at: NOW - 300 * DAY }),
      bought(['tea', 'cup']),
      bought(['tea', 'pot']),
      bought(['nail', 'hammer']),
      bought(['tea', 'other'], { shopId: 'other' }),
    ])
    await signals().runOnce()
    const ids = latest().tea!.alsoBought.map((entry) => entry.id)
    expect(ids.slice(0, 2)).toEqual(['cup', 'pot'])
    expect(ids).not.toContain('other')
    expect(latest().tea!.alsoBought[0]!.score).toBe(1)
    expect(latest().nail!.alsoBought[0]!.id).toBe('hammer')
  })

  test('writes only what has changed, also after a restart, and says when a product is popular no more', async () => {
    await world.store([bought(['a', 'b']), bought(['c', 'd'])])
    expect(await signals().runOnce()).toBe(4)
    expect(await signals().runOnce()).toBe(0)
    const running = signals()
    await world.store([seen('z', 'CLICK')])
    expect(await running.runOnce()).toBe(1)
    expect(await running.runOnce()).toBe(0)
    expect(await signals(NOW + 60 * DAY).runOnce()).toBe(5)
    expect(latest().z).toMatchObject({ popularity: 0, views: 0, clicks: 0, alsoBought: [] })
    expect(latest().a).toMatchObject({ popularity: 0, alsoBought: [{ id: 'b' }, { id: 'c' }, { id: 'd' }] })
  })

  test('what a former leader appends late is put right at the next update', async () => {
    await world.store([bought(['a', 'b'])])
    const running = signals()
    await running.runOnce()
    const right = latest().a!
    const late: ProductSignals = { ...right, popularity: 9 }
    await log.append([{ topic: 'product-signals', key: 'shop/a', value: encode('ProductSignals', late) }])
    await world.store([seen('z', 'CLICK')])
    await running.runOnce()
    expect(latest().a).toEqual(right)
  })

  test('an order history that is imported changes the lists at the next look, a few orders only after the interval', async () => {
    const [intervalMs, shopId] = [300_000, 'shop']
    await world.store([seen('tea', 'VIEW')])
    let time = NOW
    const deps = { log, analytics, now: () => time }
    const running = createSignals({ ...deps, shopSignals: createShopSignals(deps), intervalMs })
    await running.runOnce()
    expect(latest().tea!.alsoBought).toEqual([])
    // They are due whatever the time: no interval has passed.
    const history = Array.from({ length: 50 }, (_, n) => bought(['tea', 'cup'], { at: NOW - n * DAY, shopId }))
    await world.store(history.map((each) => ({ ...each, value: { ...each.value, imported: true } })))
    await running.runOnce()
    expect(latest().tea!.alsoBought.map(({ id }) => id)).toEqual(['cup'])
    await world.store([bought(['tea', 'pot'])])
    expect(await running.runOnce()).toBe(0)
    time += intervalMs
    await running.runOnce()
    expect(latest().tea!.alsoBought.map(({ id }) => id)).toEqual(['cup', 'pot'])
  })

  test('an import is computed as a whole although the sink pauses in the middle of it', async () => {
    const stored = Array.from({ length: 210 }, () => bought(['tea', 'cup']))
    const newest = Array.from({ length: 10 }, () => bought(['kettle', 'pot']))
    let at = NOW
    const deps = { log: importing(log, [...stored, ...newest]), analytics, now: () => at }
    const { runOnce } = createSignals({ ...deps, shopSignals: createShopSignals(deps), intervalMs: 300_000 })
    await world.store(stored)
    for (const sinkPauses of [1, 2, 3]) {
      expect(await runOnce(), `look ${sinkPauses}`).toBe(0)
      at += 2_000
    }
    await world.store(newest)
    await runOnce()
    expect(Object.keys(latest()).sort()).toEqual(['cup', 'kettle', 'pot', 'tea'])
  })

  test('days are counted when a shop is due, not at each look, and new rows are added to what is counted', async () => {
    const counted: string[] = []
    const watched: Analytics = {
      ...analytics,
      command: async (sql, params) => {
        if (sql.includes('INSERT INTO signal_days')) counted.push(sql.includes('throwIf') ? 'added' : 'anew')
        await analytics.command(sql, params)
      },
    }
    let at = NOW
    const deps = { log, analytics: watched, now: () => at }
    const { runOnce } = createSignals({ ...deps, shopSignals: createShopSignals(deps), intervalMs: 300_000 })
    await world.store(Array.from({ length: 5 }, () => seen('p', 'VIEW')))
    await runOnce()
    expect(counted).toEqual(['anew'])
    for (const step of [10_000, 20_000]) {
      at = NOW + step
      await world.store([seen('p', 'VIEW')])
      await runOnce()
    }
    expect(counted).toEqual(['anew'])
    expect(latest().p!.views).toBe(5)
    at = NOW + 300_000
    await runOnce()
    expect(counted).toEqual(['anew', 'added'])
    expect(latest().p!.views).toBe(7)
  })

  test('the orders of a shop are read once, and then those that are new, each order once', async () => {
    const orders = Array.from({ length: 40 }, (_, n) =>
      bought(['tea', n % 2 === 0 ? 'cup' : 'pot'], { at: NOW - n * DAY }),
    )
    await world.store(orders)
    const read: number[] = []
    const counting: Analytics = {
      ...analytics,
      async query<Row extends object>(...args: Parameters<Analytics['query']>) {
        const rows = await analytics.query<Row>(...args)
        if (rows[0] && 'orderId' in rows[0]) read.push(rows.length)
        return rows
      },
    }
    const deps = { log, analytics: counting, now: () => NOW }
    const running = createSignals({ ...deps, shopSignals: createShopSignals(deps), intervalMs: 0 })
    await running.runOnce()
    await world.store([bought(['tea', 'lamp'], { at: NOW }), bought(['tea', 'lamp'], { at: NOW }), orders[7]!])
    await running.runOnce()
    expect(read).toEqual([40, 3])
    const found = latest()
    expect(found.lamp!.alsoBought[0]!.id).toBe('tea')
    // The same result as when another process reads everything at once.
    appended.length = 0
    await signals().runOnce()
    for (const id of ['tea', 'lamp']) expect(found[id]!.alsoBought, id).toEqual(latest()[id]!.alsoBought)
    // So many more orders at once may be from any time.
    await world.store(Array.from({ length: 10 }, () => bought(['tea', 'old'], { at: NOW - 99 * DAY })))
    await running.runOnce()
    expect(read).toEqual([40, 3, 10, 52])
  })

  test('what was not appended is appended the next time', async () => {
    await world.store([bought(['a', 'b'])])
    let fails = true
    const failing = {
      ...log,
      append: async (records: readonly NewRecord[]) =>
        fails ? Promise.reject(new Error('away')) : log.append(records),
    }
    const deps = { log: failing, analytics, now: () => NOW }
    const running = createSignals({ ...deps, shopSignals: createShopSignals(deps), intervalMs: 0 })
    await expect(running.runOnce()).rejects.toThrow('away')
    fails = false
    expect(await running.runOnce()).toBe(2)
    fails = true
    await world.store([bought(['a', 'c'])])
    await expect(running.runOnce()).rejects.toThrow('away')
    fails = false
    await running.runOnce()
    expect(latest().c!.alsoBought[0]!.id).toBe('a')
  })

  test('what was not appended of one shop is not lost of the others that were computed with it', async () => {
    const shopIds = ['first', 'second', 'shop']
    // So long ago that the products' figures stay as they are, and only their lists change.
    const boughtIn = (shopId: string, products: string[]) => bought(products, { shopId, at: NOW - 99 * DAY })
    const many = Array.from({ length: 500 }, (_, at) => `p${at}`)
    const store = (...products: string[]) =>
      world.store(
        shopIds.flatMap((shopId) => [
          boughtIn(shopId, products),
          // So many in each shop that they are appended before the next shop.
          ...many.map((id) => seen(id, 'VIEW', { shopId, at: NOW })),
        ]),
      )
    let fails = false
    const append: typeof log.append = (records) => (fails ? Promise.reject(new Error('away')) : log.append(records))
    const deps = { log: { ...log, append }, analytics, now: () => NOW }
    const running = createSignals({ ...deps, shopSignals: createShopSignals(deps), intervalMs: 0 })
    await store('tea', 'cup')
    await running.runOnce()
    await store('tea', 'pot')
    fails = true
    await expect(running.runOnce()).rejects.toThrow('away')
    fails = false
    await running.runOnce()
    const teas = appended.map(({ value }) => decode('ProductSignals', value!)).filter(({ id }) => id === 'tea')
    const lists = new Map(teas.map(({ shopId, alsoBought }) => [shopId, alsoBought.map(({ id }) => id).sort()]))
    expect(lists).toEqual(new Map(shopIds.map((shopId) => [shopId, ['cup', 'pot']])))
  })
})
