import { OperatorError } from '../../../../services/domain/errors.ts'

/** A row of `system.clusters` on the server that was asked. It describes one server of the cluster. */
export interface ClusterRow {
  shard_num: number
  shard_weight: number
  internal_replication: number
  replica_num: number
  /** 1 for the server that was asked, otherwise 0. */
  is_local: number
}

/** What one server says of itself and of the cluster. */
export interface ServerView {
  /** Host and port of its address. */
  host: string
  rows: readonly ClusterRow[]
  /** The names of its macros. */
  macros: readonly string[]
}

export interface Topology {
  shards: number
  replicas: number
}

export const clusterRowsSql = `
SELECT shard_num, shard_weight, internal_replication, replica_num, is_local FROM system.clusters WHERE cluster = {cluster:String}`

export const macrosSql = 'SELECT macro FROM system.macros'

/** The shard that a server belongs to, counted from 0; null when it belongs to none. */
export function ownShard(rows: readonly ClusterRow[]): number | null {
  const own = rows.find(({ is_local }) => is_local === 1)
  return own ? own.shard_num - 1 : null
}

export function topologyOf(rows: readonly ClusterRow[]): Topology {
  const shards = new Set(rows.map(({ shard_num }) => shard_num)).size
  return { shards, replicas: Math.max(0, ...rows.map(({ replica_num }) => replica_num)) }
}

/**
 * The reasons why such a cluster would not store rows exactly once, each as a sentence that names the setting. `CLICKHOUSE_URL` must
 * name every server, because a fence holds only once every server knows it.
 */
export function topologyProblems(cluster: string, servers: readonly ServerView[]): string[] {
  const [first] = servers
  const unknown = servers.filter(({ rows }) => rows.length === 0)
  if (unknown.length > 0) {
    return unknown.map(
      ({ host }) => `CLICKHOUSE_CLUSTER: ${host} knows no cluster ${cluster} (remote_servers of its configuration)`,
    )
  }
  const shape = (rows: readonly ClusterRow[]) =>
    rows
      .map((row) => `${row.shard_num}/${row.replica_num}`)
      .sort()
      .join(' ')
  const others = servers.filter(({ rows }) => shape(rows) !== shape(first!.rows))
  const { shards, replicas } = topologyOf(first!.rows)
  const outside = servers.filter(({ rows }) => ownShard(rows) === null)
  const places = servers
    .map(({ rows }) => rows.find(({ is_local }) => is_local === 1))
    .filter((row) => row !== undefined)
  const twice = places.length - new Set(places.map((row) => `${row.shard_num}/${row.replica_num}`)).size
  const rows = first!.rows
  return [
    ...others.map(({ host }) => `CLICKHOUSE_CLUSTER: ${host} has another ${cluster} than ${first!.host}`),
    ...outside.map(({ host }) => `CLICKHOUSE_URL: ${host} is no server of the cluster ${cluster}`),
    ...(twice > 0
      ? ['CLICKHOUSE_URL names a server of the cluster twice, or a load balancer in front of several']
      : []),
    ...(servers.length < rows.length
      ? [`CLICKHOUSE_URL names ${servers.length} of the ${rows.length} servers of ${cluster}, and must name all`]
      : []),
    ...(rows.length !== shards * replicas
      ? [`CLICKHOUSE_CLUSTER: the shards of ${cluster} have different numbers of replicas`]
      : []),
    ...(rows.some(({ shard_weight }) => shard_weight !== 1)
      ? [`CLICKHOUSE_CLUSTER: shards of ${cluster} have a weight other than 1`]
      : []),
    ...(replicas > 1 && rows.some(({ internal_replication }) => internal_replication === 0)
      ? [
          `CLICKHOUSE_CLUSTER: shards of ${cluster} lack internal_replication, so each row would be stored once a replica`,
        ]
      : []),
    ...(replicas > 1
      ? servers
          .filter(({ macros }) => !['shard', 'replica'].every((name) => macros.includes(name)))
          .map(
            ({ host }) =>
              `CLICKHOUSE_CLUSTER: ${host} has no macros shard and replica, by which its tables are told from others`,
          )
      : []),
  ]
}

/** These servers would not store rows exactly once. The message names the setting. */
export class UnfitServers extends OperatorError {
  override readonly name = 'UnfitServers'
}
