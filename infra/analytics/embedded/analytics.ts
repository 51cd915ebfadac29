import { mkdirSync } from 'node:fs'
import type { MessagePort } from 'node:worker_threads'
import { OperatorError } from '../../../services/domain/errors.ts'
import { connect } from '../../threads/calls.ts'
import { type Served, soleClient, startWorker } from '../../threads/worker.ts'
import { migrate } from '../migrate.ts'
import {
  type Analytics,
  AnalyticsFenced,
  AnalyticsGaveUp,
  AnalyticsRejected,
  AnalyticsUnavailable,
  isBlock,
  type QueryParams,
} from '../port.ts'
import { unfinishedMutationsOf } from '../queries/system/mutations.ts'
import { applyRetention } from '../retention/apply-retention.ts'
import type { RetentionDays } from '../retention/retention-days.ts'

export interface EmbeddedAnalyticsOptions {
  folder: string
  /** Default: all rows are kept. */
  retentionDays?: RetentionDays
}

/**
 * Starts the thread that runs the ClickHouse engine over `folder`, and brings its tables up to date. A process can run only one
 * engine in its lifetime: a second start must name the same folder.
 * @throws OperatorError when the folder is in use by another process, or its disk is full or damaged.
 */
export async function startEmbeddedAnalytics({
  folder,
  retentionDays = {},
}: EmbeddedAnalyticsOptions): Promise<Served> {
  mkdirSync(folder, { recursive: true })
  // Threads of the engine outlive the worker, however it ends, so its library must stay loaded: this thread loads it too, and keeps it.
  await import('chdb')
  const served = await startWorker('analytics', new URL('./worker.ts', import.meta.url), { folder })
  endAtOnceOnCrashes()
  const client = analyticsClient(served.connect())
  try {
    await migrate(client)
    await applyRetention(client, retentionDays, Date.now())
  } catch (error) {
    await served.stop()
    if (!(error instanceof AnalyticsUnavailable || error instanceof AnalyticsRejected)) throw error
    throw new OperatorError(`DATA_DIR: the analytics store in ${folder} cannot be opened: ${error.message}`)
  } finally {
    await client.close()
  }
  return served
}

/** Signals of a process that cannot go on. */
const CRASHES = ['SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGSEGV', 'SIGSYS', 'SIGTRAP'] as const

/**
 * The engine's library answers these signals by waiting five minutes for a thread that writes a report, which it has only in a server. So
 * long, a process that has crashed, or is without memory, would hold its ports and its data, and nobody would start it again. To end at
 * once is the system's default, which comes back when the only listener of a signal is removed.
 */
function endAtOnceOnCrashes(): void {
  const listener = () => {}
  for (const signal of CRASHES) process.on(signal, listener).off(signal, listener)
}

/** The store behind a port of `startEmbeddedAnalytics`, for any thread. Objects are encoded here, and their bytes transferred. */
export function analyticsClient(port: MessagePort): Analytics {
  const closed = () => new AnalyticsUnavailable('The analytics store has been closed')
  const remote = connect(port, { AnalyticsUnavailable, AnalyticsGaveUp, AnalyticsFenced, AnalyticsRejected }, closed)
  const query = async <Row extends object>(sql: string, params: QueryParams = {}) =>
    rowsOf<Row>(await remote.call<Uint8Array>('query', [sql, params]))
  return {
    async insert(table, rows, by) {
      if (rows.length === 0) return
      if (isBlock(rows)) {
        const { columns, length } = rows
        // A copy is transferred. The caller keeps its block, which may have to be inserted again in parts.
        const bytes = new Uint8Array(rows.bytes)
        return remote.call('insertBlock', [table, { columns, length, bytes }, by], [bytes.buffer])
      }
      const lines = jsonLinesOf(rows)
      await remote.call('insert', [table, lines, by], [lines.buffer])
    },
    raiseFences: (fences) => remote.call('raiseFences', [fences]),
    pauseInserts: (pause, scopes, forMs) => remote.call('pauseInserts', [pause, scopes, forMs]),
    resumeInserts: (pause) => remote.call('resumeInserts', [pause]),
    query,
    queryParquet: (sql, params = {}) => remote.call('queryParquet', [sql, params]),
    ping: () => remote.call('ping', []),
    command: (sql, params = {}) => remote.call('command', [sql, params]),
    unfinishedMutations: (tables) => unfinishedMutationsOf({ query }, tables),
    async close() {
      remote.close()
    },
  }
}

/** The store of `folder` for a single user: closing it stops the thread. */
export async function openEmbeddedAnalytics(options: EmbeddedAnalyticsOptions): Promise<Analytics> {
  const served = await startEmbeddedAnalytics(options)
  return soleClient(served, analyticsClient(served.connect()))
}

/** Text is encoded in pieces of about this length, well below the longest possible string. */
const PIECE_CHARS = 1_000_000
/** The most bytes that a UTF-16 code unit takes in UTF-8. */
const BYTES_PER_CHAR_MAX = 3

/** Rows as ClickHouse's JSONEachRow, in a buffer of their own that can be transferred to another thread. */
function jsonLinesOf(rows: readonly object[]): Uint8Array<ArrayBuffer> {
  let bytes = new Uint8Array(PIECE_CHARS)
  let length = 0
  let piece = ''
  const encoder = new TextEncoder()
  const flush = () => {
    if (length + piece.length * BYTES_PER_CHAR_MAX > bytes.length) {
      const larger = new Uint8Array((length + piece.length * BYTES_PER_CHAR_MAX) * 2)
      larger.set(bytes.subarray(0, length))
      bytes = larger
    }
    length += encoder.encodeInto(piece, bytes.subarray(length)).written
    piece = ''
  }
  for (const row of rows) {
    piece += `${JSON.stringify(row)}\n`
    if (piece.length > PIECE_CHARS) flush()
  }
  flush()
  return bytes.subarray(0, length)
}

/** The rows of an answer in JSONEachRow. */
function rowsOf<Row>(lines: Uint8Array): Row[] {
  const text = new TextDecoder().decode(lines).trimEnd()
  return text === '' ? [] : JSON.parse(`[${text.replaceAll('\n', ',')}]`)
}
