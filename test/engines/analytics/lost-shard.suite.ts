import { describe, expect, it } from 'vitest'
import { shardOf } from '../../../infra/analytics/clickhouse/cluster/row-split.ts'
import type { Analytics } from '../../../infra/analytics/port.ts'
import { reportMetrics } from '../../../schemas/http/panel/reports/reports.ts'
import { reportsApp } from '../../../services/registry/reports/app.ts'
import { factsOf } from '../../services/registry/reports/facts/facts.ts'
import { store } from '../../services/registry/reports/facts/stored.ts'
import { OPERATOR, openWorld, shops } from '../../services/registry/reports/world.ts'
import type { TwoShards } from './two-shards.ts'

const [KEPT, LOST] = [0, 1]
/** Reports of ad requests also look up which of them are forgotten, in a table that is not divided by shop. */
const METRICS = reportMetrics.filter((metric) => metric !== 'requests' && metric !== 'emissions')
const REPORTS = ['groupBy=day,campaign', 'groupBy=product', 'groupBy=adUnit,hour']

/** Kills the second of two shards and starts it again. */
export function lostShardSuite(cluster: () => { servers: TwoShards; analytics: Analytics }): void {
  describe('while a shard is away', () => {
    it('reports of shops of the other one are answered as before, and all others are refused', async () => {
      const { servers, analytics } = cluster()
      const world = await openWorld(analytics)
      world.server.register(reportsApp(world))
      await world.clear()
      await store(world, factsOf(1), 'lost shard')
      const range = `from=2026-01-01&to=2026-12-31&metrics=${METRICS.join()}`
      const headers = { authorization: `Bearer ${OPERATOR}` }
      const reportsOf = (shard: number) => {
        const ids = Object.keys(shops).filter((shopId) => shardOf(shopId, 2) === shard)
        expect(ids).not.toEqual([])
        const paths = ids.flatMap((id) => REPORTS.map((asked) => `/v1/panel/reports?${range}&shopId=${id}&${asked}`))
        return Promise.all(
          paths.map(async (url) => {
            const { statusCode, body } = await world.server.inject({ url, headers })
            return { url, statusCode, body: statusCode === 200 ? body : '' }
          }),
        )
      }
      const before = await reportsOf(KEPT)
      expect(before.map(({ statusCode }) => statusCode)).toEqual(before.map(() => 200))
      await servers.kill(LOST)
      expect(await reportsOf(KEPT)).toEqual(before)
      expect(new Set((await reportsOf(LOST)).map(({ statusCode }) => statusCode))).toEqual(new Set([503]))
      await servers.start(LOST)
      await expect.poll(async () => (await reportsOf(LOST)).every(({ statusCode }) => statusCode === 200)).toBe(true)
      await world.close()
    })
  })
}
