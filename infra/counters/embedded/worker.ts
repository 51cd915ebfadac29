import { parentPort, workerData } from 'node:worker_threads'
import { serveConnections } from '../../threads/worker.ts'
import { createGroupCommit } from './group-commit.ts'
import { type CounterStoreOptions, openCounterStore } from './store.ts'

const { close, size: _, storeAll, ...methods } = openCounterStore(workerData as CounterStoreOptions)
const { store, commit } = createGroupCommit(storeAll)

serveConnections(parentPort!, { ...methods, store }, () => {
  commit()
  close()
})
