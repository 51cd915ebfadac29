import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Analytics, QueryParams } from '../../infra/analytics/port.ts'
import type { Config } from '../../infra/config.ts'
import { closeEngines, connectEngines, type EngineLinks } from '../../infra/engines.ts'
import type { SampledValues } from '../../infra/metrics/metrics.ts'
import { createRequestMetrics } from '../../infra/metrics/requests.ts'
import type { SharedBuckets } from '../../infra/rate-limits/port.ts'
import { createBearerReader } from '../callers/bearer-tokens.ts'
import { createRequestLimits, type RequestLimits } from '../callers/request-limits.ts'
import { createTokenBuckets } from '../callers/token-buckets.ts'
import type { ServerKey } from '../domain/identity/server-keys.ts'
import { createUuid, inBlocks } from '../domain/identity/uuid.ts'
import { createShowIds } from '../domain/show-id/show-id.ts'
import { Snapshot } from '../domain/snapshot.ts'
import type { SpoolRoom } from '../intake/spool/room.ts'
import { rateLimitedLog } from '../process/rate-limited-log.ts'
import { openEvents, openLeftSpools } from './event-intake-log.ts'
import { type Shared, spoolFolder, workerNames } from './part.ts'

const TELL_ERROR_EVERY_MS = 60_000
const TELL_FORWARDER_EVERY_MS = 600_000
const now = Date.now

export interface SharedOptions {
  config: Config
  logger: Logger
  stops: Shared['stops']
  links: EngineLinks
  showIdKeys: readonly ServerKey[]
  /** Rate limits that other threads count, too. Null when no other thread does. Ignored when there is a Redis. */
  buckets: SharedBuckets | null
  /** The disk space of the spools of all threads. */
  spoolRoom: SpoolRoom
  /** The folder of this thread's spool, within the spool folder of the data folder. Null for the main thread. */
  spool: string | null
}

/** Opens what all roles of one thread share. */
export async function openShared(options: SharedOptions): Promise<Shared> {
  const { config, logger, stops, links, showIdKeys } = options
  const engines = await connectEngines(links, logger)
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
  const spools = {
    log: engines.log,
    engines: config.engines,
    folder: spoolFolder(config),
    room: options.spoolRoom,
    logger,
    now,
  }
  const events = await openEvents({ ...spools, folder: join(spools.folder, options.spool ?? '') })
  const left = options.spool === null ? await openLeftSpools(spools, workerNames(config)) : []
  stops.push(() => Promise.all([events, ...left].map((each) => each.close())))
  sampled.spool = () => sumOf([events, ...left].map((each) => each.waiting()))
  const reads = { before: async () => {} }
  const basics = { config, logger, stops, snapshot, metrics: createRequestMetrics(sampled), now }
  return {
    ...basics,
    ...engines,
    analytics: readUpToDate(engines.analytics, () => reads.before()),
    events,
    sampled,
    reads,
    showIds: createShowIds({ keys: showIdKeys }),
    limits: await openLimits(basics, options),
    uuid: createUuid({ now, randomBytes: inBlocks(randomBytes) }),
    randomBytes,
  }
}

/** Limits per minute, shared by all processes when Redis is configured. */
async function openLimits(
  shared: Pick<Shared, 'config' | 'logger' | 'snapshot' | 'metrics' | 'now' | 'stops'>,
  options: Pick<SharedOptions, 'showIdKeys' | 'buckets'>,
): Promise<RequestLimits> {
  const { config, logger, snapshot, metrics, stops } = shared
  const remote = (await openRedisBuckets(config)) ?? options.buckets
  if (remote) stops.push(() => remote.close())
  const onError = rateLimitedLog({ everyMs: TELL_ERROR_EVERY_MS, now }, (err, suppressed) =>
    logger.warn({ err, suppressed }, 'rate limits are not shared with other processes at the moment'),
  )
  const hashKey = options.showIdKeys[0]!.secret
  const buckets = createTokenBuckets({ shared: remote && { buckets: remote, hashKey }, now, onError })
  stops.push(async () => buckets.close())
  const readBearer = createBearerReader({ snapshot, bootstrapToken: config.bootstrapToken, now })
  const tellForwarder = rateLimitedLog({ everyMs: TELL_FORWARDER_EVERY_MS, now }, () =>
    logger.warn(
      'An address that sends X-Forwarded-For has reached a rate limit: if it is your proxy, add it to TRUSTED_PROXIES',
    ),
  )
  const onForwarderLimited = () => tellForwarder(undefined)
  return createRequestLimits({ limits: config.limits, buckets, snapshot, readBearer, metrics, onForwarderLimited })
}

/**
 * Analytics whose queries first let it catch up with the log.
 * @param before resolves once it has, or rejects when it could not soon: the query is answered all the same.
 */
export function readUpToDate(analytics: Analytics, before: () => Promise<void>): Analytics {
  const caughtUp = () => before().catch(() => {})
  return {
    ...analytics,
    async query<Row extends object>(sql: string, params?: QueryParams) {
      await caughtUp()
      return analytics.query<Row>(sql, params)
    },
    async queryParquet(sql, params) {
      await caughtUp()
      return analytics.queryParquet(sql, params)
    },
  }
}

const sumOf = (all: readonly { records: number; bytes: number }[]) =>
  all.reduce((sum, each) => ({ records: sum.records + each.records, bytes: sum.bytes + each.bytes }))

async function openRedisBuckets({ engines: { redis, namespace } }: Config): Promise<SharedBuckets | null> {
  if (!redis) return null
  const { connectRedisBuckets } = await import('../../infra/rate-limits/redis/rate-limits.ts')
  return connectRedisBuckets({ ...redis, namespace })
}
