import { randomBytes } from 'node:crypto'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { type Config, InvalidConfig, type Role, readConfig } from '../infra/config.ts'
import { isEmbedded } from '../infra/engine-config.ts'
import { closeEngines, connectEngines, startEngines, untilThere } from '../infra/engines.ts'
import type { EventLog } from '../infra/event-log/port.ts'
import { createMetrics, type SampledValues } from '../infra/metrics.ts'
import { serveBackups } from './backup/socket.ts'
import { createBackupSource } from './backup/source.ts'
import { createBearerReader } from './callers/bearer-tokens.ts'
import { createRequestLimits, type RequestLimits } from './callers/request-limits.ts'
import { createTokenBuckets } from './callers/token-buckets.ts'
import { createUuid, inBlocks } from './domain/identity/uuid.ts'
import type { ShowIdKey } from './domain/show-id/show-id.ts'
import { createShowIds } from './domain/show-id/show-id.ts'
import { Snapshot } from './domain/snapshot.ts'
import { createHttpServer } from './http/server.ts'
import { registerApi } from './process/api.ts'
import { keepFilesPrivate, prepareDataFolder } from './process/data-folder.ts'
import { Degraded, type HealthCheck } from './process/health.ts'
import { createLogger } from './process/logger.ts'
import { listenForMetrics } from './process/metrics.ts'
import { watchPartitions } from './process/partitions-watch.ts'
import { rateLimitedLog } from './process/rate-limited-log.ts'
import { loadOrCreateKeys } from './process/signing-keys.ts'
import { followRegistry } from './replicas/registry-follower.ts'
import { openEvents } from './roles/event-intake-log.ts'
import type { Part, Shared } from './roles/part.ts'

const VERSION = '0.1.0'
const TELL_ERROR_EVERY_MS = 60_000
/** Until it knows of added partitions, selection shows no paid ads. */
const WATCH_PARTITIONS_MS = 10_000
const TELL_FORWARDER_EVERY_MS = 600_000
const now = Date.now
const uuid = createUuid({ now, randomBytes: inBlocks(randomBytes) })

/** Roles are loaded only where they run, so that a process of one role restarts faster. */
const openRole: Readonly<Record<Role, (shared: Shared) => Promise<Part>>> = {
  registry: async (shared) => (await import('./roles/registry.ts')).openRegistryRole(shared),
  selection: async (shared) => (await import('./roles/selection.ts')).openSelection(shared),
  intake: async (shared) => (await import('./roles/intake.ts')).openIntake(shared),
  streams: async (shared) => (await import('./roles/streams.ts')).openStreams(shared),
}

const redisBuckets = () => import('../infra/rate-limits/redis/rate-limits.ts')

/** A running server. */
export interface Running {
  /** The address it listens at. */
  url: string
  /** The address of its metrics; null: none. */
  metricsUrl: string | null
  /** The log that it writes to, for callers in the same process. */
  log: EventLog
  /** Finishes requests in progress, writes what is queued, and stops everything in the reverse order of the start. */
  stop(): Promise<void>
}

/** Starts the roles of this process, and resolves once it answers requests. */
export async function start(config: Config): Promise<Running> {
  const logger = createLogger(config.logLevel)
  const stops: Shared['stops'] = []
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each().catch((err) => logger.error({ err }, 'not closed well'))
  }
  try {
    return { ...(await open(config, logger, stops)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function open(config: Config, logger: Logger, stops: Shared['stops']): Promise<Omit<Running, 'stop'>> {
  const shared = await openShared(config, logger, stops)
  const { host, log, counters, metrics, snapshot } = shared
  // The registry role fills the snapshot itself, and the streams have one of their own.
  if (!config.roles.includes('registry') && config.roles.some((role) => role !== 'streams')) {
    const registry = await untilThere('log', logger, () => followRegistry({ log, snapshot, logger }))
    stops.push(() => registry.close())
  }
  const parts = await Promise.all(config.roles.map((role) => openRole[role](shared)))

  const server = createHttpServer({
    logger,
    limits: config.limits,
    trustedProxies: config.trustedProxies,
    requestId: uuid,
  })
  stops.push(() => server.close())
  const checks = Object.assign({ registry: registryCheck(snapshot) }, ...parts.map((part) => part.checks))
  const { corsOrigins, publicUrl } = config
  await registerApi(server, parts, { metrics, checks, corsOrigins, publicUrl, version: VERSION })

  const failures = [host.failed, ...parts.flatMap((part) => part.failures)]
  // An embedded log keeps the number that it has.
  if (config.engines.kafka) {
    const watch = watchPartitions({ log, partitions: counters.shards, everyMs: WATCH_PARTITIONS_MS })
    stops.push(async () => watch.stop())
    failures.push(watch.changed)
  }
  void Promise.race(failures).then((err) => {
    logger.fatal({ err }, 'a part has died: ending, to be started again')
    process.exitCode = 1
    process.kill(process.pid, 'SIGTERM')
  })
  if (host.copy && isEmbedded(config.engines)) {
    const backups = await serveBackups(createBackupSource(host.copy, config.dataFolder), config.dataFolder)
    if (backups) stops.push(() => backups.close())
    else
      logger.warn('The path of DATA_DIR is too long for a socket: make backup works only while the program is stopped')
  }
  const measured = config.metricsAddress && (await listenForMetrics(metrics, config.metricsAddress))
  if (measured) stops.push(() => measured.close())
  const url = await server.listen({ host: config.httpHost, port: config.httpPort })
  return { url, metricsUrl: measured?.url ?? null, log }
}

/** A stale copy is degraded, not failed: it still serves what it has, as all copies do while the log is unavailable. */
function registryCheck(snapshot: Snapshot): HealthCheck {
  return async () => snapshot.staleReason === null || new Degraded(snapshot.staleReason)
}

async function openShared(config: Config, logger: Logger, stops: Shared['stops']): Promise<Shared> {
  prepareDataFolder(config.dataFolder)
  // The roles that own the engines' data prepare them; the other roles must not wait for every engine.
  const prepares = config.roles.some((role) => role === 'registry' || role === 'streams')
  const host = await startEngines({ folder: config.dataFolder, config: config.engines, prepares, logger })
  stops.push(() => host.stop())
  const engines = await connectEngines(host.links(), logger)
  stops.push(() => closeEngines(engines))

  const snapshot = new Snapshot()
  const sampled: SampledValues = {
    streamLags: async () => [],
    pausedPartitions: async () =>
      snapshot.staleReason === null ? [] : [{ stream: 'registry-copy', topic: 'registry', partitions: 1 }],
    deadLetters: async () => Number.NaN,
    emissionQueue: () => 0,
    spool: () => ({ records: 0, bytes: 0 }),
  }
  const { dataFolder, spoolMaxBytes } = config
  const events = await openEvents({ log: engines.log, engines: config.engines, dataFolder, spoolMaxBytes, logger, now })
  stops.push(() => events.close())
  sampled.spool = events.waiting
  const keys = config.showIdKeys ?? loadOrCreateKeys(join(config.dataFolder, 'show-id-keys'), randomBytes)
  const basics = { config, logger, stops, snapshot, metrics: createMetrics(sampled), now }
  return {
    ...basics,
    ...engines,
    host,
    events,
    sampled,
    showIds: createShowIds({ keys }),
    limits: await openLimits(basics, keys),
    uuid,
    randomBytes,
  }
}

/** Limits per minute, shared by all processes when Redis is configured. */
async function openLimits(
  shared: Pick<Shared, 'config' | 'logger' | 'snapshot' | 'metrics' | 'now' | 'stops'>,
  keys: readonly ShowIdKey[],
): Promise<RequestLimits> {
  const { config, logger, snapshot, metrics, now, stops } = shared
  const { redis, namespace } = config.engines
  const remote = redis && {
    buckets: (await redisBuckets()).connectRedisBuckets({ ...redis, namespace }),
    hashKey: keys[0]!.secret,
  }
  if (remote) stops.push(() => remote.buckets.close())
  const onError = rateLimitedLog({ everyMs: TELL_ERROR_EVERY_MS, now }, (err, suppressed) =>
    logger.warn({ err, suppressed }, 'limits are not shared with other processes now'),
  )
  const buckets = createTokenBuckets({ shared: remote, now, onError })
  stops.push(async () => buckets.close())
  const readBearer = createBearerReader({ snapshot, bootstrapToken: config.bootstrapToken, now })
  const tellForwarder = rateLimitedLog({ everyMs: TELL_FORWARDER_EVERY_MS, now }, () =>
    logger.warn('An address is limited that sends X-Forwarded-For: if it is your proxy, name it in TRUSTED_PROXIES'),
  )
  const onForwarderLimited = () => tellForwarder(undefined)
  return createRequestLimits({ limits: config.limits, buckets, snapshot, readBearer, metrics, onForwarderLimited })
}

/** Stops gracefully on SIGTERM and SIGINT; a second signal ends the process at once. */
export function stopOnSignals(server: Running): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => server.stop().then(() => process.exit()))
  }
}

async function main(): Promise<void> {
  keepFilesPrivate()
  const server = await start(readConfig(process.env))
  stopOnSignals(server)
  if (server.metricsUrl) process.stdout.write(`Metrics are at ${server.metricsUrl}\n`)
  process.stdout.write(`Endcap listens at ${server.url}\n`)
  // Written now, because a killed process would not write it at its end: the next start saves a third of its time.
  flushCompileCache()
}

if (import.meta.main) {
  main().catch((error) => {
    process.stderr.write(error instanceof InvalidConfig ? `${error.message}\n` : `${error.stack}\n`)
    process.exit(1)
  })
}
