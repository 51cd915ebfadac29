import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { serve, serveConnections } from '../../thread.ts'
import type { IndexRows } from './rows.ts'
import { openIndexWriter } from './writer.ts'

const writer = openIndexWriter(workerData as { folder: string })

const attached: MessagePort[] = []

const methods = {
  write: (rows: IndexRows) => writer.write(rows),
  touched: () => writer.touched(),
  clear: () => writer.clear(),
  /** Takes a client's port from the search thread, to which the client is connected. */
  attach(port: MessagePort) {
    attached.push(port)
    serve(port, methods)
  },
}

serveConnections(parentPort!, methods, () => {
  for (const port of attached) port.close()
  writer.close()
})
