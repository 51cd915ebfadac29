import { randomUUID } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { storeIdentity } from '../../../infra/analytics/migrate.ts'
import { untilThere } from '../../../infra/engines/until-there.ts'
import { closeEngines, connectEngines, type EngineLinks } from '../../../infra/engines.ts'
import { serveConnections, yieldThisThread } from '../../../infra/threads/worker.ts'
import { SINK_GROUP, throwUnlessOneStore } from '../../../streams/sink/offset-metadata.ts'
import { startStreams } from '../../../streams/start.ts'
import { Snapshot } from '../../domain/snapshot.ts'
import { workerLogger } from '../../process/logger.ts'
import { followRegistry } from '../../replicas/registry-follower.ts'
import { createSignalsThread } from './signals-thread.ts'

export interface StreamsWorkerData {
  links: EngineLinks
  /** Links for the thread of the signals. */
  signalsLinks: EngineLinks
  signalsIntervalMs: number
  /** Whether the engines are embedded, so that no other process works with them. */
  isAlone: boolean
  logLevel: string
}

/** The thread of the streams, so that they decode, judge and compute without delaying requests. */
const { links, signalsLinks, signalsIntervalMs, isAlone, logLevel } = workerData as StreamsWorkerData
const logger = workerLogger(logLevel, 'streams')
const engines = await connectEngines(links, logger)
const snapshot = new Snapshot()
const registry = await followRegistry({ log: engines.log, snapshot, logger })
const store = await untilThere('analytics', logger, async () => {
  const found = await storeIdentity(engines.analytics, randomUUID)
  throwUnlessOneStore(await engines.log.committed(SINK_GROUP), found)
  return found
})
const signals = createSignalsThread({ links: signalsLinks, logLevel })
const streams = await startStreams({
  ...engines,
  store,
  storedLog: engines.log.stored,
  snapshot,
  openShopSignals: signals.open,
  signalsIntervalMs,
  isAlone,
  retentionDays: links.config.retentionDays,
  identifierDays: links.config.identifierDays,
  now: Date.now,
  runId: randomUUID,
  logger,
})
// Called only after the start: with both cores busy, a thread of low priority would take a minute to start.
yieldThisThread()

const { lags, beforeRead } = streams
serveConnections(parentPort!, { lags, beforeRead, states: async () => streams.states() }, async () => {
  await streams.stop()
  await signals.stop()
  await registry.close()
  await closeEngines(engines)
})
