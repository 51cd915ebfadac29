import { parentPort, workerData } from 'node:worker_threads'
import { serveConnections } from '../../thread.ts'
import { type CounterStoreOptions, openCounterStore } from './store.ts'

const { close, size: _, ...methods } = openCounterStore(workerData as CounterStoreOptions)

serveConnections(parentPort!, methods, close)
