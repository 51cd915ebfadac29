import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { serve } from '../../threads/calls.ts'
import { serveConnections } from '../../threads/worker.ts'
import type { IndexRows } from './rows.ts'
import { type IndexState, openIndexWriter, sameState } from './writer.ts'

const writer = openIndexWriter(workerData as { folder: string })

const attached: MessagePort[] = []
let change = Promise.withResolvers<void>()

/** Wakes who waits for a change. */
function changed<T>(result: T): T {
  change.resolve()
  change = Promise.withResolvers()
  return result
}

const methods = {
  write: (rows: IndexRows) => changed(writer.write(rows)),
  touched: (seen: IndexState) => writer.touched(seen),
  /** Resolves once the index is in another state than `seen`: at once, if it is already. */
  async changedFrom(seen: IndexState): Promise<void> {
    while (sameState(seen, writer.state())) await change.promise
  },
  clear: () => changed(writer.clear()),
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
