import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { openEmbeddedAnalytics } from '../../../../infra/analytics/embedded/analytics.ts'
import { analyticsSuite } from '../../../ports/analytics.suite.ts'

const folder = await mkdtemp(join(tmpdir(), 'analytics-'))
afterAll(() => rm(folder, { recursive: true }))

analyticsSuite('embedded', () => openEmbeddedAnalytics({ folder }))

it('removes the files of merged parts without a thread for each', async () => {
  const analytics = await openEmbeddedAnalytics({ folder })
  const partsOf = (active: number) =>
    analytics.query(`SELECT name FROM system.parts WHERE table = 'merged' AND active = ${active}`)
  const threads = async () => {
    const sql = "SELECT value FROM system.metrics WHERE metric = 'GlobalThread'"
    return (await analytics.query<{ value: number }>(sql))[0]!.value
  }
  await analytics.command(`
    CREATE TABLE merged (number UInt64) ENGINE = MergeTree ORDER BY number
    SETTINGS old_parts_lifetime = 1, cleanup_delay_period = 1, cleanup_delay_period_random_add = 0,
      max_cleanup_delay_period = 1, concurrent_part_removal_threshold = 10`)
  const before = await threads()
  for (let number = 0; number < 40; number++)
    await analytics.insert('merged', [{ number }], { token: `part ${number}` })
  await analytics.command('OPTIMIZE TABLE merged FINAL')
  await expect.poll(() => partsOf(0)).toEqual([])
  expect(await partsOf(1)).toHaveLength(1)
  expect(await threads()).toBeLessThan(before + 10)
  await analytics.command('DROP TABLE merged SYNC')
  await analytics.close()
})
