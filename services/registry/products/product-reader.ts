import { threadOnDemand } from '../../../infra/threads/on-demand.ts'
import { startWorker } from '../../../infra/threads/worker.ts'
import { type ProductUpdate, readProductUpdate, type WritableFeeds } from './product-update.ts'

/** Reads bodies of product updates, in a thread of its own (`threadedProductReader`) or in the caller's. */
export interface ProductReader {
  /** `json` may be transferred to the thread: the caller must not read it again. */
  read(json: Uint8Array<ArrayBuffer>, feeds: WritableFeeds, now: number): Promise<ProductUpdate>
  close(): Promise<void>
}

/** Blocks the calling thread while it reads. */
export const inlineProductReader: ProductReader = {
  read: async (json, feeds, now) => readProductUpdate(json, feeds, now),
  close: async () => {},
}

const IDLE_MS = 60_000

/** `failed` resolves when the thread has died: every read rejects from then on. */
export function threadedProductReader(): ProductReader & { readonly failed: Promise<Error> } {
  const thread = threadOnDemand(
    () => startWorker('product-reader', new URL('./product-reader.worker.ts', import.meta.url), null),
    {
      idleMs: IDLE_MS,
      closedError: () => new Error('The product reader has been closed'),
    },
  )
  return {
    failed: thread.failed,
    // A buffer that shares its memory with others must be copied. Large buffers have memory of their own.
    read: (json, feeds, now) =>
      thread.call('read', [json, feeds, now], json.byteLength === json.buffer.byteLength ? [json.buffer] : []),
    close: thread.close,
  }
}
