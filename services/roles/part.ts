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

/** What every role of a process shares. */
export interface Shared extends Engines {
  config: Config
  logger: Logger
  host: EngineHost
  /** The registry as this process knows it. */
  snapshot: Snapshot
  showIds: ShowIds
  /** Where events go: the log, with a spool in its place while it is away. */
  events: Appender
  metrics: Metrics
  limits: RequestLimits
  /** What the gauges read; a role sets what it knows. */
  sampled: SampledValues
  now: () => number
  uuid: () => string
  randomBytes: (size: number) => Buffer
  /** What has been started, to be ended in reverse. */
  stops: (() => Promise<unknown>)[]
}

export type Routes = FastifyPluginAsync | FastifyPluginCallback | ((server: HttpServer) => Promise<void>)

/** What a role adds to the process. */
export interface Part {
  routes: readonly Routes[]
  checks: Readonly<Record<string, HealthCheck>>
  /** Each resolves when the process can do its work no more, and should end to be started again. */
  failures: readonly Promise<Error>[]
}
