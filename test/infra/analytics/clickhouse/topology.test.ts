import { expect, it } from 'vitest'
import {
  type ClusterRow,
  type ServerView,
  topologyProblems,
} from '../../../../infra/analytics/clickhouse/cluster/topology.ts'

/** The servers of a cluster as each of them sees it in `system.clusters`. */
function clusterOf(shards: number, replicas: number, changed: Partial<ClusterRow> = {}): ServerView[] {
  const places = Array.from({ length: shards * replicas }, (_, n) => ({
    shard_num: Math.floor(n / replicas) + 1,
    replica_num: (n % replicas) + 1,
  }))
  return places.map((own, at) => ({
    host: `ch${at}`,
    macros: ['shard', 'replica'],
    rows: places.map((place) => ({
      ...place,
      ...{ shard_weight: 1, internal_replication: 1, is_local: Number(place === own) },
      ...changed,
    })),
  }))
}
const problems = (servers: readonly ServerView[]) => topologyProblems('main', servers)

it('a cluster is fit whose servers are all named, with or without replicas', () => {
  expect(problems(clusterOf(3, 2))).toEqual([])
  expect(problems(clusterOf(2, 1, { internal_replication: 0 }).map((each) => ({ ...each, macros: [] })))).toEqual([])
})

it('a cluster on which rows would not be stored exactly once is refused, with the setting', () => {
  const [a, b, c, d] = clusterOf(2, 2) as [ServerView, ServerView, ServerView, ServerView]
  expect(problems([a, b, c])).toEqual(['CLICKHOUSE_URL names 3 of the 4 servers of main, and must name all'])
  expect(problems([a, b, c, d, d])).toEqual([expect.stringMatching(/^CLICKHOUSE_URL names a server .* twice/)])
  expect(problems([a, b, c, { ...d, rows: [] }])).toEqual([expect.stringMatching(/^CLICKHOUSE_CLUSTER: ch3 knows no/)])
  const outside = { ...d, host: 'other', rows: d.rows.map((row) => ({ ...row, is_local: 0 })) }
  expect(problems([a, b, c, d, outside])).toEqual(['CLICKHOUSE_URL: other is no server of the cluster main'])
  const otherwise = { ...d, rows: d.rows.map((row) => ({ ...row, shard_num: 1 + (row.shard_num % 2) })).slice(1) }
  expect(problems([a, b, c, otherwise])).toContainEqual('CLICKHOUSE_CLUSTER: ch3 has another main than ch0')
  expect(problems(clusterOf(2, 2, { shard_weight: 2 }))).toEqual([expect.stringContaining('weight other than 1')])
  expect(problems(clusterOf(2, 2, { internal_replication: 0 }))).toEqual([
    expect.stringMatching(/^CLICKHOUSE_CLUSTER: .*internal_replication/),
  ])
  expect(problems([{ ...a, macros: ['shard'] }, b, c, d])).toEqual([expect.stringContaining('ch0 has no macros')])
  const uneven = clusterOf(2, 2)
    .slice(0, 3)
    .map((each) => ({ ...each, rows: each.rows.slice(0, 3) }))
  expect(problems(uneven)).toEqual([expect.stringContaining('different numbers of replicas')])
})
