import { AnalyticsUnavailable } from '../../../infra/analytics/port.ts'
import { portsIn } from '../../../infra/engines.ts'
import { LogUnavailable } from '../../../infra/event-log/port.ts'
import { connect, type Remote } from '../../../infra/threads/calls.ts'
import { MANY_NEW_OBJECTS, type Served, startWorker } from '../../../infra/threads/worker.ts'
import type { OpenShopSignals } from '../../../streams/start.ts'
import type { SignalsWorkerData } from './signals.worker.ts'

/** The thread that computes signals. It starts with the first update, because most processes never become the leader. */
export function createSignalsThread(data: SignalsWorkerData) {
  let started: Promise<Served> | null = null

  async function start(): Promise<Served> {
    const file = new URL('./signals.worker.ts', import.meta.url)
    const served = await startWorker('signals', file, data, portsIn(data.links), MANY_NEW_OBJECTS)
    // This error ends the thread of the streams, and thereby the process.
    void served.failed.then((error) => {
      throw error
    })
    return served
  }

  const open: OpenShopSignals = () => {
    let remote: Remote | null = null
    return {
      async update(shopIds, today) {
        started ??= start()
        const served = await started
        remote ??= connect(
          served.connect(),
          { AnalyticsUnavailable, LogUnavailable },
          () => new Error('The signals have ended'),
        )
        return remote.call('update', [shopIds, today])
      },
      close: () => remote?.close(),
    }
  }

  return {
    open,
    async stop() {
      await (await started)?.stop()
    },
  }
}
