import { untilThere } from '../../infra/engines/until-there.ts'
import { Degraded } from '../api/health.ts'
import { followLifts } from '../replicas/lifts-follower.ts'
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
  const lifts = await untilThere('log', logger, () => followLifts({ log, logger }))
  shared.stops.push(traffic.close, lifts.close)
  const stale = () =>
    Object.entries({ 'shop-traffic': traffic, 'phrase-lifts': lifts }).flatMap(([topic, follower]) => {
      const reason = follower.staleReason()
      return reason === null ? [] : [{ topic, reason }]
    })
  const pausedElsewhere = sampled.pausedPartitions
  sampled.pausedPartitions = async () => [
    ...(await pausedElsewhere()),
    ...stale().map(({ topic }) => ({ stream: 'selection', topic, partitions: 1 })),
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
    lifts,
    limits,
    publicUrl: config.publicUrl,
    metrics,
  })
  sampled.emissionQueue = selection.emissionsQueued
  const checkTraffic = async () => {
    const [first] = stale()
    return first === undefined || new Degraded(first.reason)
  }
  return { routes: [selection.plugin], checks: { traffic: checkTraffic }, failures: [] }
}
