import { connectRedisBuckets } from '../../infra/rate-limits/redis/rate-limits.ts'
import { createBearerReader } from '../callers/bearer-tokens.ts'
import { createRequestLimits, type RequestLimits } from '../callers/request-limits.ts'
import { createTokenBuckets } from '../callers/token-buckets.ts'
import type { ShowIdKey } from '../domain/show-id/show-id.ts'
import { rateLimitedLog } from '../process/rate-limited-log.ts'
import type { Shared } from './part.ts'

const TELL_ERROR_EVERY_MS = 60_000
const TELL_FORWARDER_EVERY_MS = 600_000

/** The limits of a minute, shared with the other processes where there is a Redis. */
export function openLimits(
  shared: Pick<Shared, 'config' | 'logger' | 'snapshot' | 'metrics' | 'now' | 'stops'>,
  keys: readonly ShowIdKey[],
): RequestLimits {
  const { config, logger, snapshot, metrics, now, stops } = shared
  const { redis, namespace } = config.engines
  const remote = redis ? { buckets: connectRedisBuckets({ ...redis, namespace }), hashKey: keys[0]!.secret } : null
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
