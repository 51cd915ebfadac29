import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { audit } from '../infra/analytics/audit.ts'
import { type Config, InvalidConfig, readConfig } from '../infra/config.ts'
import { closeEngines, connectEngines, startEmbeddedEngines } from '../infra/engines.ts'
import { createMetrics } from '../infra/metrics.ts'
import { listDeadLetters, replayDeadLetters } from '../streams/dead-letters.ts'
import { registerApi } from './api.ts'
import { createShowIds } from './domain/show-id.ts'
import { Snapshot } from './domain/snapshot.ts'
import { createUuid } from './domain/uuid.ts'
import { createHttpServer } from './http.ts'
import { createLogger } from './logger.ts'
import { createFeedRuns } from './registry/feeds/feed-runs.ts'
import { openFeedFiles } from './registry/feeds/files.ts'
import { feedRunnerClient } from './registry/feeds/runner.ts'
import { startProductReader } from './registry/product-reader.ts'
import { openRegistry } from './registry/store.ts'
import { selectionApp } from './selection/app.ts'
import { keptShowIdKeys } from './show-id-keys.ts'
import { startFeedsThread, startStreamsThread } from './threads.ts'

const VERSION = '0.1.0'
const now = Date.now
const uuid = createUuid({ now, randomBytes })

/** A running server. */
export interface Running {
  /** Where it listens. */
  url: string
  /** Answers what is under way, writes what is queued, and ends everything in the reverse order of the start. */
  stop(): Promise<void>
}

/** What has been started, to be ended in reverse. */
type Stops = (() => Promise<unknown>)[]

/** Starts everything in this process, and resolves once it answers requests. */
export async function start(config: Config): Promise<Running> {
  const logger = createLogger(config.logLevel)
  const stops: Stops = []
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each().catch((err) => logger.error({ err }, 'not closed well'))
  }
  try {
    return { url: await open(config, logger, stops), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function open(config: Config, logger: Logger, stops: Stops): Promise<string> {
  mkdirSync(config.dataFolder, { recursive: true })
  const host = await startEmbeddedEngines({ folder: config.dataFolder })
  stops.push(() => host.stop())
  const engines = connectEngines(host.ports())
  stops.push(() => closeEngines(engines))

  const snapshot = new Snapshot()
  const registry = await openRegistry({ log: engines.log, snapshot, now })
  stops.push(() => registry.close())
  const [streams, feeds, productReader] = await Promise.all([
    startStreamsThread(host, config),
    startFeedsThread(host, config),
    startProductReader(),
  ])
  stops.push(() => Promise.all([streams.stop(), feeds.stop(), productReader.close()]))

  const files = await openFeedFiles(join(config.dataFolder, 'feeds'))
  const runner = feedRunnerClient(feeds.connect())
  const runs = createFeedRuns({ registry, runner, files, intervalMs: config.feedIntervalMs, now, uuid, logger })
  await runs.start()
  stops.push(() => runs.close())

  const keys = config.showIdKeys ?? keptShowIdKeys(join(config.dataFolder, 'show-id-keys'), randomBytes)
  const common = { ...engines, snapshot, showIds: createShowIds({ keys }), now, uuid, randomBytes }
  const metrics = createMetrics({
    streamLags: () => streams.lags(),
    deadLetters: async () =>
      (await engines.log.bounds('dead-letters')).reduce((n, { start, end }) => n + end - start, 0),
    emissionQueue: () => selection.emissionsQueued(),
  })
  const elapsedMicros = () => performance.now() * 1000
  const selection = selectionApp({ ...common, metrics, elapsedMicros, deadlineMs: config.selectionDeadlineMs })
  const checks = {
    log: () => engines.log.bounds('registry'),
    analytics: () => engines.analytics.query('SELECT 1 AS one'),
    index: () => engines.index.get('', []),
    counters: () => engines.counters.read(['']),
    streams: () => streams.working(),
  }

  const operations = {
    audit: () => audit({ ...engines, now }),
    deadLetters: {
      list: (filter: Parameters<typeof listDeadLetters>[1]) => listDeadLetters(engines.log, filter),
      replay: (filter: Parameters<typeof replayDeadLetters>[1]) => replayDeadLetters(engines.log, filter, now),
    },
  }

  const server = createHttpServer({ logger })
  stops.push(() => server.close())
  await registerApi(server, {
    ...config,
    ...common,
    ...operations,
    registry,
    runs,
    productReader,
    selection,
    metrics,
    checks,
    version: VERSION,
  })

  void Promise.race([host.failed, streams.failed, feeds.failed, productReader.failed, registry.fenced]).then((err) => {
    logger.fatal({ err }, 'a part has died: ending, to be started again')
    process.exitCode = 1
    process.kill(process.pid, 'SIGTERM')
  })
  return server.listen({ host: config.httpHost, port: config.httpPort })
}

/** Ends the process in good order on SIGTERM and SIGINT; a second signal ends it at once. */
export function stopOnSignals(server: Running): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => server.stop().then(() => process.exit()))
  }
}

async function main(): Promise<void> {
  const server = await start(readConfig(process.env))
  stopOnSignals(server)
  process.stdout.write(`Endcap listens at ${server.url}\n`)
}

if (import.meta.main) {
  main().catch((error) => {
    process.stderr.write(error instanceof InvalidConfig ? `${error.message}\n` : `${error.stack}\n`)
    process.exit(1)
  })
}
