import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { AnalyticsFenced } from '../../../infra/analytics/port.ts'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import { restoreSinkCommits } from '../../../streams/sink/lost-commits.ts'
import { SINK_GROUP } from '../../../streams/sink/offset-metadata.ts'
import { openTemporaryAnalytics } from '../../new-analytics.ts'
import { T0 } from '../attribution/events.ts'
import { happened } from '../attribution/happenings.ts'
import { openWorld, record, view } from './world.ts'

const { world, query, drain, beginAgain } = openWorld(openTemporaryAnalytics)
const DAY_MS = 86_400_000
const silent = { info() {}, warn() {}, error() {} }

/** What Kafka does with the commits of a group that had no member for `offsets.retention.minutes`. An operator may delete some of them. */
async function forgetCommits(of = (_topic: string) => true): Promise<void> {
  const kept = (await world.log.committed(SINK_GROUP)).filter(({ topic }) => !of(topic))
  await world.log.reset(SINK_GROUP, null)
  await world.log.reset(SINK_GROUP, kept)
}
const append = (from: number, to: number) =>
  world.log.append(Array.from({ length: to - from }, (_, i) => record(view(`v${from + i}`, `c${i}`))))
const storedIds = async () => (await query<{ id: string }>('SELECT id FROM page_views')).map(({ id }) => id).sort()
const ids = (count: number) => Array.from({ length: count }, (_, i) => `v${i}`).sort()

it('a sink begins a new log at its start while the tables are empty', async () => {
  await forgetCommits()
  await append(0, 10)
  await drain()
  expect(await storedIds()).toEqual(ids(10))
})

it('tables of another log are refused, with what to do', async () => {
  await append(0, 10)
  await drain()
  const folder = await mkdtemp(join(tmpdir(), 'another-'))
  const log = await openEmbeddedEventLog({ folder })
  onTestFinished(async () => {
    await log.close()
    await rm(folder, { recursive: true })
  })
  const deps = { log, analytics: world.analytics, now: () => T0, logger: silent }
  await expect(restoreSinkCommits(deps)).rejects.toThrow('they belong to another log')
  expect(await log.committed(SINK_GROUP)).toEqual([])
})

it('a sink whose commits are forgotten stores no record again, and those that its last batch lacks', async () => {
  await append(0, 40)
  await drain()
  expect(await storedIds()).toEqual(ids(40))
  // As if the last batch had been stored in part, and a partition had been taken over many times.
  await world.analytics.command("DELETE FROM page_views WHERE id IN ('v3', 'v7')")
  expect(await storedIds()).toHaveLength(38)
  const earlier = { scope: 'page-views/0', epoch: world.epoch + 50 }
  await world.analytics.raiseFences([earlier])
  await forgetCommits()
  await append(40, 60)
  await drain()
  expect(await storedIds()).toEqual(ids(60))
  const [row] = await query<object>('SELECT * FROM page_views WHERE _partition = 0')
  const late = world.analytics.insert('page_views', [row!], { fences: [earlier] })
  await expect(late).rejects.toBeInstanceOf(AnalyticsFenced)
  await append(60, 70)
  await drain()
  expect(await storedIds()).toEqual(ids(70))
})

it('a sink that has lost the commits of one topic stores none of its records again, and goes on in the others', async () => {
  // The epochs that the test before has raised stay in the store.
  world.epoch = T0 + DAY_MS
  await beginAgain()
  world.time = T0 + 2 * DAY_MS
  const emissions = (from: number, to: number) =>
    world.log.append(
      Array.from({ length: to - from }, (_, i) =>
        record(happened.emission({ id: `e${from + i}`, cid: `c${i}`, uid: null, at: T0 })),
      ),
    )
  await append(0, 40)
  await emissions(0, 10)
  await drain()
  await world.analytics.command("DELETE FROM page_views WHERE id = 'v3'")
  await forgetCommits((topic) => topic === 'page-views')
  await append(40, 50)
  await emissions(10, 20)
  await drain()
  expect(await storedIds()).toEqual(ids(50))
  expect(await query('SELECT count() AS rows, uniqExact(requestId) AS requests FROM emissions')).toEqual([
    { rows: 20, requests: 20 },
  ])
})
