import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { Moved } from '../../threads/calls.ts'
import { serveConnections } from '../../threads/worker.ts'
import { openLogStore } from './store.ts'

/** Pause between two steps of housekeeping while there is more to do, so that appends get their turn. */
const STEP_PAUSE_MS = 10

const { folder, housekeepingMs } = workerData as { folder: string; housekeepingMs: number }
const store = openLogStore({ folder, now: Date.now })
const stopping = new AbortController()

serveConnections(
  parentPort!,
  (port) => {
    const connection = store.connect()
    port.on('close', () => void connection.disconnect().catch(() => {}))
    return {
      ...connection,
      append: async (frame: Uint8Array) => moved(await connection.append(frame)),
      appendAs: async (name: string, epoch: number, frame: Uint8Array) =>
        moved(await connection.appendAs(name, epoch, frame)),
      read: (...args: Parameters<typeof connection.read>) => moved(connection.read(...args)),
      poll: async (...args: Parameters<typeof connection.poll>) => {
        const polled = await connection.poll(...args)
        return new Moved(polled, polled.batch ? [polled.batch.frame.buffer] : [])
      },
    }
  },
  async () => {
    stopping.abort()
    await store.close()
  },
)

function moved<T extends { buffer: ArrayBuffer }>(value: T): Moved<T> {
  return new Moved(value, [value.buffer])
}

async function housekeepForEver(): Promise<void> {
  while (!stopping.signal.aborted) {
    // A full disk is reported by the appends that it stops; here it is only a reason to try again later.
    const more = await store.housekeep().catch(() => false)
    await delay(more ? STEP_PAUSE_MS : housekeepingMs, undefined, { signal: stopping.signal }).catch(() => {})
  }
}
void housekeepForEver()
