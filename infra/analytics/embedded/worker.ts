import { parentPort, workerData } from 'node:worker_threads'
import { Moved } from '../../threads/calls.ts'
import { serveConnections, yieldThisThread } from '../../threads/worker.ts'
import type { Fence, InsertBy, QueryParams, RowBlock } from '../port.ts'
import { type JsonLines, openEngine } from './engine.ts'

yieldThisThread()
const engine = openEngine(workerData as { folder: string })

/** A copy of the answer that can be transferred; bytes of a shared pool cannot be. Most answers are small, so copying is cheap. */
function moved(answer: Uint8Array): Moved<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(answer)
  return new Moved(bytes, [bytes.buffer])
}

serveConnections(
  parentPort!,
  {
    insert: (table: string, lines: JsonLines, by: InsertBy) => engine.insert(table, lines, by),
    insertBlock: (table: string, block: RowBlock, by: InsertBy) => engine.insertBlock(table, block, by),
    raiseFences: (fences: readonly Fence[]) => engine.raiseFences(fences),
    pauseInserts: (pause: string, scopes: string[], forMs: number) => engine.pauseInserts(pause, scopes, forMs),
    resumeInserts: (pause: string) => engine.resumeInserts(pause),
    query: async (sql: string, params: QueryParams) => moved(await engine.query(sql, params, 'JSONEachRow')),
    queryParquet: async (sql: string, params: QueryParams) => moved(await engine.query(sql, params, 'Parquet')),
    ping: () => engine.ping(),
    freeze: () => engine.freeze(),
    thaw: () => engine.thaw(),
    discardFrozen: () => engine.discardFrozen(),
    command: (sql: string, params: QueryParams) => engine.command(sql, params),
  },
  () => engine.close(),
)
