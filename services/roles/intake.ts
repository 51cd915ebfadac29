import { createPeriodic } from '../../streams/runtime/periodic.ts'
import { intakeApp } from '../intake/app.ts'
import { createClientHasher } from '../intake/client/client-hasher.ts'
import type { Part, Shared } from './part.ts'

/** Keys change once a day. A Redis that has lost them gets them back within this time. */
const KEYS_REFRESH_MS = 600_000

/** Accepts views, clicks, purchases and page views, even while the log is unavailable: it is ready without the log. */
export async function openIntake(shared: Shared): Promise<Part> {
  const { config, counters, events, limits, metrics, showIds, snapshot, now, uuid, randomBytes, logger, stops } = shared
  // A day's key is missing when a machine has slept until another day, or its clock was set.
  const onKeyMissing = () => refresh.wake()
  const clientHasher = createClientHasher({ counters, now, randomBytes, onKeyMissing })
  // Without the counters there may be no key yet. Events are accepted nevertheless, with unknown clients.
  await clientHasher.refresh().catch((error: Error) => {
    logger.warn(`Client addresses are not hashed yet, because the keys are missing: ${error.message}`)
  })
  const turn = () => clientHasher.refresh().then(() => false)
  const refresh = createPeriodic({ name: 'client-keys', turn, pauseMs: KEYS_REFRESH_MS, now, logger })
  void refresh.run()
  stops.push(() => refresh.stop())
  const { bootstrapToken } = config
  const app = { showIds, snapshot, uuid, log: events, limits, metrics, bootstrapToken, clientHasher, now }
  return { routes: [intakeApp(app)], checks: {}, failures: [] }
}
