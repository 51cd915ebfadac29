import { Readable } from 'node:stream'
import { arrayBuffer, text } from 'node:stream/consumers'
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { createCallGuard } from '../../call-guard.ts'
import { analyticsError } from '../errors.ts'
import { migrate } from '../migrate.ts'
import { withLiterals } from '../params.ts'
import { type Analytics, AnalyticsUnavailable, type Fence, type InsertBy, isBlock, type RowBlock } from '../port.ts'
import { insertTarget, structureOf } from '../row-block.ts'
import {
  countEarlierStatement,
  endEarlierStatement,
  FENCE_CONDITION,
  fencedQueryId,
  fenceParams,
  raiseStatement,
} from './fences.ts'

/** A block that has not been stored by then may still be. */
const INSERT_TIMEOUT_MS = 30_000
/** Attribution computes its slices within seconds; reports give up by themselves earlier. */
const STATEMENT_TIMEOUT_MS = 120_000
/** The server stops first, so that no statement goes on that its caller takes for failed. */
const SERVER_TIMEOUT_SHARE = 0.9
/** Sockets to the server, for inserts and for other statements each; what is more waits. */
const CONNECTIONS_MAX = 10
/** Calls that are running or waiting; what is more is refused. */
const CALLS_MAX = 500
/** Literals of parameters are part of a statement; the same limit as embedded. */
const STATEMENT_MAX_BYTES = 16 * 1024 * 1024
/** More rows than any batch: a block is never cut, because a token stands for all of it. */
const BLOCK_MAX_ROWS = 1_000_000_000
/** Measured with 18 MB blocks of events on loopback: as fast as none (89,000 rows/s), gzip 13 % slower. */
const REQUEST_COMPRESSION = { codec: 'zstd', level: 1 } as const

export interface ClickHouseOptions {
  /** `http://user:password@host:8123`; https too, and a path where a proxy has the server at one. */
  url: string
  /** The database that holds the tables. */
  namespace: string
  insertTimeoutMs?: number
  statementTimeoutMs?: number
}

/**
 * The store on a ClickHouse server, over HTTP. Returns at once and connects when it is called; its tables are made by
 * `migrateClickHouse`. Inserts have connections of their own, so that reports do not hold up the sink.
 */
export function connectClickHouse({
  url,
  namespace,
  insertTimeoutMs = INSERT_TIMEOUT_MS,
  statementTimeoutMs = STATEMENT_TIMEOUT_MS,
}: ClickHouseOptions): Analytics {
  const inserts = openClient(url, namespace, insertTimeoutMs)
  const statements = openClient(url, namespace, statementTimeoutMs)
  const guard = createCallGuard({
    engine: 'The analytics store',
    callsMax: CALLS_MAX,
    Unavailable: AnalyticsUnavailable,
    errorOf: analyticsError,
  })

  const columnsOf = new Map<string, ReadonlySet<string>>()

  /** Columns of a table, which a process of another version may have given others than this one knows. */
  async function columnsFor(table: string): Promise<ReadonlySet<string>> {
    const columns = columnsOf.get(table) ?? new Set(await readColumns(table))
    if (columns.size === 0) throw new AnalyticsUnavailable(`There is no table ${table} yet`)
    columnsOf.set(table, columns)
    return columns
  }

  async function readColumns(table: string): Promise<string[]> {
    const query = 'SELECT name FROM system.columns WHERE database = {database:String} AND table = {table:String}'
    const query_params = { database: namespace, table }
    const answer = await statements.query({ query, query_params, format: 'JSONEachRow' })
    return (await answer.json<{ name: string }>()).map(({ name }) => name)
  }

  async function insertFenced(table: string, rows: readonly object[], fences: readonly Fence[]): Promise<void> {
    const target = { table, columns: await columnsFor(table), names: Object.keys(rows[0]!), source: 'input()' }
    await inserts.insert({
      table: insertTarget({ ...target, condition: FENCE_CONDITION }),
      values: rows,
      format: 'JSONEachRow',
      ...callSettings({ fences }),
    })
  }

  async function insertBlock(table: string, { columns, bytes }: RowBlock, by: InsertBy): Promise<void> {
    const source = `input(${structureOf(columns)})`
    const names = columns.map(({ name }) => name)
    const target = { table, columns: await columnsFor(table), names, source }
    const condition = 'fences' in by ? FENCE_CONDITION : '1'
    const query = `INSERT INTO ${insertTarget({ ...target, condition })} FORMAT RowBinary`
    const answer = await inserts.exec({ query, values: Readable.from([bytes]), ...callSettings(by) })
    await text(answer.stream)
  }

  function callSettings(by: InsertBy) {
    if ('token' in by) return { clickhouse_settings: { insert_deduplication_token: by.token } }
    return {
      query_id: fencedQueryId(namespace, by.fences),
      query_params: fenceParams(by.fences),
      clickhouse_settings: { insert_deduplicate: 0 as const },
    }
  }

  return {
    async insert(table, rows, by) {
      if (rows.length === 0) return
      await guard.run(async () => {
        if (isBlock(rows)) return insertBlock(table, rows, by)
        if ('fences' in by) return insertFenced(table, rows, by.fences)
        await inserts.insert({ table, values: rows, format: 'JSONEachRow', ...callSettings(by) })
      })
    },
    raiseFences: (fences) =>
      guard.run(async () => {
        if (fences.length === 0) return
        await statements.command({ query: raiseStatement(fences) })
        await statements.command({ query: endEarlierStatement(namespace, fences) })
        const query = countEarlierStatement(namespace, fences)
        const answer = await statements.query({ query, format: 'JSONEachRow' })
        const [{ running }] = (await answer.json<{ running: number }>()) as [{ running: number }]
        if (running > 0) throw new AnalyticsUnavailable(`${running} inserts of earlier epochs have not ended yet`)
      }),
    query: <Row extends object>(sql: string, params = {}) =>
      guard.run(async () => {
        const answer = await statements.query({ query: withLiterals(sql, params), format: 'JSONEachRow' })
        return await answer.json<Row>()
      }),
    queryParquet: (sql, params = {}) =>
      guard.run(async () => {
        const answer = await statements.exec({ query: `${withLiterals(sql, params)} FORMAT Parquet` })
        return new Uint8Array(await arrayBuffer(answer.stream))
      }),
    ping: () =>
      guard.run(async () => {
        await statements.command({ query: 'SELECT 1' })
      }),
    command: (sql, params = {}) =>
      guard.run(async () => {
        await statements.command({ query: withLiterals(sql, params) })
      }),
    async close() {
      guard.close()
      await Promise.all([inserts.close(), statements.close()])
    },
  }
}

/**
 * Makes the database and brings its tables up to date. May be called any number of times and by several processes at
 * once: every statement of it bears being repeated.
 * @returns the migrations applied now.
 * @throws AnalyticsUnavailable while the server is away, AnalyticsRejected
 */
export async function migrateClickHouse(options: ClickHouseOptions): Promise<string[]> {
  const server = connectClickHouse({ ...options, namespace: 'default' })
  try {
    await server.command(`CREATE DATABASE IF NOT EXISTS \`${options.namespace}\``)
  } finally {
    await server.close()
  }
  const analytics = connectClickHouse(options)
  try {
    return await migrate(analytics)
  } finally {
    await analytics.close()
  }
}

function openClient(url: string, database: string, timeoutMs: number): ClickHouseClient {
  const address = new URL(url)
  // The client would take the path for the name of a database.
  const pathname = address.pathname
  address.pathname = ''
  return createClient({
    url: address,
    ...(pathname === '/' ? {} : { pathname }),
    database,
    request_timeout: timeoutMs,
    max_open_connections: CONNECTIONS_MAX,
    compression: { request: REQUEST_COMPRESSION },
    keep_alive: { eagerly_destroy_stale_sockets: true },
    // Errors go to the caller, who logs them.
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: {
      max_execution_time: Math.ceil((timeoutMs * SERVER_TIMEOUT_SHARE) / 1000),
      // An error after the first rows is an error, not a shorter answer.
      wait_end_of_query: 1,
      max_query_size: String(STATEMENT_MAX_BYTES),
      output_format_json_quote_64bit_integers: 0,
      // An insert is one block, on disk when it returns: not gathered with others, not cut, not joined.
      async_insert: 0,
      insert_deduplicate: 1,
      input_format_parallel_parsing: 0,
      max_insert_block_size: String(BLOCK_MAX_ROWS),
      min_insert_block_size_rows: '0',
      min_insert_block_size_bytes: '0',
      max_partitions_per_insert_block: '0',
    },
  })
}
