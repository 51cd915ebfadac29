import { parentPort, workerData } from 'node:worker_threads'
import { closeEngines, connectEngines, type EngineLinks } from '../../../infra/engines.ts'
import { serveConnections, yieldThisThread } from '../../../infra/threads/worker.ts'
import { createShopSignals } from '../../../streams/signals/shop-signals.ts'
import { workerLogger } from '../../process/logger.ts'

export interface SignalsWorkerData {
  links: EngineLinks
  logLevel: string
}

/** The thread that makes also-bought lists. A shop with a long history takes seconds, for which the judge must not wait. */
const { links, logLevel } = workerData as SignalsWorkerData
const engines = await connectEngines(links, workerLogger(logLevel, 'signals'))
yieldThisThread()

// Each connection gets new state, so that a new leader begins with what is in the topic at that time.
serveConnections(
  parentPort!,
  () => {
    const { update } = createShopSignals({ ...engines, now: Date.now })
    return { update }
  },
  () => closeEngines(engines),
)
