import { untilThere } from '../../infra/engines.ts'
import { Degraded } from '../process/health.ts'
import { followTraffic } from '../replicas/traffic-follower.ts'
import { selectionApp } from '../selection/http/app.ts'
import type { Part, Shared } from './part.ts'

/**
 * Answers ad requests; also, with less, while an engine is away, so it is ready without them: a balancer that took it out
 * would turn fewer ads into none.
 */
export async function openSelection(shared: Shared): Promise<Part> {
  const elapsedMicros = () => performance.now() * 1000
  const { publicUrl, selectionDeadlineMs: deadlineMs } = shared.config
  const traffic = await untilThere('log', shared.logger, () => followTraffic(shared))
  shared.stops.push(traffic.close)
  const others = shared.sampled.pausedPartitions
  shared.sampled.pausedPartitions = async () => [
    ...(await others()),
    ...(traffic.staleReason() === null ? [] : [{ stream: 'selection', topic: 'shop-traffic', partitions: 1 }]),
  ]
  const options = { log: shared.events, elapsedMicros, deadlineMs, publicUrl, traffic }
  const selection = selectionApp({ ...shared, ...options })
  shared.sampled.emissionQueue = selection.emissionsQueued
  const checkTraffic = async () => {
    const reason = traffic.staleReason()
    return reason === null || new Degraded(reason)
  }
  return { routes: [selection.plugin], checks: { traffic: checkTraffic }, failures: [] }
}
