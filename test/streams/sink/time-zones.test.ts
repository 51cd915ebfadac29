import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Analytics } from '../../../infra/analytics/port.ts'
import { Snapshot } from '../../../services/domain/snapshot.ts'
import { createTimeZones } from '../../../streams/sink/time-zones.ts'
import { openTemporaryAnalytics } from '../../new-analytics.ts'
import { apply } from '../../services/registry/reports/world.ts'

let analytics: Analytics
beforeAll(async () => {
  analytics = await openTemporaryAnalytics()
})
afterAll(() => analytics.close())

test('versions of shops from before get the zone that the shop has now', async () => {
  const row = (shopId: string, version: number, given: { timeZone?: string } = {}) => ({
    ...{ _topic: 'registry', _partition: 0, _offset: version, updatedAt: 0, clickWindowHours: 1, viewWindowHours: 1 },
    ...{ shopId, version, ...given },
  })
  const rows = [row('a', 1), row('a', 2), row('b', 3, { timeZone: 'Asia/Tokyo' }), row('gone', 4), row('unknown', 5)]
  await analytics.insert('shop_versions', rows, { token: 'before' })
  const snapshot = new Snapshot()
  apply(snapshot, 'Shop', 'a', { timeZone: 'Europe/Warsaw' })
  apply(snapshot, 'Shop', 'b', { timeZone: 'Europe/Vienna' })
  apply(snapshot, 'Shop', 'gone', { timeZone: 'America/New_York' }, 1)
  const fill = createTimeZones({ analytics, snapshot })
  await fill()
  await fill()
  expect(
    await analytics.query('SELECT version, toString(timeZone) AS zone FROM shop_versions ORDER BY version'),
  ).toEqual([
    { version: 1, zone: 'Europe/Warsaw' },
    { version: 2, zone: 'Europe/Warsaw' },
    { version: 3, zone: 'Asia/Tokyo' },
    { version: 4, zone: 'America/New_York' },
    { version: 5, zone: '' },
  ])
})
