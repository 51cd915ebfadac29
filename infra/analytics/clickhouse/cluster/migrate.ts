import { type Migrated, migrate } from '../../migrate.ts'
import { applyRetention } from '../../retention/apply-retention.ts'
import type { RetentionDays } from '../../retention/retention-days.ts'
import { raiseStatement } from '../fences.ts'
import type { Server } from '../server.ts'
import {
  type ClusterLayout,
  localized,
  localName,
  PER_SERVER,
  placementOf,
  type ShardedTables,
  shardsComment,
} from './ddl.ts'
import { shardedTables } from './sharded-tables.ts'
import { quorumOf } from './sharded-writes.ts'
import { type ClusterRow, clusterRowsSql, macrosSql, topologyOf, topologyProblems, UnfitServers } from './topology.ts'

const IS_INSERT = /^\s*INSERT\s/i
/** Only these statements of migrations change which tables there are. */
const CHANGES_TABLES = /^\s*(CREATE|DROP)\s+TABLE\s/i

/**
 * Brings the tables of every server up to date, one server after the other. Each server records which migrations were applied on it,
 * so that one that joins later gets all of them.
 * @returns the migrations applied now on any of them.
 */
export async function migrateCluster(
  servers: readonly Server[],
  { cluster, database, retentionDays }: Pick<ClusterLayout, 'cluster' | 'database'> & { retentionDays: RetentionDays },
): Promise<string[]> {
  const views = await Promise.all(
    servers.map(async (server) => ({
      host: server.host,
      rows: await server.query<ClusterRow>(clusterRowsSql, { cluster }),
      macros: (await server.query<{ macro: string }>(macrosSql)).map(({ macro }) => macro),
    })),
  )
  const problems = topologyProblems(cluster, views)
  if (problems.length > 0) throw new UnfitServers(problems.join('\n'))
  const { shards, replicas } = topologyOf(views[0]!.rows)
  const layout = { cluster, database, shards, isReplicated: replicas > 1 }
  const applied = new Set<string>()
  const each = servers.map((server, at) => {
    const isFirstReplica = views[at]!.rows.some(({ is_local, replica_num }) => is_local === 1 && replica_num === 1)
    return { server, tables: migratedOn(server, layout, { isFirstReplica, replicas }) }
  })
  for (const { server, tables } of each) {
    await refuseOtherShards(server, shards)
    for (const name of await migrate(tables)) applied.add(name)
  }
  // Retention writes to a sharded table, which every server has by now.
  for (const { tables } of each) await applyRetention(tables, retentionDays, Date.now())
  await shareFences(servers)
  return [...applied]
}

/** A server as migrations see it: a statement about a table changes the server's local table. */
function migratedOn(
  server: Server,
  layout: ClusterLayout,
  { isFirstReplica, replicas }: { isFirstReplica: boolean; replicas: number },
): Migrated {
  let sharded: ShardedTables | null = null
  return {
    query: (sql, params) => server.query(sql, params),
    insert: (table, rows, by) => server.insert(table, rows, by),
    async command(sql, params) {
      sharded ??= await shardedTables(server)
      if (IS_INSERT.test(sql)) {
        // The other replicas of the shard get the rows from the first one.
        if (isFirstReplica) await server.command(localized(sql, sharded), params, quorumOf(replicas))
        return
      }
      const placement = placementOf(sql, layout, sharded)
      const statements = placement.on === 'EVERY_SERVER' ? placement.statements : [sql]
      for (const statement of statements) await server.command(statement, params)
      if (CHANGES_TABLES.test(sql)) sharded = null
    },
  }
}

/** Refuses tables that were made for another number of shards, because rows stay on the shard where they were stored. */
async function refuseOtherShards(server: Server, shards: number): Promise<void> {
  const tables = await server.query<{ name: string; engine: string; comment: string }>(
    `SELECT name, engine, comment FROM system.tables WHERE database = currentDatabase()`,
  )
  const whole = tables.find(({ name, engine }) => engine.endsWith('MergeTree') && isWhole(name))
  if (whole) {
    throw new UnfitServers(
      `CLICKHOUSE_CLUSTER: ${whole.name} on ${server.host} was made without a cluster; remove it first`,
    )
  }
  const other = tables.find(({ engine, comment }) => engine === 'Distributed' && comment !== shardsComment(shards))
  if (other) {
    throw new UnfitServers(
      `CLICKHOUSE_CLUSTER: ${other.name} on ${server.host} is ${other.comment}, and the cluster has ${shards} now`,
    )
  }
}

const isWhole = (table: string) => !PER_SERVER.has(table) && !table.endsWith(localName(''))

/** Gives every server the fences of all: a new server has none, and would store what the others refuse. */
async function shareFences(servers: readonly Server[]): Promise<void> {
  const known = await Promise.all(
    servers.map((server) =>
      server.query<{ scope: string; epoch: number }>('SELECT scope, max(epoch) AS epoch FROM fences GROUP BY scope'),
    ),
  )
  const fences = [...Map.groupBy(known.flat(), ({ scope }) => scope)].map(([scope, each]) => ({
    scope,
    epoch: Math.max(...each.map(({ epoch }) => epoch)),
  }))
  const isMissing = (has: typeof fences) =>
    fences.some(({ scope, epoch }) => !has.some((each) => each.scope === scope && each.epoch === epoch))
  for (const [at, server] of servers.entries()) {
    if (isMissing(known[at]!)) await server.command(raiseStatement(fences))
  }
}
