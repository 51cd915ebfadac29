import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../../infra/config.ts'
import type { EngineHost, Engines } from '../../infra/engines.ts'
import type { Appender } from '../../infra/event-log/port.ts'
import type { SampledValues } from '../../infra/metrics/metrics.ts'
import type { CountedRequests } from '../../infra/metrics/requests.ts'
import type { Routes } from '../api/api.ts'
import type { HealthCheck } from '../api/health.ts'
import type { RequestLimits } from '../callers/request-limits.ts'
import type { ShowIds } from '../domain/show-id/show-id.ts'
import type { Snapshot } from '../domain/snapshot.ts'

/** What all roles of a thread share. */
export interface Shared extends Engines {
  config: Config
  logger: Logger
  /** This thread's copy of the registry. */
  snapshot: Snapshot
  showIds: ShowIds
  /** Where events are appended: the log, or the spool while the log is unavailable. */
  events: Appender
  metrics: CountedRequests
  limits: RequestLimits
  /** Sources of the gauges; each role sets its own. */
  sampled: SampledValues
  /** What is to be done before Analytics is read, so that it is up to date; the role `streams` sets it. */
  reads: { before: () => Promise<void> }
  now: () => number
  uuid: () => string
  randomBytes: (size: number) => Buffer
  /** Stops what has been started; called in reverse order. */
  stops: (() => Promise<unknown>)[]
}

/** What roles of the main thread share. They may also start threads. */
export interface SharedOfMain extends Shared {
  host: EngineHost
}

/** What a role adds to the process. */
export interface Part {
  routes: readonly Routes[]
  checks: Readonly<Record<string, HealthCheck>>
  /** Each resolves when the process can no longer do its work and should be restarted. */
  failures: readonly Promise<Error>[]
}

export const spoolFolder = ({ dataFolder }: Pick<Config, 'dataFolder'>): string => join(dataFolder, 'spool')

/** The names of the threads that serve HTTP next to the main thread. */
export const workerNames = ({ workers }: Pick<Config, 'workers'>): string[] =>
  Array.from({ length: workers - 1 }, (_, i) => `http-${i + 2}`)
