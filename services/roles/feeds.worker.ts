import { parentPort, workerData } from 'node:worker_threads'
import { closeEngines, connectEngines, type EngineLinks } from '../../infra/engines.ts'
import { serveConnections } from '../../infra/thread.ts'
import type { Limits } from '../domain/limits.ts'
import { workerLogger } from '../process/logger.ts'
import { indexCaughtUp } from '../registry/feeds/runs/caught-up.ts'
import { createFeedRunner } from '../registry/feeds/runs/runner.ts'
import { fetchOptions } from '../registry/feeds/source/fetch.ts'

export interface FeedsWorkerData {
  links: EngineLinks
  logLevel: string
  /** Consumer group of the stream that fills the product index. */
  indexerGroup: string
  allowPrivateAddresses: boolean
  limits: Limits
}

/** The thread that reads feeds: parsing hundreds of megabytes of XML is no work for the one that answers requests. */
const { links, logLevel, indexerGroup, allowPrivateAddresses, limits } = workerData as FeedsWorkerData
const engines = connectEngines(links, workerLogger(logLevel, 'feeds'))
const { log, index } = engines
const runner = createFeedRunner({
  log,
  index,
  caughtUp: indexCaughtUp({ log, index, group: indexerGroup, now: Date.now }),
  fetch: fetchOptions(limits, allowPrivateAddresses),
  now: Date.now,
})

serveConnections(parentPort!, { run: runner.run, progress: runner.progress, cancel: runner.cancel }, () =>
  closeEngines(engines),
)
