import { Readable } from 'node:stream'
import { arrayBuffer, text } from 'node:stream/consumers'
import {
  type ClickHouseClient,
  ClickHouseLogLevel,
  type ClickHouseSettings,
  createClient,
  type ResponseHeaders,
} from '@clickhouse/client'
import { withLiterals } from '../params.ts'
import { PLANNING } from '../planning.ts'
import { AnalyticsUnavailable, type Fence, type InsertBy, isBlock, type QueryParams, type RowBlock } from '../port.ts'
import { insertTarget, structureOf } from '../row-block.ts'
import {
  countRunningStatement,
  earlierStatement,
  endPauseStatement,
  endStatement,
  FENCE_CONDITION,
  fencedQueryId,
  fenceParams,
  pausedScopesStatement,
  pauseStatement,
  raiseStatement,
} from './fences.ts'

/** The server aborts a statement before its client times out, so that no statement runs on after its caller has seen it fail. */
const SERVER_TIMEOUT_SHARE = 0.9
/** Sockets to the server: as many for inserts, again for other statements, and again for pings. Further calls wait. */
const CONNECTIONS_MAX = 10
/** Length of a statement, with the literals of its parameters. The embedded engine has the same limit. */
const STATEMENT_MAX_BYTES = 16 * 1024 * 1024
/** More rows than any batch has. A block must not be split, because a token covers all of it. */
const BLOCK_MAX_ROWS = 1_000_000_000
/**
 * An answer waits in the server's memory until its query has ended, and what is beyond this size in a file on the server's disk. Without
 * a limit all of it would, so that a full disk would answer no report. It also saves a fifth of the processor time of 20,000 rows.
 */
const ANSWER_IN_MEMORY_MAX_BYTES = 32 * 1024 * 1024
/** The last bytes of every Parquet file. */
const PARQUET_MARK = 'PAR1'
/** With 18 MB blocks of events on loopback, this is as fast as no compression (89,000 rows/s), and gzip is 13 % slower. */
const REQUEST_COMPRESSION = { codec: 'zstd', level: 1 } as const

export interface ServerOptions {
  /** `http://user:password@host:8123`; also https, and with a path when a proxy serves it under one. */
  url: string
  /** The database that holds the tables. */
  namespace: string
  insertTimeoutMs: number
  statementTimeoutMs: number
  /** Settings of all its statements. */
  settings?: ClickHouseSettings
}

/** One ClickHouse server, over HTTP. Its calls throw the client's errors. */
export interface Server {
  /** Host and port of its address. */
  readonly host: string
  insert(table: string, rows: readonly object[] | RowBlock, by: InsertBy, settings?: ClickHouseSettings): Promise<void>
  /** Once it resolves, no insert under an earlier epoch stores anything on this server. */
  raiseFences(fences: readonly Fence[]): Promise<void>
  /** Once it resolves, no insert under these scopes stores anything on this server until `forMs` have passed. */
  pauseInserts(pause: string, scopes: readonly string[], forMs: number): Promise<void>
  /** @returns whether the pause was still in force. */
  resumeInserts(pause: string): Promise<boolean>
  query<Row extends object>(sql: string, params?: QueryParams): Promise<Row[]>
  queryParquet(sql: string, params?: QueryParams): Promise<Uint8Array<ArrayBuffer>>
  command(sql: string, params?: QueryParams, settings?: ClickHouseSettings): Promise<void>
  /** Resolves when the server responds, without waiting for other calls. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** Connects on the first call. Inserts and pings have connections of their own, so that reports hold up neither the sink nor pings. */
export function openServer({ url, namespace, insertTimeoutMs, statementTimeoutMs, settings }: ServerOptions): Server {
  const inserts = openClient(url, namespace, insertTimeoutMs, settings)
  const statements = openClient(url, namespace, statementTimeoutMs, settings)
  const pings = openClient(url, namespace, statementTimeoutMs, settings)
  const columnsOf = new Map<string, ReadonlySet<string>>()

  async function rowsOf<Row extends object>(query: string): Promise<Row[]> {
    const answer = await statements.query({ query, format: 'JSONEachRow' })
    const rows = await answer.json<Row>()
    throwUnlessClickHouse(answer)
    throwUnlessWhole(rows.length === rowsOfAnswer(answer.response_headers))
    return rows
  }

  /** Columns of a table. A process of another version may have added columns that this version does not know. */
  async function columnsFor(table: string): Promise<ReadonlySet<string>> {
    const columns = columnsOf.get(table) ?? new Set(await readColumns(table))
    if (columns.size === 0) throw new AnalyticsUnavailable(`There is no table ${table} yet`)
    columnsOf.set(table, columns)
    return columns
  }

  async function readColumns(table: string): Promise<string[]> {
    const sql = 'SELECT name FROM system.columns WHERE database = {database:String} AND table = {table:String}'
    const columns = await rowsOf<{ name: string }>(withLiterals(sql, { database: namespace, table }))
    return columns.map(({ name }) => name)
  }

  async function insertFenced(
    table: string,
    rows: readonly object[],
    by: { fences: readonly Fence[] },
    settings: ClickHouseSettings,
  ): Promise<void> {
    const target = { table, columns: await columnsFor(table), names: Object.keys(rows[0]!), source: 'input()' }
    const answer = await inserts.insert({
      table: insertTarget({ ...target, condition: FENCE_CONDITION }),
      values: rows,
      format: 'JSONEachRow',
      ...callSettings(by, settings),
    })
    throwUnlessClickHouse(answer)
  }

  async function insertBlock(
    table: string,
    { columns, bytes }: RowBlock,
    by: InsertBy,
    settings: ClickHouseSettings,
  ): Promise<void> {
    const source = `input(${structureOf(columns)})`
    const names = columns.map(({ name }) => name)
    const target = { table, columns: await columnsFor(table), names, source }
    const condition = 'fences' in by ? FENCE_CONDITION : '1'
    const query = `INSERT INTO ${insertTarget({ ...target, condition })} FORMAT RowBinary`
    const answer = await inserts.exec({ query, values: Readable.from([bytes]), ...callSettings(by, settings) })
    await text(answer.stream)
    throwUnlessClickHouse(answer)
  }

  async function run(query: string, settings: ClickHouseSettings = {}): Promise<void> {
    throwUnlessClickHouse(await statements.command({ query, clickhouse_settings: settings }))
  }

  function callSettings(by: InsertBy, settings: ClickHouseSettings) {
    if ('token' in by) return { clickhouse_settings: { ...settings, insert_deduplication_token: by.token } }
    return {
      query_id: fencedQueryId(namespace, by.fences),
      query_params: fenceParams(by.fences),
      clickhouse_settings: { ...settings, insert_deduplicate: 0 as const },
    }
  }

  async function pausedScopes(pause: string): Promise<string[]> {
    return (await rowsOf<{ scope: string }>(pausedScopesStatement(pause))).map(({ scope }) => scope)
  }

  const endAll = (scopes: readonly string[]) =>
    endEarlier(scopes.map((scope) => ({ scope, epoch: Number.MAX_SAFE_INTEGER })))

  /** Ends running inserts; those that begin later find the fence. @throws AnalyticsUnavailable when one of them is still running. */
  async function endEarlier(fences: readonly Fence[]): Promise<void> {
    const found = await rowsOf<{ query_id: string }>(earlierStatement(namespace, fences))
    const ids = found.map(({ query_id }) => query_id)
    if (ids.length === 0) return
    await run(endStatement(ids))
    const [{ running }] = (await rowsOf<{ running: number }>(countRunningStatement(ids))) as [{ running: number }]
    if (running > 0) throw new AnalyticsUnavailable(`${running} inserts of earlier epochs have not ended yet`)
  }

  return {
    host: new URL(url).host,
    async insert(table, rows, by, settings = {}) {
      if (isBlock(rows)) return insertBlock(table, rows, by, settings)
      if ('fences' in by) return insertFenced(table, rows, by, settings)
      const answer = await inserts.insert({
        table,
        values: rows,
        format: 'JSONEachRow',
        ...callSettings(by, settings),
      })
      throwUnlessClickHouse(answer)
    },
    async raiseFences(fences) {
      await run(raiseStatement(fences))
      await endEarlier(fences)
    },
    async pauseInserts(pause, scopes, forMs) {
      await run(pauseStatement(pause, scopes, forMs))
      await endAll(scopes)
    },
    async resumeInserts(pause) {
      // An insert that has begun is bound to its table, which may have been exchanged since, but may look for pauses only later. It is
      // ended here, before the pause is deleted: otherwise it could find no pause, and be stored.
      await endAll(await pausedScopes(pause))
      const held = (await pausedScopes(pause)).length > 0
      await run(endPauseStatement(pause))
      return held
    },
    query: <Row extends object>(sql: string, params = {}) => rowsOf<Row>(withLiterals(sql, params)),
    async queryParquet(sql, params = {}) {
      const answer = await statements.exec({ query: `${withLiterals(sql, params)} FORMAT Parquet` })
      const file = await arrayBuffer(answer.stream)
      throwUnlessWhole(Buffer.from(file).subarray(-PARQUET_MARK.length).toString() === PARQUET_MARK)
      return new Uint8Array(file)
    },
    command: (sql, params = {}, settings = {}) => run(withLiterals(sql, params), settings),
    async ping() {
      await pings.command({ query: 'SELECT 1' })
    },
    async close() {
      await Promise.all([inserts.close(), statements.close(), pings.close()])
    },
  }
}

/** Another server or a proxy may answer 200 to anything: rows that it takes are stored nowhere. */
function throwUnlessClickHouse({ response_headers: headers }: { response_headers: ResponseHeaders }): void {
  if (headers['x-clickhouse-query-id'] !== undefined) return
  throw new AnalyticsUnavailable(
    'The server is not ClickHouse, nor a proxy that passes its header X-ClickHouse-Query-Id',
  )
}

/** How many rows ClickHouse has found, by the header that it sends with an answer. */
function rowsOfAnswer({ 'x-clickhouse-summary': summary = '{}' }: ResponseHeaders): number {
  return Number(JSON.parse(String(summary)).result_rows)
}

/**
 * ClickHouse leaves out what it could not write to a full disk, and says 200 all the same. The error has no code, so that another
 * server is asked if there is one.
 */
function throwUnlessWhole(isWhole: boolean): void {
  if (!isWhole) throw new Error('ClickHouse has sent only a part of its answer: its disk may be full')
}

function openClient(
  url: string,
  database: string,
  timeoutMs: number,
  settings: ClickHouseSettings = {},
): ClickHouseClient {
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
      // An error after the first rows fails the query. It does not shorten the answer.
      wait_end_of_query: 1,
      http_response_buffer_size: String(ANSWER_IN_MEMORY_MAX_BYTES),
      max_query_size: String(STATEMENT_MAX_BYTES),
      output_format_json_quote_64bit_integers: 0,
      // An insert is one block, and on disk when it returns: it is not queued with other inserts, not split and not merged.
      async_insert: 0,
      insert_deduplicate: 1,
      input_format_parallel_parsing: 0,
      max_insert_block_size: String(BLOCK_MAX_ROWS),
      min_insert_block_size_rows: '0',
      min_insert_block_size_bytes: '0',
      max_partitions_per_insert_block: '0',
      ...PLANNING,
      ...settings,
    },
  })
}
