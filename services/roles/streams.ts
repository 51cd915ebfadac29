import { engineChecks } from './engine-checks.ts'
import type { Part, Shared } from './part.ts'
import { startStreamsThread } from './threads.ts'

/** Carries the log into its projections. */
export async function openStreams(shared: Shared): Promise<Part> {
  const { host, config, sampled, stops } = shared
  const { log, analytics } = engineChecks(shared)
  const streams = await startStreamsThread(host, config)
  stops.push(() => streams.stop())
  sampled.streamLags = streams.lags
  const others = sampled.pausedPartitions
  sampled.pausedPartitions = async () => [...(await others()), ...(await streams.pausedPartitions())]
  return {
    routes: [],
    checks: { log, streams: streams.working, analytics },
    failures: [streams.failed],
  }
}
