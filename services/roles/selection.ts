import { selectionApp } from '../selection/app.ts'
import type { Part, Shared } from './part.ts'

/** Answers ad requests. */
export async function openSelection(shared: Shared): Promise<Part> {
  const elapsedMicros = () => performance.now() * 1000
  const deadlineMs = shared.config.selectionDeadlineMs
  const selection = selectionApp({ ...shared, log: shared.events, elapsedMicros, deadlineMs })
  shared.sampled.emissionQueue = selection.emissionsQueued
  return {
    routes: [selection.plugin],
    checks: { index: () => shared.index.get('', []), counters: () => shared.counters.read(['']) },
    failures: [],
  }
}
