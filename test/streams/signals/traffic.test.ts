import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Analytics } from '../../../infra/analytics/port.ts'
import type { Shop } from '../../../schemas/records/entities.ts'
import type { Emission } from '../../../schemas/records/events.ts'
import { Snapshot } from '../../../services/domain/snapshot.ts'
import { followTraffic } from '../../../services/replicas/traffic-follower.ts'
import { createActivity } from '../../../streams/signals/activity.ts'
import { createTraffic } from '../../../streams/signals/traffic.ts'
import { openTemporaryAnalytics } from '../../new-analytics.ts'
import { type TouchFields, touch } from '../attribution/events.ts'
import { openWorld } from '../attribution/world.ts'
import { fakeTopic } from '../runtime/fake-log.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** Midnight in Berlin, in winter time: the clocks change on 29 March. */
const MIDNIGHT = Date.parse('2026-03-09T23:00:00Z')
const NOW = MIDNIGHT + 12 * HOUR_MS

let analytics: Analytics
beforeAll(async () => {
  analytics = await openTemporaryAnalytics()
})
afterAll(() => analytics.close())

let requests = 0
const request = (occurredAt: number, shopId = 'shop'): { topic: 'emissions'; value: Emission } => {
  const requestId = `r${requests++}`
  const person = { cid: 'c', uid: null, country: null }
  return {
    topic: 'emissions',
    value: {
      ...{ requestId, shopId, kind: 'SPONSORED' },
      ...person,
      ...{ occurredAt, elapsedMicros: 1, slots: [], phrases: [], lifts: [] },
    },
  }
}

const touched = (type: 'VIEW' | 'CLICK', fields: Partial<TouchFields> = {}) => ({
  topic: 'judged-events' as const,
  value: touch({ eventId: `e${requests++}`, cid: 'c', at: NOW - DAY_MS, adId: 'p', type, ...fields }),
})

test('a shop’s requests and clicks of four weeks become shares of the hours of its day and a click rate, written when they change', async () => {
  const world = await openWorld(analytics, 1)
  const snapshot = new Snapshot()
  const body = { timeZone: 'Europe/Berlin' } as Shop
  for (const id of ['shop', 'silent']) {
    snapshot.apply({ kind: 'Shop', id, version: 1, updatedAt: 0, updatedBy: '', deletedAt: null, body })
  }
  const { appended, ...topic } = fakeTopic()
  const log = { ...world.log, ...topic }
  const at20 = MIDNIGHT - DAY_MS + 20 * HOUR_MS
  const evening = Array.from({ length: 3_000 }, (_, i) => request(at20 - (i % 20) * DAY_MS + (i % 60) * 60_000))
  await world.store([...evening, request(at20 - 40 * DAY_MS), request(at20, 'another')])
  await world.store([
    ...Array.from({ length: 500 }, () => touched('VIEW')),
    ...Array.from({ length: 18 }, () => touched('CLICK')),
    touched('CLICK', { kind: 'DISPLAY' }),
    touched('CLICK', { verdict: 'BOT' }),
    touched('CLICK', { shopId: 'another' }),
    touched('CLICK', { at: NOW - 29 * DAY_MS }),
  ])

  const activity = createActivity({ log, analytics })
  const count = async () => {
    await activity.look(0)
    await activity.count(0)
  }
  await count()
  const run = createTraffic({ log, analytics, snapshot, now: () => NOW })
  await run()
  await run()
  await createTraffic({ log, analytics, snapshot, now: () => NOW })()
  expect(appended.map(({ key }) => key)).toEqual(['shop'])

  const { hourShares, clickRate } = await followTraffic({ log, logger: { error() {} } })
  expect([clickRate('shop'), clickRate('silent')]).toEqual([20 / 1_000, 0.004])
  const shares = hourShares('shop')
  expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1)
  expect(shares[20]).toBeCloseTo((1_500 + 1_000 / 24) / 4_000)
  expect(shares[19]).toBeCloseTo((750 + 1_000 / 24) / 4_000)
  expect(shares[3]).toBeCloseTo(1 / 96)
  expect(new Set(hourShares('silent'))).toEqual(new Set([1 / 24]))

  await world.store(Array.from({ length: 3_000 }, () => request(MIDNIGHT + 9 * HOUR_MS)))
  await run()
  expect(appended).toHaveLength(2)

  await world.store([...Array.from({ length: 20 }, () => touched('CLICK')), touched('VIEW')])
  await run()
  expect(appended).toHaveLength(2)
  // Stored events affect the click rate once they are counted.
  await count()
  await run()
  expect((await followTraffic({ log, logger: { error() {} } })).clickRate('shop')).toBe(40 / 1_001)
  expect(appended).toHaveLength(3)
})
