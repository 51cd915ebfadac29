import { parentPort, workerData } from 'node:worker_threads'
import { Moved, serveConnections, yieldThisThread } from '../../thread.ts'
import type { Fence, InsertBy, QueryParams, RowBlock } from '../port.ts'
import { type JsonLines, openEngine } from './engine.ts'

yieldThisThread()
const engine = openEngine(workerData as { folder: string })

serveConnections(
  parentPort!,
  {
    insert: (table: string, lines: JsonLines, by: InsertBy) => engine.insert(table, lines, by),
    insertBlock: (table: string, block: RowBlock, by: InsertBy) => engine.insertBlock(table, block, by),
    raiseFences: (fences: readonly Fence[]) => engine.raiseFences(fences),
    query: async (sql: string, params: QueryParams) => {
      // Bytes that a pool owns cannot move, and most answers are small: a copy of them is cheap.
      const lines = new Uint8Array(await engine.query(sql, params))
      return new Moved(lines, [lines.buffer])
    },
    command: (sql: string, params: QueryParams) => engine.command(sql, params),
  },
  () => engine.close(),
)
