import { namedStore } from '../../infra/analytics/migrate.ts'
import { OtherStore, SINK_GROUP, throwUnlessOneStore } from '../../streams/sink/offset-metadata.ts'
import { type HealthCheck, NotReady } from '../api/health.ts'
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

/**
 * Whether Analytics is the store that the streams fill: any other one, such as one that has just been made, would answer reports
 * without their rows. A process asks until it is.
 */
export function createStoreCheck({
  log,
  analytics,
  logger,
}: Pick<Shared, 'log' | 'analytics' | 'logger'>): HealthCheck {
  let isTheirs = false
  return async () => {
    if (isTheirs) return
    const [commits, store] = await Promise.all([log.committed(SINK_GROUP), namedStore(analytics)])
    try {
      throwUnlessOneStore(commits, store ?? NO_NAME)
    } catch (error) {
      if (!(error instanceof OtherStore)) throw error
      logger.error(error.message)
      throw new NotReady('the tables are not those that the streams fill')
    }
    isTheirs = true
  }
}

/** No store has this name. */
const NO_NAME = ''
