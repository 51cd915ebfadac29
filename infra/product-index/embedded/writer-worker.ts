import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { serve } from '../../threads/calls.ts'
import { serveConnections } from '../../threads/worker.ts'
import type { IndexRows } from './rows.ts'
import { type IndexState, openIndexWriter, sameState } from './writer.ts'

const writer = openIndexWriter(workerData as { folder: string })

const attached: MessagePort[] = []
let change = Promise.withResolvers<void>()

/** Wakes the callers that wait for a change. */
function changed<T>(result: T): T {
  change.resolve()
  change = Promise.withResolvers()
  return result
}

const methods = {
  write: (rows: IndexRows) => changed(writer.write(rows)),
  touched: (seen: IndexState) => writer.touched(seen),
  /** Resolves once the index is in a different state from `seen`, or immediately if it already is. */
  async changedFrom(seen: IndexState): Promise<void> {
    while (sameState(seen, writer.state())) await change.promise
  },
  clear: () => changed(writer.clear()),
  /** Serves a client on a port that the search thread received from it. */
  attach(port: MessagePort) {
    attached.push(port)
    serve(port, methods)
  },
}

serveConnections(parentPort!, methods, () => {
  for (const port of attached) port.close()
  writer.close()
})
