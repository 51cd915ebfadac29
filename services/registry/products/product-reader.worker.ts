import { type MessagePort, parentPort } from 'node:worker_threads'
import { Moved } from '../../../infra/threads/calls.ts'
import { serveConnections } from '../../../infra/threads/worker.ts'
import { readProductUpdate, type WritableFeeds } from './product-update.ts'

/** The thread that reads product updates: a body of ten thousand entries would hold up every other request. */
serveConnections(
  parentPort as unknown as MessagePort,
  {
    read(json: Uint8Array, feeds: WritableFeeds, now: number) {
      const update = readProductUpdate(json, feeds, now)
      if (update.tag !== 'READ') return update
      const { offers, itemGroups } = update
      return new Moved(
        update,
        [offers, itemGroups].flatMap(({ block, ends }) => [block.buffer, ends.buffer]),
      )
    },
  },
  () => {},
)
