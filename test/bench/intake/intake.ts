/**
 * The intake against its baselines, with the embedded log on this machine's disk: single view events against a bare Fastify that
 * parses the same body and gives the same answer, and batches of 1,000 view events against appending the same encoded records
 * straight to the log.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import { bareFastify, batchRecords, compared, measureInTurn, singleViews, straight, viewBatches } from './ways.ts'

const folder = mkdtempSync(join(tmpdir(), 'bench-intake-'))
const log = await openEmbeddedEventLog({ folder })
const best = await measureInTurn({
  bareFastify,
  singles: singleViews(log),
  straight: straight(() => log.append(batchRecords)),
  batches: viewBatches(log),
})
await log.close()
rmSync(folder, { recursive: true })
console.table([
  compared('single views', best.singles, 'bare Fastify', best.bareFastify, 0.8),
  compared('batches of 1,000', best.batches, 'log alone', best.straight, 0.7),
])
