import { OperatorError } from '../../../services/domain/errors.ts'
import { analyticsError } from '../errors.ts'
import { type Migrated, migrate } from '../migrate.ts'
import { AnalyticsRejected } from '../port.ts'
import { applyRetention } from '../retention/apply-retention.ts'
import type { RetentionDays } from '../retention/retention-days.ts'
import { type ClickHouseOptions, openServers } from './analytics.ts'
import { migrateCluster } from './cluster/migrate.ts'
import { shardedTables } from './cluster/sharded-tables.ts'
import { UnfitServers } from './cluster/topology.ts'
import { createFailover } from './failover.ts'
import type { Server } from './server.ts'

export interface ClickHouseTables extends ClickHouseOptions {
  /** Default: all rows are kept. */
  retentionDays?: RetentionDays
}

/**
 * Creates the database and brings its tables up to date. May be called repeatedly and by several processes at once, because every
 * statement may be repeated.
 * @returns the migrations applied now.
 * @throws AnalyticsUnavailable while the server, or one of the cluster, is away; OperatorError when it refuses, or a later version has changed the
 * tables; UnfitServers when these servers would not store rows exactly once.
 */
export async function migrateClickHouse(options: ClickHouseTables): Promise<string[]> {
  const { namespace, cluster = null, retentionDays = {} } = options
  const first = openServers({ ...options, namespace: 'default' })
  const servers = openServers(options)
  try {
    const create = (server: Server) => server.command(`CREATE DATABASE IF NOT EXISTS \`${namespace}\``)
    if (cluster !== null) {
      await Promise.all(first.map(create))
      return await migrateCluster(servers, { cluster, database: namespace, retentionDays })
    }
    await createFailover<Server>().once(first, create)
    return await createFailover<Server>().once(servers, async (server) => {
      await refuseClusters(server)
      const applied = await migrate(migratedOn(server))
      await refuseOthers(first, namespace)
      await applyRetention(migratedOn(server), retentionDays, Date.now())
      return applied
    })
  } catch (error) {
    const known = error instanceof OperatorError ? error : analyticsError(error)
    throw known instanceof AnalyticsRejected
      ? new OperatorError(`CLICKHOUSE_URL: the server refuses to make the tables: ${known.message}`)
      : known
  } finally {
    await Promise.all([...first, ...servers].map((server) => server.close()))
  }
}

const migratedOn = (server: Server): Migrated => ({
  command: (sql, params) => server.command(sql, params),
  query: (sql, params) => server.query(sql, params),
  insert: (table, rows, by) => server.insert(table, rows, by),
})

async function refuseClusters(server: Server): Promise<void> {
  if ((await shardedTables(server)).size === 0) return
  throw new UnfitServers('CLICKHOUSE_CLUSTER must be set: the tables of this database are those of a cluster')
}

/** Refuses addresses that lead to different servers, because each server has fences of its own. Those that do not answer are skipped. */
async function refuseOthers(servers: readonly Server[], name: string): Promise<void> {
  const asked = servers.map((server) =>
    server.query('SELECT toString(uuid) AS uuid FROM system.databases WHERE name = {name:String}', { name }),
  )
  const found = (await Promise.allSettled(asked)).filter((each) => each.status === 'fulfilled')
  if (new Set(found.map(({ value }) => JSON.stringify(value))).size <= 1) return
  const hosts = servers.map(({ host }) => host).join(', ')
  throw new UnfitServers(`CLICKHOUSE_URL: ${hosts} are different servers, which need CLICKHOUSE_CLUSTER`)
}
