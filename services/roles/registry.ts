import { join } from 'node:path'
import { audit } from '../../infra/analytics/audit/audit.ts'
import { deepCheck } from '../../infra/analytics/audit/deep-check.ts'
import type { Config } from '../../infra/config.ts'
import { isEmbedded } from '../../infra/engine-config.ts'
import { untilThere } from '../../infra/engines/until-there.ts'
import { type EngineHost, portsIn } from '../../infra/engines.ts'
import type { EventLog } from '../../infra/event-log/port.ts'
import { type ThreadOnDemand, threadOnDemand } from '../../infra/threads/on-demand.ts'
import { MANY_NEW_OBJECTS, startWorker } from '../../infra/threads/worker.ts'
import { createIndexedUpTo } from '../../streams/indexer/indexed-up-to.ts'
import { JUDGE_GROUP } from '../../streams/judge/recount/judged-up-to.ts'
import { deadLettersWaiting, listDeadLetters, replayDeadLetters } from '../../streams/runtime/dead-letters.ts'
import { createTopicLag } from '../../streams/runtime/lag.ts'
import { awaitLeadership } from '../../streams/runtime/leader-election.ts'
import { SINK_GROUP } from '../../streams/sink/offset-metadata.ts'
import { storedTopics } from '../../streams/sink/rows.ts'
import { Problem } from '../domain/errors.ts'
import { loadOrCreateServerKeys } from '../process/server-keys.ts'
import { createTokenUse } from '../registry/access/token-use.ts'
import { createPasswordMail } from '../registry/access/users/password-mail.ts'
import { threadedPasswordStrength } from '../registry/access/users/password-strength.ts'
import { createPasswords } from '../registry/access/users/passwords.ts'
import { makeFirstOperator } from '../registry/access/users/users.ts'
import { createErasureStore } from '../registry/erasures/erasures.ts'
import { createFeedRuns } from '../registry/feeds/runs/feed-runs.ts'
import { feedRunnerClient } from '../registry/feeds/runs/runner.ts'
import { openFeedFiles } from '../registry/feeds/source/files.ts'
import { openImageFiles } from '../registry/images/files.ts'
import { threadedProductReader } from '../registry/products/product-reader.ts'
import { openRegistry } from '../registry/resources/store.ts'
import { createSecurityLog } from '../registry/security-log/security-log.ts'
import { createStoreCheck, engineChecks } from './engine-checks.ts'
import type { Part, SharedOfMain } from './part.ts'
import { registryRoutes } from './registry-routes.ts'
import type { FeedsWorkerData } from './threads/feeds.worker.ts'

/** Keeps a large feed from using up the memory of the process. */
const FEEDS_HEAP_MAX_MB = 192
const FEEDS_IDLE_MS = 60_000

/**
 * Writes the registry, imports products and feeds, and serves the management API. One process does so at a time; a second one
 * waits here until the first has stopped.
 */
export async function openRegistryRole(shared: SharedOfMain): Promise<Part> {
  const { config, host, log, analytics, index, counters, snapshot, sampled, logger, stops } = shared
  const { now, uuid, randomBytes, events } = shared
  const lead = await awaitLeadership({ log, name: 'registry', logger })
  stops.push(() => lead.stop())
  /** Runs a step of the start once the log is there. Kafka may become slow or unavailable between any two steps. */
  const untilLog = <T>(step: () => Promise<T>) => untilThere('log', logger, () => step().catch(throwCause))
  const registry = await untilLog(() => openRegistry({ log, snapshot, limits: config.limits, now, logger }))
  stops.push(() => registry.close())
  const productWriter = await untilLog(() => log.exclusiveWriter('product-updates'))
  stops.push(() => productWriter.close())
  const feeds = feedsThread(host, config)
  const productReader = threadedProductReader()
  const strength = threadedPasswordStrength()
  stops.push(() => Promise.all([feeds.close(), productReader.close(), strength.close()]))

  const files = await openFeedFiles(join(config.dataFolder, 'feeds'))
  const runner = feedRunnerClient(feeds)
  const { feedIntervalMs: intervalMs, limits } = config
  const runs = createFeedRuns({ registry, runner, files, intervalMs, limits, now, uuid, logger })
  await untilLog(() => runs.start())
  stops.push(() => runs.close())
  const expected = [...snapshot.all('Image')].map(({ id }) => id)
  const folder = join(config.dataFolder, 'images')
  const images = await untilLog(() => openImageFiles({ log, folder, expected }))
  sampled.deadLetters = deadLettersWaiting(log)

  const passwords = createPasswords()
  const { firstOperator } = config
  if (firstOperator) await untilLog(() => makeFirstOperator({ registry, passwords, strength, uuid }, firstOperator))
  const keys = config.sessionKeys ?? loadOrCreateServerKeys(join(config.dataFolder, 'session-keys'), randomBytes)
  const sessionKeys = keys.map(({ secret }) => secret)
  const keepMs = config.securityLogKeptMs
  const securityLog = createSecurityLog({ log: events, keys: sessionKeys, keepMs, now, uuid, logger })
  const sendMail = config.mail && (await import('../../infra/mail.ts')).smtpMailer(config.mail)
  const erasures = createErasureStore({ log, now, uuid, randomBytes })
  stops.push(() => erasures.close())
  const tokenUse = createTokenUse({ registry, securityLog, now })
  stops.push(() => tokenUse.close())
  return {
    routes: registryRoutes({
      log,
      analytics,
      index,
      counters,
      registry,
      snapshot,
      runs,
      productWriter,
      productReader,
      images,
      erasures,
      audit: {
        audit: () => audit({ log, analytics, now }),
        check: (span) => deepCheck({ log, analytics, now }, span),
      },
      deadLettersWaiting: sampled.deadLetters,
      processingDelayMs: createProcessingDelay(log, now),
      deadLetters: {
        list: (filter) => listDeadLetters(log, filter),
        replay: (filter) => replayDeadLetters(log, filter, now),
      },
      bootstrapToken: config.bootstrapToken,
      sessionKeys,
      passwords,
      strength,
      passwordMail: createPasswordMail({ sendMail, publicUrl: config.publicUrl, logger }),
      tokenUse,
      securityLog,
      publicUrl: config.publicUrl,
      secondFactorRequiredOf: config.secondFactorRequiredOf,
      feedIntervalMs: intervalMs,
      indexedUpTo: createIndexedUpTo({ log, index, now }),
      now,
      uuid,
      randomBytes,
    }),
    // Embedded, there is no other store; and a look into it would count as somebody who reads.
    checks: { ...engineChecks(shared), ...(isEmbedded(config.engines) ? {} : { store: createStoreCheck(shared) }) },
    failures: [feeds.failed, productReader.failed, strength.failed, registry.fenced, lead.lost],
  }
}

/** Age of the oldest event that is not judged or not stored yet; 0 when there is none. */
function createProcessingDelay(log: EventLog, now: () => number): () => Promise<number> {
  const groups = [
    createTopicLag({ log, group: JUDGE_GROUP, topics: ['ad-events'], now }),
    createTopicLag({ log, group: SINK_GROUP, topics: storedTopics, now }),
  ]
  return async () => {
    const lags = await Promise.all(groups.map((lag) => lag()))
    return Math.max(0, ...lags.flat().map(({ ageMs }) => ageMs))
  }
}

/** Throws the cause of a failed write, which says whether the log is away or another registry has taken over. */
function throwCause(error: Error): never {
  throw error instanceof Problem && error.cause ? error.cause : error
}

function feedsThread(host: EngineHost, config: Config): ThreadOnDemand {
  const start = () => {
    const links = host.links()
    const data: FeedsWorkerData = {
      links,
      logLevel: config.logLevel,
      allowPrivateAddresses: config.feedAllowPrivateAddresses,
      limits: config.limits,
    }
    return startWorker('feeds', new URL('./threads/feeds.worker.ts', import.meta.url), data, portsIn(links), {
      ...MANY_NEW_OBJECTS,
      maxOldGenerationSizeMb: FEEDS_HEAP_MAX_MB,
    })
  }
  const closedError = () => new Error('The thread that reads feeds has ended')
  return threadOnDemand(start, { idleMs: FEEDS_IDLE_MS, closedError })
}
