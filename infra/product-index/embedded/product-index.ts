import { mkdirSync } from 'node:fs'
import { connect, type Served, soleClient, startWorker } from '../../thread.ts'
import type { ProductIndex } from '../port.ts'
import { productIndexClient } from './client.ts'

export { productIndexClient } from './client.ts'

/**
 * Starts the two threads that hold the index of `folder`: one writes, one searches, so that a feed of a hundred
 * thousand offers does not hold up a search. Each `connect()` makes a port for `productIndexClient`.
 * @throws when the folder cannot be written.
 */
export async function startEmbeddedProductIndex({ folder }: { folder: string }): Promise<Served> {
  mkdirSync(folder, { recursive: true })
  const writer = await startWorker(new URL('./writer-worker.ts', import.meta.url), { folder })
  const searcher = await startWorker(new URL('./search/worker.ts', import.meta.url), { folder })
  const link = connect(searcher.connect(), {}, () => new Error('The product index has been closed'))
  const toWriter = writer.connect()
  await link.call('follow', [toWriter], [toWriter])
  return {
    connect: () => searcher.connect(),
    async stop() {
      await searcher.stop()
      await writer.stop()
    },
    failed: Promise.race([writer.failed, searcher.failed]),
  }
}

/** The index of `folder` for one user, which stops the threads when it closes it. */
export async function openEmbeddedProductIndex(options: { folder: string }): Promise<ProductIndex> {
  const served = await startEmbeddedProductIndex(options)
  return soleClient(served, productIndexClient(served.connect()))
}
