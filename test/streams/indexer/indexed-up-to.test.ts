import { describe, expect, it, vi } from 'vitest'
import { type EventLog, LogUnavailable } from '../../../infra/event-log/port.ts'
import { IndexUnavailable, type ProductIndex } from '../../../infra/product-index/port.ts'
import { createIndexedUpTo } from '../../../streams/indexer/indexed-up-to.ts'

const NOW = 1_000

/** A log of two partitions whose records were appended at the times that the test sets, and an indexer that has processed some of them. */
function place() {
  const appended: number[][] = [[100, 200, 300], [250]]
  const processed = [0, 0]
  const log = {
    bounds: vi.fn(async () => appended.map((records, partition) => ({ partition, start: 0, end: records.length }))),
    committed: async () =>
      processed.map((offset, partition) => ({ topic: 'products', partition, offset, metadata: '' })),
    read: async (_topic: string, partition: number, from: number, max: number) =>
      appended[partition]!.map((appendedAt, offset) => ({ offset, appendedAt })).slice(from, from + max),
  }
  const index = { refresh: vi.fn(async () => {}) } satisfies Pick<ProductIndex, 'refresh'>
  const indexedUpTo = createIndexedUpTo({ log: log as unknown as EventLog, index, now: () => NOW })
  return { log, index, processed, indexedUpTo }
}

describe('the time up to which the index holds all offers', () => {
  it('is before the oldest offer that waits in any partition', async () => {
    const { processed, indexedUpTo } = place()
    processed[0] = 2
    expect(await indexedUpTo(NOW)).toBe(249)
    processed[1] = 1
    expect(await indexedUpTo(NOW)).toBe(299)
  })

  it('is the present when none waits, once the index is refreshed', async () => {
    const { index, processed, indexedUpTo } = place()
    processed.splice(0, 2, 3, 1)
    index.refresh.mockRejectedValueOnce(new IndexUnavailable('There is no such index'))
    expect(await indexedUpTo(NOW)).toBe(0)
    expect(await indexedUpTo(NOW)).toBe(NOW)
  })

  it('is not asked for again when it is known for a time', async () => {
    const { log, processed, indexedUpTo } = place()
    processed[0] = 2
    await indexedUpTo(200)
    await indexedUpTo(200)
    await indexedUpTo(249)
    expect(log.bounds).toHaveBeenCalledOnce()
  })

  it('is what was known before while the log is away', async () => {
    const { log, processed, indexedUpTo } = place()
    processed[0] = 2
    await indexedUpTo(200)
    log.bounds.mockRejectedValueOnce(new LogUnavailable('No broker answers'))
    expect(await indexedUpTo(NOW)).toBe(249)
  })

  it('is what was known before while the log does not answer', async () => {
    const { log, processed, indexedUpTo } = place()
    processed[0] = 2
    await indexedUpTo(200)
    log.bounds.mockReturnValueOnce(new Promise(() => {}))
    expect(await indexedUpTo(NOW)).toBe(249)
  })
})
