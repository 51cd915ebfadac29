import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../../infra/analytics/migrate.ts'
import type { Analytics } from '../../../infra/analytics/port.ts'
import { openTemporaryAnalytics } from '../../new-analytics.ts'

let analytics: Analytics
beforeAll(async () => {
  analytics = await openTemporaryAnalytics()
})
afterAll(() => analytics.close())

test('what a later version has added is left alone; what this version would damage is refused', async () => {
  const apply = (name: string) => analytics.insert('migrations', [{ name }], { token: name })
  await apply('998_more.sql')
  expect(await migrate(analytics)).toEqual([])
  await apply('999_other_meaning.breaking.sql')
  await expect(migrate(analytics)).rejects.toThrow(
    /^A later version .* \(999_other_meaning.breaking.sql\) .* start the later version/,
  )
})
