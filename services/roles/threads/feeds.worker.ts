import { parentPort, workerData } from 'node:worker_threads'
import { closeEngines, connectEngines, type EngineLinks } from '../../../infra/engines.ts'
import { Fenced } from '../../../infra/event-log/port.ts'
import { serveConnections } from '../../../infra/threads/worker.ts'
import { indexCaughtUp } from '../../../streams/indexer/indexer.ts'
import type { Limits } from '../../domain/limits.ts'
import { workerLogger } from '../../process/logger.ts'
import { FeedFailure } from '../../registry/feeds/failure.ts'
import { createFeedRunner } from '../../registry/feeds/runs/runner.ts'
import { fetchOptions } from '../../registry/feeds/source/fetch.ts'

export interface FeedsWorkerData {
  links: EngineLinks
  logLevel: string
  allowPrivateAddresses: boolean
  limits: Limits
}

/** The thread that reads feeds, because parsing hundreds of megabytes of XML would block the thread that answers requests. */
const { links, logLevel, allowPrivateAddresses, limits } = workerData as FeedsWorkerData
const engines = await connectEngines(links, workerLogger(logLevel, 'feeds'))
const { log, index } = engines
/**
 * Opened before any feed is fetched. So when the registry of another process reads feeds after this one was frozen, nothing that was
 * fetched before can be appended over what that registry has appended.
 */
const writer = await log.exclusiveWriter('feeds')
const runner = createFeedRunner({
  log: { append: (records) => writer.append(records).catch(endIfFenced) },
  index,
  async caughtUp() {
    const isCaughtUp = await indexCaughtUp({ log, index, now: Date.now })
    if (!isCaughtUp) throw new FeedFailure('INTERNAL', 'The product index is behind: the feed can be read again later')
  },
  fetch: fetchOptions(limits, allowPrivateAddresses),
  now: Date.now,
})

/** Ends the thread, and so the process, as the writer of the registry does: whoever leads next opens the writer again. */
function endIfFenced(error: Error): never {
  if (error instanceof Fenced) {
    setImmediate(() => {
      throw error
    })
  }
  throw error
}

serveConnections(parentPort!, { run: runner.run, progress: runner.progress, cancel: runner.cancel }, () =>
  closeEngines(engines),
)
