import type { ClickHouseSettings } from '@clickhouse/client'
import { createCallGuard } from '../../call-guard.ts'
import { listOf } from '../../settings.ts'
import { analyticsError } from '../errors.ts'
import { type Analytics, AnalyticsUnavailable } from '../port.ts'
import { unfinishedMutationsOf } from '../queries/system/mutations.ts'
import { CLUSTER_SETTINGS, createShardedWrites, type Writes } from './cluster/sharded-writes.ts'
import { createFailover, type Failover } from './failover.ts'
import { openServer, type Server } from './server.ts'

/** A block whose insert has timed out may still be stored later. */
const INSERT_TIMEOUT_MS = 30_000
/** Attribution computes a slice within seconds, and reports have a shorter limit of their own. */
const STATEMENT_TIMEOUT_MS = 120_000
/** Calls that may run or wait at once; further ones are refused. */
const CALLS_MAX = 500

export interface ClickHouseOptions {
  /** `http://user:password@host:8123`: every server of the cluster, or ways to the one server, separated by commas. */
  url: string
  /** Name of the cluster in the configuration of its servers; null when one server has all tables. */
  cluster?: string | null
  /** The database that holds the tables. */
  namespace: string
  insertTimeoutMs?: number
  statementTimeoutMs?: number
}

/**
 * The store on ClickHouse, over HTTP. Returns at once and connects on the first call. Its tables are created by
 * `migrateClickHouse`.
 */
export function connectClickHouse(options: ClickHouseOptions): Analytics {
  const { namespace, cluster = null } = options
  const servers = openServers(options)
  const failover = createFailover<Server>()
  const writes =
    cluster === null
      ? oneServersWrites(servers, failover)
      : createShardedWrites({ servers, failover, cluster, database: namespace })
  const guard = createCallGuard({
    engine: 'The analytics store',
    callsMax: CALLS_MAX,
    Unavailable: AnalyticsUnavailable,
    errorOf: analyticsError,
  })

  /** The calls of the port. Calls that any one server can answer go to one of `some`. */
  const callsOn = (some: readonly Server[], of: Writes): Analytics => ({
    insert: (table, rows, by) =>
      guard.run(async () => {
        if (rows.length > 0) await of.insert(table, rows, by)
      }),
    raiseFences: (fences) =>
      guard.run(async () => {
        if (fences.length > 0) await of.raiseFences(fences)
      }),
    pauseInserts: (pause, scopes, forMs) => guard.run(() => of.pauseInserts(pause, scopes, forMs)),
    resumeInserts: (pause) => guard.run(() => of.resumeInserts(pause)),
    query: <Row extends object>(sql: string, params = {}) =>
      guard.run(() => failover.repeatable(some, (server) => server.query<Row>(sql, params))),
    queryParquet: (sql, params) =>
      guard.run(() => failover.repeatable(some, (server) => server.queryParquet(sql, params))),
    ping: () => guard.run(() => failover.repeatable(some, (server) => server.ping())),
    command: (sql, params) => guard.run(() => of.command(sql, params)),
    unfinishedMutations: (tables) => guard.run(() => of.unfinishedMutations(tables)),
    onOneServer: async () => callsOnServer(await guard.run(() => failover.repeatable(some, reached))),
    eachServer: () => servers.map(callsOnServer),
    async close() {
      guard.close()
      await Promise.all(servers.map((server) => server.close()))
    },
  })
  const callsOnServer = (server: Server) =>
    callsOn([server], { ...writes, command: (sql, params) => writes.commandOn(server, sql, params) })

  return callsOn(servers, writes)
}

async function reached(server: Server): Promise<Server> {
  await server.ping()
  return server
}

export function openServers({
  url,
  cluster = null,
  namespace,
  insertTimeoutMs = INSERT_TIMEOUT_MS,
  statementTimeoutMs = STATEMENT_TIMEOUT_MS,
}: ClickHouseOptions): Server[] {
  const settings: ClickHouseSettings = cluster === null ? {} : CLUSTER_SETTINGS
  return listOf(url).map((each) => openServer({ url: each, namespace, insertTimeoutMs, statementTimeoutMs, settings }))
}

const oneServersWrites = (servers: readonly Server[], failover: Failover<Server>): Writes => ({
  insert: (table, rows, by) => failover.once(servers, (server) => server.insert(table, rows, by)),
  raiseFences: (fences) => failover.repeatable(servers, (server) => server.raiseFences(fences)),
  pauseInserts: (...pause) => failover.once(servers, (server) => server.pauseInserts(...pause)),
  resumeInserts: (pause) => failover.once(servers, (server) => server.resumeInserts(pause)),
  command: (sql, params) => failover.once(servers, (server) => server.command(sql, params)),
  unfinishedMutations: (tables) => failover.repeatable(servers, (server) => unfinishedMutationsOf(server, tables)),
  commandOn: (server, sql, params) => server.command(sql, params),
})
