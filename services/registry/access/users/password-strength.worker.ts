import { type MessagePort, parentPort } from 'node:worker_threads'
import { serveConnections } from '../../../../infra/threads/worker.ts'
import { weakness } from './password-weakness.ts'

/** The thread that rates passwords. Rating is slow: the number of patterns to try grows faster than the password. */
serveConnections(parentPort as unknown as MessagePort, { weakness }, () => {})
