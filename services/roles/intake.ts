import { createPeriodic } from '../../streams/runtime/periodic.ts'
import { intakeApp } from '../intake/app.ts'
import { type ClientHasher, createClientHasher } from '../intake/client/client-hasher.ts'
import type { Part, Shared } from './part.ts'

/** Keys change once a day; a Redis that has lost them gets them back within this time. */
const KEYS_REFRESH_MS = 600_000

/** Takes in views, clicks, purchases and page views; also while the log is away, so it is ready without it. */
export async function openIntake(shared: Shared): Promise<Part> {
  const { bootstrapToken } = shared.config
  const clientHasher = createClientHasher(shared)
  await keepKeys(clientHasher, shared)
  const intake = intakeApp({ ...shared, bootstrapToken, clientHasher, log: shared.events })
  return { routes: [intake], checks: {}, failures: [] }
}

/** While the counters are away there may be no key: clients are unknown then, and events are taken all the same. */
async function keepKeys(hasher: ClientHasher, { now, logger, stops }: Shared): Promise<void> {
  await hasher.refresh().catch((error: Error) => logger.warn(`no keys for client addresses yet: ${error.message}`))
  const turn = () => hasher.refresh().then(() => false)
  const refresh = createPeriodic({ name: 'client-keys', turn, pauseMs: KEYS_REFRESH_MS, now, logger })
  void refresh.run()
  stops.push(() => refresh.stop())
}
