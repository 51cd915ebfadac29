import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Analytics } from '../../../../infra/analytics/port.ts'
import { applyRetention } from '../../../../infra/analytics/retention/apply-retention.ts'
import { readRetentionDays } from '../../../../infra/analytics/retention/retention-days.ts'
import { openTemporaryAnalytics } from '../../../new-analytics.ts'

let analytics: Analytics
beforeAll(async () => {
  analytics = await openTemporaryAnalytics()
})
afterAll(() => analytics.close())

const isAccepted = (days: number) => {
  const problems: string[] = []
  readRetentionDays('KEY', `page-views:${days}`, problems)
  return problems.length === 0
}

it('keeps the rows of today, however long the setting may ask for', async () => {
  const longest = [40_000, 36_500, 30_000, 20_000, 10_000, 1_000].find(isAccepted)!
  const now = Date.now()
  await applyRetention(analytics, { page_views: longest }, now)
  const view = { _topic: 'page-views', _partition: 0, _offset: 0, id: 'v', shopId: 's', cid: 'c', occurredAt: now }
  await analytics.insert('page_views', [view], { token: 'view' })
  await analytics.command('OPTIMIZE TABLE page_views FINAL')
  expect(await analytics.query('SELECT id FROM page_views')).toEqual([{ id: 'v' }])
})
