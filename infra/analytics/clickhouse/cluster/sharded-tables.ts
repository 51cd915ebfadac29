import type { Server } from '../server.ts'
import type { ShardedTables } from './ddl.ts'

/** The Distributed tables of a server's database, which stand for the local tables of all shards. */
export async function shardedTables(server: Server): Promise<ShardedTables> {
  const tables = await server.query<{ name: string; engine: string }>(
    `SELECT name, concat(engine_full, ' COMMENT ''', comment, '''') AS engine
     FROM system.tables WHERE database = currentDatabase() AND system.tables.engine = 'Distributed'`,
  )
  return new Map(tables.map(({ name, engine }) => [name, engine]))
}
