import { parentPort, workerData } from 'node:worker_threads'
import { serveConnections } from '../../thread.ts'
import type { Progress, Reservation, Step } from '../port.ts'
import { openCounterStore } from './store.ts'

const store = openCounterStore(workerData as { folder: string })

serveConnections(
  parentPort!,
  {
    apply: (steps: Step[], progress?: Progress) => store.apply(steps, progress),
    reserve: (reservations: Reservation[]) => store.reserve(reservations),
    agree: (name: string, proposed: string, ttlMs: number) => store.agree(name, proposed, ttlMs),
    read: (keys: string[]) => store.read(keys),
    positions: (sources: string[]) => store.positions(sources),
    clear: () => store.clear(),
  },
  () => store.close(),
)
