import { selectionApp } from '../selection/app.ts'
import type { Part, Shared } from './part.ts'

/**
 * Answers ad requests; also, with less, while an engine is away, so it is ready without them: a balancer that took it out
 * would turn fewer ads into none.
 */
export async function openSelection(shared: Shared): Promise<Part> {
  const elapsedMicros = () => performance.now() * 1000
  const deadlineMs = shared.config.selectionDeadlineMs
  const selection = selectionApp({ ...shared, log: shared.events, elapsedMicros, deadlineMs })
  shared.sampled.emissionQueue = selection.emissionsQueued
  return { routes: [selection.plugin], checks: {}, failures: [] }
}
