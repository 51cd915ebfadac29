import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectClickHouse } from '../../../infra/analytics/clickhouse/analytics.ts'
import { migrateClickHouse } from '../../../infra/analytics/clickhouse/migrate.ts'
import { openEmbeddedAnalytics } from '../../../infra/analytics/embedded/analytics.ts'
import { storeIdentity } from '../../../infra/analytics/migrate.ts'
import { type Analytics, AnalyticsFenced } from '../../../infra/analytics/port.ts'
import { uncountedCellsQuery } from '../../../infra/analytics/queries/report-cells.ts'
import { clickTrafficSql, trafficSql } from '../../../infra/analytics/queries/signals/orders-and-traffic.ts'
import { tablesWithRows } from '../../../infra/analytics/queries/system/tables.ts'
import { countStoredRows, readClosedUntil } from '../../../infra/analytics/retention/closed-months.ts'
import { completeSince } from '../../../infra/analytics/retention/complete-since.ts'
import { views } from '../../../infra/analytics/views.ts'
import { DAY_MS } from '../../../schemas/durations.ts'
import { reportMetrics } from '../../../schemas/http/panel/reports/reports.ts'
import { Snapshot } from '../../../services/domain/snapshot.ts'
import { reportsApp } from '../../../services/registry/reports/app.ts'
import { createEmissionRetention } from '../../../streams/report-counts/emission-retention.ts'
import { createReportCounts } from '../../../streams/report-counts/report-counts.ts'
import { shopCells } from '../../../streams/report-counts/shop-cells.ts'
import { createActivity } from '../../../streams/signals/activity.ts'
import { createForgetting } from '../../../streams/signals/forgetting.ts'
import { analyticsSuite } from '../../ports/analytics.suite.ts'
import { factsOf } from '../../services/registry/reports/facts/facts.ts'
import { store } from '../../services/registry/reports/facts/stored.ts'
import { apply, openWorld as openReports } from '../../services/registry/reports/world.ts'
import { emission, T0 } from '../../streams/attribution/events.ts'
import { openWorld, SMALL_PARTS } from '../../streams/attribution/world.ts'
import { testNamespace } from '../addresses.ts'
import { analystSuite } from './analyst.suite.ts'
import { connectAnalyst } from './analyst.ts'
import { killedShardSuite } from './killed-shard.suite.ts'
import { lostShardSuite } from './lost-shard.suite.ts'
import { startTwoShards, type TwoShards } from './two-shards.ts'
import { history, SHOPS, voided } from './two-shops.ts'

/** Higher than the epochs that the port's suite raises. */
const EPOCH = 100
const namespace = testNamespace()
const folder = mkdtempSync(join(tmpdir(), 'cluster-'))
let servers: TwoShards
let options: Parameters<typeof connectClickHouse>[0]
let embedded: Analytics
let analytics: Analytics
beforeAll(async () => {
  servers = await startTwoShards(namespace)
  options = { url: servers.url, cluster: servers.cluster, namespace }
  embedded = await openEmbeddedAnalytics({ folder: join(folder, 'embedded') })
  await migrateClickHouse(options)
  analytics = connectClickHouse(options)
})
afterAll(async () => {
  await analytics.close()
  await embedded.close()
  await servers.remove()
  rmSync(folder, { recursive: true })
})

analyticsSuite('ClickHouse cluster', async () => connectClickHouse(options), { canPause: false })

const SINCE_DAY = Math.floor(T0 / DAY_MS) - 30

const shardsOf = (table: string) =>
  analytics.query<{ shopId: string; shard: number }>(
    `SELECT DISTINCT shopId, _shard_num AS shard FROM ${table} ORDER BY shard`,
  )

describe('two shards', () => {
  it('credit the same lines as one store, and answer reports and views alike', async () => {
    const answers = []
    for (const engine of [embedded, analytics]) {
      const world = await openWorld(engine, EPOCH)
      const happenings = history()
      const activity = createActivity({ log: world.log, analytics: engine })
      for (const part of [happenings.slice(0, 60), happenings.slice(60), voided]) {
        await world.store(part)
        await world.attribute({ limits: SMALL_PARTS })
        await activity.look(SINCE_DAY)
        await activity.count(SINCE_DAY)
      }
      const traffic = { shopIds: SHOPS, timeZone: 'Europe/Berlin', since: T0 }
      answers.push({
        lines: await engine.query<{ outcome: string }>(
          'SELECT * FROM attributed_lines FINAL ORDER BY shopId, kind, eventId, line',
        ),
        linear: await world.whatIf('LINEAR'),
        signals: await engine.query('SELECT * EXCEPT version FROM signal_days FINAL ORDER BY ALL'),
        clicks: await engine.query(`${clickTrafficSql} ORDER BY shopId`, { shopIds: SHOPS, sinceDay: SINCE_DAY }),
        hours: await engine.query(`${trafficSql} ORDER BY shopId, hour`, traffic),
        explained: await world.explain('o1'),
        views: await Promise.all(Object.keys(views).map((view) => engine.query(`SELECT * FROM ${view} ORDER BY ALL`))),
      })
    }
    expect(new Set(answers[0]!.lines.map(({ outcome }) => outcome)).size).toBeGreaterThan(1)
    expect(answers[1]).toEqual(answers[0])
    const analyst = connectAnalyst(servers.urls[1]!, namespace)
    for (const [i, view] of Object.keys(views).entries()) {
      expect(await analyst.query(`SELECT * FROM ${view} ORDER BY ALL`), view).toEqual(answers[0]!.views[i])
    }
    await analyst.close()
    const places = SHOPS.map((shopId, i) => ({ shopId, shard: i + 1 }))
    for (const table of ['transactions', 'touches', 'links_by_uid', 'attributed_lines', 'signal_days']) {
      expect(await shardsOf(table), table).toEqual(places)
    }
  })

  it('answer reports of several shops as one store does', async () => {
    const worlds = await Promise.all([embedded, analytics].map((engine) => openReports(engine)))
    for (const world of worlds) {
      world.server.register(reportsApp(world))
      await world.clear()
      await store(world, factsOf(1), 'reports')
    }
    for (const asked of ['day,campaign', 'shop,adUnit', 'product&shopId=warsaw']) {
      const path = `/v1/panel/reports?from=2026-01-01&to=2026-12-31&metrics=${reportMetrics.join()}&groupBy=${asked}`
      const [one, two] = await Promise.all(worlds.map((world) => world.get(path)))
      expect(one!.status, JSON.stringify(one!.body)).toBe(200)
      expect(two!.body, path).toEqual(one!.body)
    }
    for (const world of worlds) await world.close()
  })

  it('refuse an earlier epoch on each of them', async () => {
    const rows = SHOPS.map((shopId, n) => ({ _partition: 9, _offset: n, shopId }))
    await analytics.raiseFences([{ scope: 'both', epoch: 2 }])
    for (const row of rows) {
      const late = analytics.insert('page_views', [row], { fences: [{ scope: 'both', epoch: 1 }] })
      await expect(late).rejects.toBeInstanceOf(AnalyticsFenced)
    }
    expect(await analytics.query('SELECT count() AS rows FROM page_views WHERE _partition = 9')).toEqual([{ rows: 0 }])
  })

  it('change their tables together, and keep rows of a removed column from neither', async () => {
    await analytics.command('CREATE TABLE grown (shopId String, n Int64) ENGINE = MergeTree ORDER BY n')
    await analytics.command('ALTER TABLE grown ADD COLUMN IF NOT EXISTS m Int64 DEFAULT 7')
    const rows = SHOPS.map((shopId, n) => ({ shopId, n }))
    await analytics.insert('grown', rows, { fences: [{ scope: 'grown', epoch: 1 }] })
    expect(await analytics.query('SELECT n, m FROM grown ORDER BY n')).toEqual([
      { n: 0, m: 7 },
      { n: 1, m: 7 },
    ])
    await analytics.command('TRUNCATE TABLE grown')
    expect(await analytics.query('SELECT * FROM grown')).toEqual([])
    await analytics.command('DROP TABLE grown SYNC')
    await expect(analytics.query('SELECT * FROM grown')).rejects.toThrow()
  })

  it('may be migrated by several processes at once, and again', async () => {
    const fresh = { ...options, namespace: testNamespace() }
    await Promise.all([migrateClickHouse(fresh), migrateClickHouse(fresh)])
    expect(await migrateClickHouse(fresh)).toEqual([])
  })

  it('have one identity, whichever process asks first', async () => {
    const identities = await Promise.all(['a', 'b'].map((id) => storeIdentity(analytics, () => id)))
    expect(new Set(identities).size).toBe(1)
    expect(await storeIdentity(analytics, () => 'c')).toBe(identities[0])
  })

  it('forget rows on every server after the days that are set, and keep them again', async () => {
    const day = Date.now() - 70 * 86_400_000
    const rows = SHOPS.map((shopId) => ({ ...{ shopId, id: shopId, _offset: 1 }, occurredAt: day, receivedAt: day }))
    const stored = async () => (await analytics.query<{ n: number }>('SELECT count() AS n FROM page_views'))[0]!.n
    await analytics.command('TRUNCATE TABLE page_views')
    await analytics.insert('page_views', rows, { fences: [{ scope: 'old', epoch: 1 }] })
    await migrateClickHouse({ ...options, retentionDays: { page_views: 90 } })
    expect(await stored()).toBe(2)
    await migrateClickHouse({ ...options, retentionDays: { page_views: 60 } })
    await expect.poll(stored).toBe(0)
    await migrateClickHouse(options)
    await analytics.insert('page_views', rows, { fences: [{ scope: 'old', epoch: 1 }] })
    await analytics.command('OPTIMIZE TABLE page_views FINAL')
    expect(await stored()).toBe(2)
    const now = Date.now()
    const since = (await completeSince({ analytics, now: () => now }))('page_views')
    expect(Math.floor((now - since) / 86_400_000)).toBe(60)
    await analytics.command('TRUNCATE TABLE page_views')
  })

  it('forget past days of signals on every server', async () => {
    const days = [40, 75, 100]
    const rows = SHOPS.flatMap((shopId) => days.map((day) => ({ shopId, day, id: 'p', version: 1 })))
    await analytics.command('TRUNCATE TABLE signal_days')
    await analytics.insert('signal_days', rows, { fences: [{ scope: 'days', epoch: 1 }] })
    await createForgetting(analytics, 'signal_days')(95)
    expect(await analytics.query('SELECT shopId, day FROM signal_days ORDER BY shopId, day')).toEqual(
      SHOPS.toSorted().map((shopId) => ({ shopId, day: 100 })),
    )
    await analytics.command('TRUNCATE TABLE signal_days')
  })

  it('are not taken for empty while one of them has rows', async () => {
    for (const table of ['page_views', 'transactions']) await analytics.command(`TRUNCATE TABLE ${table}`)
    for (const shopId of SHOPS) {
      await analytics.insert('page_views', [{ shopId, id: 'v' }], { fences: [{ scope: 'held', epoch: 1 }] })
      const held = await tablesWithRows(analytics)
      expect(held).toContain('page_views')
      expect(held).not.toContain('transactions')
      await analytics.command('TRUNCATE TABLE page_views')
      expect(await tablesWithRows(analytics)).not.toContain('page_views')
    }
  })

  it('drop closed months of ad requests on every server, and know them by their counts', async () => {
    const snapshot = new Snapshot()
    for (const shopId of SHOPS) apply(snapshot, 'Shop', shopId, { timeZone: 'Europe/Warsaw', currency: 'PLN' })
    await analytics.command('TRUNCATE TABLE emissions')
    const times = ['2026-03-01', '2026-03-31T23:10:00Z', '2026-04-01T02:00:00Z', '2026-06-01'].map((at) =>
      Date.parse(at),
    )
    const rows = SHOPS.flatMap((shopId) =>
      times.map((at) => ({ _offset: 1, ...emission({ id: `${shopId}${at}`, shopId, cid: 'c', uid: null, at }) })),
    )
    await analytics.insert('emissions', rows, { fences: [{ scope: 'emissions', epoch: 1 }] })
    const log = { committed: async () => [], bounds: async () => [], read: async () => [] }
    const deps = { log, analytics, snapshot, days: 60, now: () => Date.parse('2026-07-01') }
    for (const turn of [createReportCounts(deps), createEmissionRetention(deps).turn]) {
      while (await turn()) {
        // Each turn handles only part of the rows.
      }
    }
    expect(await readClosedUntil(analytics)).toBe(Date.parse('2026-05-01'))
    expect(await analytics.query('SELECT shopId, occurredAt FROM emissions ORDER BY shopId')).toEqual(
      SHOPS.toSorted().map((shopId) => ({ shopId, occurredAt: times[3] })),
    )
    expect(await countStoredRows(analytics)).toBe(rows.length)
    const days = `SELECT shopId, toInt64(sum(facts)) AS requests FROM report_counts FINAL WHERE fact = 'request' AND cut = 'day'
      GROUP BY shopId ORDER BY shopId`
    expect(await analytics.query(days)).toEqual(SHOPS.toSorted().map((shopId) => ({ shopId, requests: times.length })))
    const due = uncountedCellsQuery(
      ['EMISSIONS'],
      shopCells(snapshot.allEver('Shop'), { start: times[0]!, end: times[3]! }),
      Date.parse('2026-05-01'),
    )!
    expect(await analytics.query(due.sql, due.params)).toEqual([])
    for (const table of ['emissions', 'forgotten_rows', 'report_closed_quarters', 'report_cells', 'report_counts'])
      await analytics.command(`TRUNCATE TABLE ${table}`)
  })

  it('are refused where rows would not be stored exactly once', async () => {
    const refused = (changed: Partial<typeof options>) =>
      migrateClickHouse({ ...options, ...changed }).then(() => '', String)
    expect(await refused({ url: servers.urls[0]! })).toContain('CLICKHOUSE_URL names 1 of the 2 servers of two')
    expect(await refused({ url: `${servers.urls[0]},${servers.urls[0]}` })).toContain('CLICKHOUSE_URL names a server')
    expect(await refused({ cluster: 'three' })).toContain('knows no cluster three')
    expect(await refused({ cluster: null })).toContain('CLICKHOUSE_CLUSTER must be set')
    const without = { cluster: null, namespace: testNamespace() }
    expect(await refused(without)).toContain('are different servers, which need CLICKHOUSE_CLUSTER')
    expect(await refused({ ...without, cluster: 'two' })).toContain('was made without a cluster')
  })
})

analystSuite(() => ({ url: servers.urls[0]!, namespace, analytics }))

lostShardSuite(() => ({ servers, analytics }))

killedShardSuite(() => ({ servers, options, folder }))
