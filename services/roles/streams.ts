import { startStreamsThread } from '../threads.ts'
import type { Part, Shared } from './part.ts'

/** Carries the log into its projections. */
export async function openStreams({ host, config, sampled, log, analytics, stops }: Shared): Promise<Part> {
  const streams = await startStreamsThread(host, config)
  stops.push(() => streams.stop())
  sampled.streamLags = streams.lags
  return {
    routes: [],
    checks: {
      log: () => log.bounds('registry'),
      streams: streams.working,
      analytics: () => analytics.query('SELECT 1 AS one'),
    },
    failures: [streams.failed],
  }
}
