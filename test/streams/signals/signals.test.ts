import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openEmbeddedAnalytics } from '../../../infra/analytics/embedded/analytics.ts'
import type { Analytics } from '../../../infra/analytics/port.ts'
import type { EventLog, NewRecord } from '../../../infra/event-log/port.ts'
import type { ProductSignals } from '../../../schemas/records/records.ts'
import { decode } from '../../../schemas/wire/codec.ts'
import { createSignals } from '../../../streams/signals/signals.ts'
import { purchase, touch } from '../attribution/events.ts'
import { openWorld } from '../attribution/world.ts'
import { logRecord } from '../runtime/fake-log.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 2, 10, 12)

let folder: string
let analytics: Analytics
let epoch = 1_000
let world: Awaited<ReturnType<typeof openWorld>>
let appended: NewRecord[]
let log: EventLog
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signals-'))
  analytics = await openEmbeddedAnalytics({ folder })
})
afterAll(async () => {
  await analytics.close()
  await rm(folder, { recursive: true })
})
beforeEach(async () => {
  world = await openWorld(analytics, epoch++)
  appended = []
  log = {
    ...world.log,
    async append(records) {
      appended.push(...records)
      return []
    },
    async tail(_topic, onBatch) {
      await onBatch(appended.map((record, at) => logRecord(record, 0, at)))
      return { close: async () => {} }
    },
  }
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
/** The latest signals of each product of the shop. */
function latest(): Record<string, ProductSignals> {
  const all = appended.map(({ value }) => decode('ProductSignals', value!))
  return Object.fromEntries(all.filter(({ shopId }) => shopId === 'shop').map((each) => [each.id, each]))
}
const signals = (now = NOW) => createSignals({ log, analytics, intervalMs: 0, now: () => now })

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
})
