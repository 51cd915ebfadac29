import { parentPort, workerData } from 'node:worker_threads'
import { serveConnections } from '../thread.ts'
import { openCounterStore } from './embedded-store.ts'
import type { Step } from './port.ts'

const store = openCounterStore(workerData as { folder: string })

serveConnections(
  parentPort!,
  {
    apply: (steps: Step[]) => store.apply(steps),
    read: (keys: string[]) => store.read(keys),
    clear: () => store.clear(),
  },
  () => store.close(),
)
