import type { HealthCheck } from '../api/health.ts'
import type { Shared } from './part.ts'

/** Health checks: whether each engine answers. */
export function engineChecks({ log, analytics, index, counters }: Shared) {
  return {
    log: () => log.bounds('registry'),
    analytics: () => analytics.ping(),
    index: () => index.get('', []),
    counters: () => counters.complete(),
  } satisfies Record<string, HealthCheck>
}
