import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { connectClickHouse } from '../../../infra/analytics/clickhouse/analytics.ts'
import { migrateClickHouse } from '../../../infra/analytics/clickhouse/migrate.ts'
import { migrate } from '../../../infra/analytics/migrate.ts'
import { AnalyticsUnavailable } from '../../../infra/analytics/port.ts'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import { rebuildAnalytics } from '../../../streams/rebuild/rebuild.ts'
import { tablesOf } from '../../../streams/sink/rows.ts'
import { createSink } from '../../../streams/sink/sink.ts'
import { pageView, T0 } from '../../streams/attribution/events.ts'
import { bytesOf, type Happening, keyOf } from '../../streams/attribution/happenings.ts'
import type { TwoShards } from './two-shards.ts'
import { SHOPS } from './two-shops.ts'

/** The age after which the sink stores what it has. */
const AGE_MS = 2_000

/** Kills one of two shards and starts it again; the tables that the sink fills are emptied before. */
export function killedShardSuite(
  cluster: () => { servers: TwoShards; options: Parameters<typeof connectClickHouse>[0]; folder: string },
): void {
  describe('a shard that is killed while the sink stores', () => {
    it('holds back what it lacks, leaves the other one to be read, and has every record once when it is back', async () => {
      const { servers, options, folder } = cluster()
      const log = await openEmbeddedEventLog({ folder: join(folder, 'log') })
      let appended = 0
      const append = () =>
        log.append(
          Array.from({ length: 200 }, () => {
            const id = `view${appended++}`
            const value = pageView({ id, cid: id, uid: null, shopId: SHOPS[appended % 2]!, at: T0 })
            const happening: Happening = { topic: 'page-views', value }
            return { topic: 'page-views', key: keyOf(happening), value: bytesOf(happening) } as const
          }),
        )
      let now = T0
      let failed = 0
      const logger = { info() {}, warn() {}, error: () => void failed++ }
      const quick = connectClickHouse({ ...options, insertTimeoutMs: 2_000, statementTimeoutMs: 10_000 })
      for (const { table } of Object.values(tablesOf).flat()) await quick.command(`TRUNCATE TABLE ${table}`)
      const retry = { firstMs: 20, maxMs: 200 }
      const sink = createSink({ log, analytics: quick, now: () => now, logger, retry, gather: () => delay(5) })
      const ended = sink.run()
      const isDone = async () => {
        now += AGE_MS
        return (await sink.lag()).every(({ records }) => records === 0)
      }
      const query = { interval: 50 }
      await append()
      await expect.poll(isDone, query).toBe(true)
      for (let round = 0; round < 3; round++) await append()
      now += AGE_MS
      await delay(5)
      await servers.kill(1)
      await append()
      const failures = () => {
        now += AGE_MS
        return failed
      }
      await expect.poll(failures, query).toBeGreaterThan(0)
      const stored = "SELECT count() > 0 AS stored FROM page_views WHERE shopId = {shopId:String} AND cid != ''"
      expect(await quick.query(stored, { shopId: SHOPS[0] })).toEqual([{ stored: 1 }])
      await expect(quick.query(stored, { shopId: SHOPS[1] })).rejects.toBeInstanceOf(AnalyticsUnavailable)
      expect(await isDone()).toBe(false)
      await servers.start(1)
      await expect.poll(isDone, query).toBe(true)
      await sink.stop()
      await ended
      expect(
        await quick.query(
          'SELECT count() AS rows, uniqExact(_partition, _offset) AS records, uniqExact(id) AS ids FROM page_views',
        ),
      ).toEqual([{ rows: appended, records: appended, ids: appended }])
      const proofs = await rebuildAnalytics({
        log,
        analytics: quick,
        migrate,
        now: Date.now,
        runId: randomUUID,
        logger,
      })
      // The other tables have rows that were in no log, so only this one is compared.
      expect(proofs).toContainEqual(
        expect.objectContaining({ table: 'page_views', rowsBefore: appended, rowsAfter: appended, equal: true }),
      )
      expect(await migrateClickHouse(options)).toEqual([])
      await quick.close()
      await log.close()
    })
  })
}
