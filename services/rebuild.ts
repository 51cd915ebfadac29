import { randomUUID } from 'node:crypto'
import { readConfig } from '../infra/config.ts'
import { closeEngines, connectEngines, migrateAnalytics, startEngines } from '../infra/engines.ts'
import { proveCounters } from '../streams/rebuild/counters.ts'
import { rebuildIndex } from '../streams/rebuild/product-index.ts'
import { rebuildAnalytics } from '../streams/rebuild/rebuild.ts'
import { Snapshot } from './domain/snapshot.ts'
import { keepFilesPrivate } from './process/data-folder.ts'
import { createLogger } from './process/logger.ts'
import { followRegistry } from './replicas/registry-follower.ts'

/**
 * Drops every projection, replays the log, and prints what each table, index and counter held before and after. Exits with
 * status 1 when any differs. The server must not be running.
 */
keepFilesPrivate()
const config = readConfig({ LOG_LEVEL: 'warn', ...process.env })
const logger = createLogger(config.logLevel)
const host = await startEngines({ folder: config.dataFolder, config: config.engines, logger })
const engines = await connectEngines(host.links(), logger)
const { log, analytics, index, counters } = engines
const snapshot = new Snapshot()
const registry = await followRegistry({ log, snapshot })
const now = Date.now
const runId = randomUUID

// The judge comes first: it may still have records to append to the log.
const proofs = [await proveCounters({ log, snapshot, counters, now, logger })]
proofs.push(
  await rebuildIndex({ log, snapshot, index, now, logger }),
  ...(await rebuildAnalytics({ log, analytics, migrate: migrateAnalytics, now, runId, logger })),
)
console.table(proofs)
const differing = proofs.filter(({ equal }) => !equal).map(({ table }) => table)
process.stdout.write(
  differing.length === 0 ? 'Every projection is as it was.\n' : `Not as before: ${differing.join(', ')}\n`,
)

await registry.close()
await closeEngines(engines)
await host.stop()
process.exitCode = differing.length === 0 ? 0 : 1
