import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Session } from 'chdb'
import { analyticsError, PAUSED_MESSAGE } from '../errors.ts'
import { paramStatement, quoted } from '../params.ts'
import { PLANNING } from '../planning.ts'
import {
  AnalyticsFenced,
  AnalyticsUnavailable,
  type Fence,
  type InsertBy,
  type QueryParams,
  type RowBlock,
} from '../port.ts'
import { insertTarget, structureOf } from '../row-block.ts'
import { discardFrozen, freeze, SHADOW } from './frozen-copy.ts'
import { yieldToRequests } from './priority.ts'

const MB = 1024 * 1024
/** Length of a statement's text, with its parameters. */
const STATEMENT_MAX_BYTES = 16 * MB
/** Writes wait for each other, so no statement may run for ever. */
const STATEMENT_MAX_SECONDS = 600

/** Settings for a small machine that the engine shares, where gigabytes of cache and one thread per core do not fit. */
const ENGINE_ARGUMENTS = Object.entries({
  max_threads: 1,
  max_server_memory_usage: 2048 * MB,
  max_memory_usage: 1536 * MB,
  // By default the engine measures its memory twenty times a second, even when it is idle.
  memory_worker_period_ms: 1_000,
  // By default 128 threads remove the files of merged parts, and stay idle afterwards; 64 threads load parts at the start.
  max_parts_cleaning_thread_pool_size: 1,
  max_active_parts_loading_thread_pool_size: 2,
  max_outdated_parts_loading_thread_pool_size: 1,
  max_bytes_before_external_group_by: 256 * MB,
  max_bytes_before_external_sort: 256 * MB,
  max_execution_time: STATEMENT_MAX_SECONDS,
  mark_cache_size: 32 * MB,
  primary_index_cache_size: 32 * MB,
  index_mark_cache_size: 16 * MB,
  query_condition_cache_size: 8 * MB,
  ...PLANNING,
  // Compiling an expression takes longer than most of these queries run.
  compile_expressions: 0,
  compile_aggregate_expressions: 0,
  compile_sort_description: 0,
  max_query_size: STATEMENT_MAX_BYTES,
  // An insert stays one block, so that one token covers all of it.
  input_format_parallel_parsing: 0,
  max_partitions_per_insert_block: 0,
  // It would start threads for each answer, and most answers are a few rows.
  output_format_parallel_formatting: 0,
  output_format_json_quote_64bit_integers: 0,
}).map(([name, value]) => `--${name}=${value}`)

/** Folder for blocks that are being inserted: the engine reads binary rows only from files. */
const INCOMING = 'incoming'

/** One line of JSON per row, in UTF-8. */
export type JsonLines = Uint8Array

/**
 * The chDB engine over one folder. A process can have only one. Writes go through one session and queries through another, so that
 * a long report does not hold up the sink; pings have a third. Within a session, statements run one after the other.
 */
export function openEngine({ folder }: { folder: string }) {
  const writes = openSession(folder)
  const reads = openSession(folder)
  const pings = openSession(folder)
  const stopYielding = yieldToRequests()
  const incoming = join(folder, INCOMING)
  // A killed process may have left files.
  rmSync(join(folder, SHADOW), { recursive: true, force: true })
  rmSync(incoming, { recursive: true, force: true })
  mkdirSync(incoming)
  const columnsOf = new Map<string, ReadonlySet<string>>()
  let thaw = () => {}
  /** The highest epoch of each scope. Kept in memory, because no insert outlives the process and no other process has the folder. */
  const epochs = new Map<string, number>()
  const pauses = new Map<string, { scopes: ReadonlySet<string>; until: number }>()

  function throwIfFenced(fences: readonly Fence[]): void {
    for (const { scopes, until } of pauses.values()) {
      if (performance.now() >= until || !fences.some(({ scope }) => scopes.has(scope))) continue
      throw new AnalyticsUnavailable(PAUSED_MESSAGE)
    }
    if (fences.every(({ scope, epoch }) => epoch >= (epochs.get(scope) ?? epoch))) return
    throw new AnalyticsFenced('A later epoch of a scope has been raised')
  }

  async function columnsFor(session: Session, table: string): Promise<ReadonlySet<string>> {
    const known = columnsOf.get(table)
    if (known) return known
    const sql = `SELECT name FROM system.columns WHERE database = currentDatabase() AND table = ${quoted(table)}`
    const names = (await session.queryAsync(sql, { format: 'TabSeparated' })).text().trim()
    if (names === '') throw new AnalyticsUnavailable(`There is no table ${table} yet`)
    const columns = new Set(names.split('\n'))
    columnsOf.set(table, columns)
    return columns
  }

  return {
    insert: (table: string, lines: JsonLines, by: InsertBy): Promise<void> =>
      writes.run(async (session) => {
        if ('fences' in by) throwIfFenced(by.fences)
        const settings = { insert_deduplication_token: tokenOf(by) }
        await session.insert({ table, values: lines, format: 'JSONEachRow', settings })
      }),
    insertBlock: (table: string, { columns, bytes }: RowBlock, by: InsertBy): Promise<void> =>
      writes.run(async (session) => {
        if ('fences' in by) throwIfFenced(by.fences)
        const path = join(incoming, randomUUID())
        const source = `file(${quoted(path)}, 'RowBinary', ${structureOf(columns)})`
        const names = columns.map(({ name }) => name)
        const target = { table, columns: await columnsFor(session, table), names, source, condition: '1' }
        const settings = `SETTINGS insert_deduplication_token = ${quoted(tokenOf(by))}`
        try {
          await writeFile(path, bytes)
          await session.queryAsync(`INSERT INTO ${insertTarget(target)} ${settings}`, { format: 'Null' })
        } finally {
          await rm(path, { force: true })
        }
      }),
    /** Waits for its turn among the writes, so inserts that were called before have ended. */
    raiseFences: (fences: readonly Fence[]): Promise<void> =>
      writes.run(async () => {
        for (const { scope, epoch } of fences) epochs.set(scope, Math.max(epoch, epochs.get(scope) ?? epoch))
      }),
    /** Waits for its turn, like `raiseFences`. */
    pauseInserts: (pause: string, scopes: readonly string[], forMs: number): Promise<void> =>
      writes.run(async () => {
        pauses.set(pause, { scopes: new Set(scopes), until: performance.now() + forMs })
      }),
    resumeInserts: (pause: string): Promise<boolean> =>
      writes.run(async () => {
        const held = performance.now() < (pauses.get(pause)?.until ?? 0)
        pauses.delete(pause)
        return held
      }),
    query: (sql: string, params: QueryParams, format: 'JSONEachRow' | 'Parquet'): Promise<Uint8Array> =>
      reads.run(async (session) => (await session.queryAsync(withParams(sql, params), { format })).bytes()),
    ping: (): Promise<void> =>
      pings.run(async (session) => {
        await session.queryAsync('SELECT 1', { format: 'Null' })
      }),
    command: (sql: string, params: QueryParams): Promise<void> =>
      writes.run(async (session) => {
        await session.queryAsync(withParams(sql, params), { format: 'Null' })
      }),
    /** Makes the frozen copy of the stored rows. From then on writes wait until `thaw`. */
    freeze(): Promise<void> {
      const frozen = Promise.withResolvers<void>()
      const thawed = Promise.withResolvers<void>()
      thaw = thawed.resolve
      void writes.run(async (session) => {
        await freeze(session, folder).then(frozen.resolve, frozen.reject)
        await thawed.promise
      })
      return frozen.promise
    },
    thaw: (): void => thaw(),
    discardFrozen: (): Promise<void> => discardFrozen(folder),
    async close(): Promise<void> {
      thaw()
      stopYielding()
      await Promise.all([writes.close(), reads.close(), pings.close()])
    },
  }
}

/** A fenced insert gets a token of its own: without one, a block equal to an earlier one would be dropped. */
function tokenOf(by: InsertBy): string {
  return 'fences' in by ? randomUUID() : by.token
}

/** Parameters are set on the session: the binding's own way of passing them locks the whole process while a query runs. */
function withParams(sql: string, params: QueryParams): string {
  return `${paramStatement(sql, params)} ${sql}`
}

function openSession(folder: string) {
  const session = new Session(folder, { connectionArgs: ENGINE_ARGUMENTS })
  let last: Promise<unknown> = Promise.resolve()
  let hasLeftovers = false

  async function inTurn<T>(statement: (session: Session) => Promise<T>): Promise<T> {
    try {
      if (hasLeftovers) await session.queryAsync('SELECT 1', { format: 'Null' })
      hasLeftovers = false
      return await statement(session)
    } catch (error) {
      // The engine keeps the partial answer of a failed statement and returns it with the next answer. The next statement is
      // therefore preceded by one whose answer is ignored.
      hasLeftovers = true
      throw analyticsError(error)
    }
  }

  return {
    run<T>(statement: (session: Session) => Promise<T>): Promise<T> {
      const done = last.then(() => inTurn(statement))
      last = done.catch(() => {})
      return done
    },
    async close() {
      await last
      session.close()
    },
  }
}
