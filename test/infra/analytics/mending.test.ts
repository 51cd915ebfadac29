import { readdir, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { withMending } from '../../../infra/analytics/mending.ts'
import { type Analytics, AnalyticsRejected, AnalyticsUnavailable } from '../../../infra/analytics/port.ts'
import { openTemporaryAnalytics } from '../../new-analytics.ts'
import { waitFor } from '../../wait-for.ts'
import { mendingSuite } from './mending.suite.ts'

let analytics: Analytics
beforeAll(async () => {
  analytics = await openTemporaryAnalytics()
})
afterAll(() => analytics.close())

it('has a damaged skip index made again from the rows, by the first statement that meets it', async () => {
  const warnings: object[] = []
  const mending = withMending(analytics, { warn: (details) => warnings.push(details) })
  await mending.command(`CREATE TABLE indexed (n Int64, s String, INDEX by_s s TYPE minmax GRANULARITY 1)
    ENGINE = MergeTree ORDER BY n PARTITION BY n % 2`)
  for (const text of ['a', 'b']) {
    const rows = Array.from({ length: 10 }, (_, n) => ({ n, s: text }))
    await mending.insert('indexed', rows, { token: `indexed ${text}` })
  }
  await mending.command('OPTIMIZE TABLE indexed FINAL')
  const ofTable = "database = currentDatabase() AND table = 'indexed' AND active"
  const [part] = await mending.query<{ path: string }>(
    `SELECT path FROM system.parts WHERE ${ofTable} AND partition_id = '1'`,
  )
  // What a full disk leaves of the file.
  for (const file of await readdir(part!.path))
    if (/^skp_idx_by_s\..*mrk/.test(file)) await truncate(join(part!.path, file))
  await mending.command('SYSTEM DROP INDEX MARK CACHE')

  const counted = () => mending.query("SELECT count() AS rows FROM indexed WHERE s = 'b'")
  await expect(counted()).rejects.toBeInstanceOf(AnalyticsUnavailable)
  expect(await counted()).toEqual([{ rows: 10 }])
  expect(warnings).toMatchObject([{ table: 'indexed', partitionId: '1', index: 'by_s' }])
  const sizes = `SELECT min(secondary_indices_marks_bytes) > 0 AS whole FROM system.parts WHERE ${ofTable}`
  await waitFor(async () => Boolean((await mending.query<{ whole: number }>(sizes))[0]!.whole))
})

it('leaves other refusals as they are when indexes are mended', async () => {
  const warn = () => expect.unreachable()
  const refused = withMending(analytics, { warn }).query('SELECT nope')
  await expect(refused).rejects.toBeInstanceOf(AnalyticsRejected)
})

mendingSuite(() => analytics)
