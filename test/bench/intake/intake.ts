/**
 * The intake against its baselines, with the embedded log on this machine's disk: single view events against a bare Fastify that
 * parses the same body and gives the same answer, and batches of 1,000 view events against appending the same encoded records
 * straight to the log. Then single views at 1,000 a second, for how long they take.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import {
  bareFastify,
  batchRecords,
  compared,
  measureInTurn,
  reportLatency,
  singleViews,
  straight,
  viewBatches,
} from './ways.ts'

const P99_GOAL_MS = 10

const folder = mkdtempSync(join(tmpdir(), 'bench-intake-'))
const log = await openEmbeddedEventLog({ folder })
const best = await measureInTurn({
  bareFastify,
  singles: singleViews(log),
  straight: straight(() => log.append(batchRecords)),
  batches: viewBatches(log),
})
await reportLatency('embedded', log, P99_GOAL_MS)
await log.close()
rmSync(folder, { recursive: true })
console.table([
  compared('single views', best.singles, 'bare Fastify', best.bareFastify, 0.8),
  compared('batches of 1,000', best.batches, 'log alone', best.straight, 0.7),
])
