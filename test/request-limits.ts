import { createBearerReader } from '../services/callers/bearer-tokens.ts'
import { createRequestLimits, type RequestLimits } from '../services/callers/request-limits.ts'
import { createTokenBuckets } from '../services/callers/token-buckets.ts'
import { defaultLimits, type Limits } from '../services/domain/limits.ts'
import { Snapshot } from '../services/domain/snapshot.ts'

/** The limits of one process; missing ones have the usual values. `limited` receives the name of each limit that refuses a request. */
export function requestLimits(options: {
  limits?: Partial<Limits> | undefined
  snapshot?: Snapshot
  bootstrapToken?: string
  now?: () => number
  limited?: string[] | undefined
}): RequestLimits {
  const { limits, snapshot = new Snapshot(), bootstrapToken = null, now = Date.now, limited = [] } = options
  return createRequestLimits({
    limits: { ...defaultLimits, ...limits },
    buckets: createTokenBuckets({ shared: null, now, onError: () => {} }),
    snapshot,
    readBearer: createBearerReader({ snapshot, bootstrapToken, now }),
    metrics: { requestLimited: (limit) => void limited.push(limit) },
    onForwarderLimited: () => void limited.push('FORWARDER'),
  })
}
