import { untilThere } from '../../infra/engines.ts'
import { selectionApp } from '../selection/app.ts'
import { followTraffic } from '../traffic-follower.ts'
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
  const options = { log: shared.events, elapsedMicros, deadlineMs, publicUrl, traffic }
  const selection = selectionApp({ ...shared, ...options })
  shared.sampled.emissionQueue = selection.emissionsQueued
  return { routes: [selection.plugin], checks: {}, failures: [] }
}
