import { untilThere } from '../../infra/engines.ts'
import { Degraded } from '../process/health.ts'
import { followTraffic } from '../replicas/traffic-follower.ts'
import { selectionApp } from '../selection/http/app.ts'
import type { Part, Shared } from './part.ts'

/**
 * Answers ad requests. It is ready while engines are unavailable: it then serves fewer ads, and a load balancer that took it
 * out of rotation would turn fewer ads into none.
 */
export async function openSelection(shared: Shared): Promise<Part> {
  const { config, log, index, counters, events, limits, metrics, sampled, showIds, snapshot, now, uuid, logger } =
    shared
  const traffic = await untilThere('log', logger, () => followTraffic({ log, logger }))
  shared.stops.push(traffic.close)
  const pausedElsewhere = sampled.pausedPartitions
  sampled.pausedPartitions = async () => [
    ...(await pausedElsewhere()),
    ...(traffic.staleReason() === null ? [] : [{ stream: 'selection', topic: 'shop-traffic', partitions: 1 }]),
  ]
  const selection = selectionApp({
    snapshot,
    index,
    counters,
    log: events,
    showIds,
    now,
    elapsedMicros: () => performance.now() * 1000,
    uuid,
    deadlineMs: config.selectionDeadlineMs,
    traffic,
    limits,
    publicUrl: config.publicUrl,
    metrics,
  })
  sampled.emissionQueue = selection.emissionsQueued
  const checkTraffic = async () => {
    const reason = traffic.staleReason()
    return reason === null || new Degraded(reason)
  }
  return { routes: [selection.plugin], checks: { traffic: checkTraffic }, failures: [] }
}
