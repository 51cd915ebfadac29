import { intakeApp } from '../intake/app.ts'
import type { Part, Shared } from './part.ts'

/** Takes in views, clicks, purchases and page views; also while the log is away, so it is ready without it. */
export async function openIntake(shared: Shared): Promise<Part> {
  const { bootstrapToken } = shared.config
  return { routes: [intakeApp({ ...shared, bootstrapToken, log: shared.events })], checks: {}, failures: [] }
}
