import { mkdirSync } from 'node:fs'
import type { MessagePort } from 'node:worker_threads'
import { connect, type Served, soleClient, startWorker } from '../../thread.ts'
import { chunksOf } from '../chunks.ts'
import { type Counters, CountersBehind, CountersUnavailable, type Outcome } from '../port.ts'

/** Steps of one transaction: longer lists are cut, so that reads get their turn in between. */
const STEPS_PER_TRANSACTION = 1000

/**
 * Starts the thread that holds the counters of `folder`, in one SQLite file. Only one may run for a folder.
 * @throws when the folder is in use or cannot be written.
 */
export function startEmbeddedCounters({ folder }: { folder: string }): Promise<Served> {
  mkdirSync(folder, { recursive: true })
  return startWorker(new URL('./worker.ts', import.meta.url), { folder })
}

/** The counters behind a port of `startEmbeddedCounters`, for any thread. */
export function countersClient(port: MessagePort): Counters {
  const remote = connect(
    port,
    { CountersUnavailable, CountersBehind },
    () => new CountersUnavailable('The counters have been closed'),
  )
  return {
    async apply(steps, progress) {
      const outcomes: Outcome[] = []
      for (const chunk of chunksOf(steps, STEPS_PER_TRANSACTION, progress)) {
        outcomes.push(...(await remote.call<Outcome[]>('apply', [chunk.steps, chunk.progress])))
      }
      return outcomes
    },
    reserve: (reservations) => remote.call('reserve', [reservations]),
    agree: (name, proposed, ttlMs) => remote.call('agree', [name, proposed, ttlMs]),
    read: (keys) => remote.call('read', [keys]),
    positions: (sources) => remote.call('positions', [sources]),
    clear: () => remote.call('clear', []),
    async close() {
      remote.close()
    },
  }
}

/** Counters of `folder` for one user, which stops the thread when it closes them. */
export async function openEmbeddedCounters(options: { folder: string }): Promise<Counters> {
  const served = await startEmbeddedCounters(options)
  return soleClient(served, countersClient(served.connect()))
}
