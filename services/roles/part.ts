import type { FastifyPluginAsync, FastifyPluginCallback } from 'fastify'
import type { Logger } from 'pino'
import type { Config } from '../../infra/config.ts'
import type { EngineHost, Engines } from '../../infra/engines.ts'
import type { Appender } from '../../infra/event-log/port.ts'
import type { Metrics, SampledValues } from '../../infra/metrics.ts'
import type { RequestLimits } from '../callers/request-limits.ts'
import type { ShowIds } from '../domain/show-id/show-id.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import type { HttpServer } from '../http/server.ts'
import type { HealthCheck } from '../process/health.ts'

/** What all roles of a process share. */
export interface Shared extends Engines {
  config: Config
  logger: Logger
  host: EngineHost
  /** This process's copy of the registry. */
  snapshot: Snapshot
  showIds: ShowIds
  /** Where events are appended: the log, or the spool while the log is unavailable. */
  events: Appender
  metrics: Metrics
  limits: RequestLimits
  /** Sources of the gauges; each role sets its own. */
  sampled: SampledValues
  now: () => number
  uuid: () => string
  randomBytes: (size: number) => Buffer
  /** Stops what has been started; called in reverse order. */
  stops: (() => Promise<unknown>)[]
}

export type Routes = FastifyPluginAsync | FastifyPluginCallback | ((server: HttpServer) => Promise<void>)

/** What a role adds to the process. */
export interface Part {
  routes: readonly Routes[]
  checks: Readonly<Record<string, HealthCheck>>
  /** Each resolves when the process can no longer do its work and should be restarted. */
  failures: readonly Promise<Error>[]
}
