import type { ClickHouseSettings } from '@clickhouse/client'
import { type Analytics, AnalyticsUnavailable, type InsertBy, type QueryParams, type RowBlock } from '../../port.ts'
import { unfinishedMutationsOf } from '../../queries/system/mutations.ts'
import type { Failover } from '../failover.ts'
import type { Server } from '../server.ts'
import { localName, PER_SERVER, placementOf } from './ddl.ts'
import { createMembers } from './members.ts'
import { splitRows } from './row-split.ts'
import { shardedTables } from './sharded-tables.ts'

/** The calls of the port that a cluster carries out differently from one server. They throw the client's errors. */
export interface Writes
  extends Pick<
    Analytics,
    'insert' | 'raiseFences' | 'pauseInserts' | 'resumeInserts' | 'command' | 'unfinishedMutations'
  > {
  /** Runs a statement that changes no table definition, on this server. */
  commandOn(server: Server, sql: string, params?: QueryParams): Promise<void>
}

/** Settings of all statements on a cluster. */
export const CLUSTER_SETTINGS: ClickHouseSettings = {
  // An INSERT … SELECT returns once its rows are stored on their shards.
  distributed_foreground_insert: 1,
  // Subqueries of IN and JOIN are computed once, over all shards, and sent to each, so that the answer is that of one server.
  prefer_global_in_and_join: 1,
  // A query that names shops asks only the shards that have them, so it is answered while another shard is away.
  optimize_skip_unused_shards: 1,
}
/** Shorter than the timeout of an insert. */
const QUORUM_TIMEOUT_MS = 20_000

/** An insert is acknowledged once every replica has it, so that each replica has all rows that were acknowledged. */
export const quorumOf = (replicas: number): ClickHouseSettings =>
  replicas > 1 ? { insert_quorum: String(replicas), insert_quorum_timeout: QUORUM_TIMEOUT_MS } : {}

const NO_PAUSES = 'Inserts into a cluster cannot be paused: its tables are not replaced one by one'

interface ShardedWritesDeps {
  servers: readonly Server[]
  failover: Failover<Server>
  cluster: string
  database: string
}

/**
 * Writes to sharded tables. A block of rows is divided here, and the part of each shard is inserted into its local table, so that
 * the server that stores rows is the one that checks the fences. A fence is raised on every server.
 */
export function createShardedWrites({ servers, failover, cluster, database }: ShardedWritesDeps): Writes {
  const members = createMembers(servers, cluster)
  const sharded = new Set<string>()

  async function isSharded(table: string): Promise<boolean> {
    if (sharded.has(table)) return true
    for (const name of (await failover.repeatable(servers, shardedTables)).keys()) sharded.add(name)
    return sharded.has(table)
  }

  async function insertSharded(table: string, rows: readonly object[] | RowBlock, by: InsertBy): Promise<void> {
    const { shards, replicas } = await members.topology()
    const settings = quorumOf(replicas)
    const parts = [...splitRows(rows, shards)].map(async ([shard, part]) => {
      const some = await members.ofShard(shard)
      await failover.once(some, (server) => server.insert(localName(table), part, by, settings))
    })
    // No part may still be under way when the caller learns of a failure.
    await Promise.allSettled(parts)
    await Promise.all(parts)
  }

  /** Makes a replica fetch all that its shard has stored, acknowledged or not. */
  async function catchUp(server: Server): Promise<void> {
    for (const table of (await shardedTables(server)).keys()) {
      await server.command(`SYSTEM SYNC REPLICA ${localName(table)} LIGHTWEIGHT`)
    }
  }

  async function changeTables(statements: readonly string[], params: QueryParams | undefined): Promise<void> {
    // One after the other, because replicas of a table do not take two changes at once.
    for (const server of servers) {
      for (const statement of statements) await server.command(statement, params)
    }
  }

  async function commandOn(server: Server, sql: string, params?: QueryParams): Promise<void> {
    const { replicas } = await members.topology()
    await server.command(sql, params, quorumOf(replicas))
  }

  return {
    commandOn,
    async insert(table, rows, by) {
      if (PER_SERVER.has(table)) await Promise.all(servers.map((server) => server.insert(table, rows, by)))
      else if (await isSharded(table)) await insertSharded(table, rows, by)
      else await failover.once(servers, (server) => server.insert(table, rows, by))
    },
    async raiseFences(fences) {
      const { replicas } = await members.topology()
      await Promise.all(servers.map((server) => reaching(server, () => server.raiseFences(fences))))
      if (replicas > 1) await Promise.all(servers.map((server) => reaching(server, () => catchUp(server))))
    },
    pauseInserts: () => Promise.reject(new Error(NO_PAUSES)),
    resumeInserts: () => Promise.reject(new Error(NO_PAUSES)),
    async command(sql, params) {
      const { shards, replicas } = await members.topology()
      const layout = { cluster, database, shards, isReplicated: replicas > 1 }
      const placement = placementOf(sql, layout, await failover.repeatable(servers, shardedTables))
      if (placement.on === 'EVERY_SERVER') await changeTables(placement.statements, params)
      else await failover.once(servers, (server) => commandOn(server, sql, params))
    },
    async unfinishedMutations(tables) {
      const counts = servers.map((server) => unfinishedMutationsOf(server, tables.map(localName)))
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
    },
  }
}

/** Names the server in the error when the call fails. */
async function reaching<T>(server: Server, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw new AnalyticsUnavailable(
      `${server.host} must raise a fence, as every server must: ${(error as Error).message}`,
    )
  }
}
