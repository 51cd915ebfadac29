import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { type Config, InvalidConfig } from '../infra/config.ts'
import { isEmbedded } from '../infra/engine-config.ts'
import { untilThere } from '../infra/engines/until-there.ts'
import { startEngines } from '../infra/engines.ts'
import type { EventLog } from '../infra/event-log/port.ts'
import { createMetrics } from '../infra/metrics/metrics.ts'
import { createEmbeddedBuckets } from '../infra/rate-limits/embedded/rate-limits.ts'
import { registerApi } from './api/api.ts'
import { Degraded, type HealthCheck } from './api/health.ts'
import { listenForMetrics } from './api/metrics.ts'
import { serveBackups } from './backup/socket.ts'
import { createBackupSource } from './backup/source.ts'
import type { Snapshot } from './domain/snapshot.ts'
import { listen, throwUnlessFree } from './http/listen.ts'
import { createHttpServer } from './http/server.ts'
import { openSpoolRoom } from './intake/spool/room.ts'
import { dataFolderError, prepareDataFolder } from './process/data-folder.ts'
import { createLogger } from './process/logger.ts'
import { watchPartitions } from './process/partitions-watch.ts'
import { loadOrCreateServerKeys } from './process/server-keys.ts'
import { followRegistry } from './replicas/registry-follower.ts'
import { openRoles } from './roles/open-roles.ts'
import { type Shared, spoolFolder } from './roles/part.ts'
import { openShared } from './roles/shared.ts'
import { startWorkers } from './roles/threads/workers.ts'

const VERSION = '0.1.0'
/** How often to look for added partitions. Until the process knows of them, selection shows no paid ads. */
const WATCH_PARTITIONS_MS = 10_000
/** Open files that are enough for the program with all engines embedded, and for the connections of a proxy in front of it. */
const OPEN_FILES_MIN = 4_096

type ListenError = NodeJS.ErrnoException & { port?: number; address?: string; hostname?: string }

/** What the port or the host must be when nothing can listen there, by the code of the error. */
const PORT_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'a free port',
  EACCES: 'a port that this user may listen on',
}
const HOST_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: 'an address of this machine',
  ENOTFOUND: 'an address of this machine',
}

const ofHttp = namingSetting({ port: 'HTTP_PORT', host: 'HTTP_HOST' })
const ofMetrics = namingSetting({ port: 'METRICS_PORT', host: 'METRICS_HOST' })

/** A running server. */
export interface Running {
  /** The address it listens at. */
  url: string
  /** The address of its metrics; null when there is none. */
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
    for (const each of stops.splice(0).reverse())
      await each().catch((err) => logger.error({ err }, 'a part could not be closed cleanly'))
  }
  try {
    return { ...(await open(config, logger, stops)), stop }
  } catch (error) {
    await stop()
    throw dataFolderError(error as Error, config.dataFolder)
  }
}

async function open(config: Config, logger: Logger, stops: Shared['stops']): Promise<Omit<Running, 'stop'>> {
  await checkPorts(config)
  await warnOfFewFiles(logger)
  prepareDataFolder(config.dataFolder, config.engines.kafka === null)
  // The roles that own the engines' data prepare the engines. The other roles must not wait for every engine.
  const prepares = config.roles.some((role) => role === 'registry' || role === 'streams')
  const host = await startEngines({ folder: config.dataFolder, config: config.engines, prepares, logger })
  stops.push(() => host.stop())
  const showIdKeys = config.showIdKeys ?? loadOrCreateServerKeys(join(config.dataFolder, 'show-id-keys'), randomBytes)
  const buckets = config.workers > 1 ? createEmbeddedBuckets(Date.now) : null
  const spoolRoom = await openSpoolRoom({ folder: spoolFolder(config), maxBytes: config.spoolMaxBytes })
  const spools = { spoolRoom, spool: null }
  const shared = await openShared({ config, logger, stops, links: host.links(), showIdKeys, buckets, ...spools })
  const { log, counters, snapshot, sampled, uuid } = shared
  // The registry role fills the snapshot itself, and the streams have one of their own.
  if (!config.roles.includes('registry') && config.roles.some((role) => role !== 'streams')) {
    const registry = await untilThere('log', logger, () => followRegistry({ log, snapshot, logger }))
    stops.push(() => registry.close())
  }
  const parts = await openRoles(config.roles, { ...shared, host })

  const server = createHttpServer({
    logger,
    limits: config.limits,
    trustedProxies: config.trustedProxies,
    requestId: uuid,
  })
  stops.push(() => server.close())
  const checks = Object.assign({ registry: registryCheck(snapshot) }, ...parts.map((part) => part.checks))
  const { corsOrigins, publicUrl } = config
  const routes = parts.flatMap((part) => part.routes)
  await registerApi(server, routes, { metrics: shared.metrics, checks, corsOrigins, publicUrl, version: VERSION })

  const failures = [host.failed, ...parts.flatMap((part) => part.failures)]
  // An embedded log keeps its number of partitions.
  if (config.engines.kafka) {
    const watch = watchPartitions({ log, partitions: counters.shards, everyMs: WATCH_PARTITIONS_MS })
    stops.push(async () => watch.stop())
    failures.push(watch.changed)
  }
  if (host.copy && isEmbedded(config.engines)) {
    const backups = await serveBackups(createBackupSource(host.copy, config.dataFolder), config.dataFolder)
    if (backups) stops.push(() => backups.close())
    else
      logger.warn('The path of DATA_DIR is too long for a socket: make backup works only while the program is stopped')
  }
  const { httpHost, httpPort } = config
  if (config.workers > 1 && httpPort !== 0) await throwUnlessFree(httpPort, httpHost).catch(ofHttp)
  const url = await listen(server, { host: httpHost, port: httpPort, isShared: config.workers > 1 }).catch(ofHttp)
  const workers = buckets && (await startWorkers({ config, host, showIdKeys, buckets, spoolRoom, server }))
  if (workers) {
    stops.push(() => workers.stop())
    failures.push(workers.failed)
  }
  const metrics = createMetrics(sampled, async () => [
    await shared.metrics.values(),
    ...((await workers?.metrics()) ?? []),
  ])
  const measured = config.metricsAddress && (await listenForMetrics(metrics, config.metricsAddress).catch(ofMetrics))
  if (measured) stops.push(() => measured.close())
  void Promise.race(failures).then((err) => {
    logger.fatal({ err }, 'a part of the process has failed: stopping, to be started again')
    process.exitCode = 1
    process.kill(process.pid, 'SIGTERM')
  })
  return { url, metricsUrl: measured?.url ?? null, log }
}

/** Nobody should wait for the engines to learn that a port is taken. Another program may still take it in the meantime. */
async function checkPorts({ httpHost, httpPort, metricsAddress: metrics }: Config): Promise<void> {
  await throwUnlessFree(httpPort, httpHost).catch(ofHttp)
  if (metrics && !metrics.orAnyFree) await throwUnlessFree(metrics.port, metrics.host).catch(ofMetrics)
}

/** Node has raised the soft limit to the hard one before this. Only Linux has the file. */
async function warnOfFewFiles(logger: Logger): Promise<void> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const max = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY)
  if (max >= OPEN_FILES_MIN) return
  logger.warn(
    `This process may open ${max} files only (ulimit -n), and each connection is one: beyond them connections are closed and engines fail. Allow 65536.`,
  )
}

/** Makes an error of listening name the setting that causes it. @throws InvalidConfig */
export function namingSetting(settings: { port: string; host: string }): (error: ListenError) => never {
  return (error) => {
    const { code = '', port, address, hostname } = error
    if (code in PORT_PROBLEMS) throw new InvalidConfig(`${settings.port} must be ${PORT_PROBLEMS[code]}, not ${port}`)
    if (code in HOST_PROBLEMS) {
      throw new InvalidConfig(`${settings.host} must be ${HOST_PROBLEMS[code]}, not ${address ?? hostname}`)
    }
    throw error
  }
}

/** A stale copy is degraded, not failed: it still serves what it has, as all copies do while the log is unavailable. */
function registryCheck(snapshot: Snapshot): HealthCheck {
  return async () => snapshot.staleReason === null || new Degraded(snapshot.staleReason)
}
