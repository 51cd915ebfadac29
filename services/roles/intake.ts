import { intakeApp } from '../intake/app.ts'
import type { Part, Shared } from './part.ts'

/** Takes in views, clicks, purchases and page views. */
export async function openIntake(shared: Shared): Promise<Part> {
  return { routes: [intakeApp({ ...shared, log: shared.events })], checks: {}, failures: [] }
}
