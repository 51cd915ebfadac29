import { join } from 'node:path'
import type { MessagePort } from 'node:worker_threads'
import { analyticsClient, startEmbeddedAnalytics } from './analytics/embedded.ts'
import type { Analytics } from './analytics/port.ts'
import { countersClient, startEmbeddedCounters } from './counters/embedded.ts'
import type { Counters } from './counters/port.ts'
import { eventLogClient, startEmbeddedEventLog } from './event-log/embedded.ts'
import type { EventLog } from './event-log/port.ts'
import { productIndexClient, startEmbeddedProductIndex } from './product-index/embedded.ts'
import type { ProductIndex } from './product-index/port.ts'

/** The four engines as one thread uses them. */
export interface Engines {
  log: EventLog
  analytics: Analytics
  index: ProductIndex
  counters: Counters
}

/** The way to the engines that another thread is handed; `transferList` of a worker must name each port. */
export type EnginePorts = Record<keyof Engines, MessagePort>

export interface EngineHost {
  /** A new connection to each engine, to be opened by `connectEngines` in any thread. */
  ports(): EnginePorts
  /** Stops the engines, the log last, because the others are its projections. */
  stop(): Promise<void>
  /** Resolves when an engine has died on its own: the process should end and be started again. */
  readonly failed: Promise<Error>
}

/** Starts the embedded engines, each in a thread of its own, in one folder. @throws when another process has it. */
export async function startEmbeddedEngines(options: { folder: string }): Promise<EngineHost> {
  const folder = (name: string) => ({ folder: join(options.folder, name) })
  const log = await startEmbeddedEventLog(folder('log'))
  const [analytics, index, counters] = await Promise.all([
    startEmbeddedAnalytics(folder('analytics')),
    startEmbeddedProductIndex(folder('index')),
    startEmbeddedCounters(folder('counters')),
  ])
  const served = { log, analytics, index, counters }
  return {
    ports: () => ({
      log: log.connect(),
      analytics: analytics.connect(),
      index: index.connect(),
      counters: counters.connect(),
    }),
    async stop() {
      await Promise.all([analytics.stop(), index.stop(), counters.stop()])
      await log.stop()
    },
    failed: Promise.race(Object.values(served).map((each) => each.failed)),
  }
}

export function connectEngines(ports: EnginePorts): Engines {
  return {
    log: eventLogClient(ports.log),
    analytics: analyticsClient(ports.analytics),
    index: productIndexClient(ports.index),
    counters: countersClient(ports.counters),
  }
}

export async function closeEngines(engines: Engines): Promise<void> {
  await Promise.all(Object.values(engines).map((engine) => engine.close()))
}
