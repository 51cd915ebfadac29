import { expect, it, vi } from 'vitest'
import type { EventLog } from '../../../infra/event-log/port.ts'
import { IndexUnavailable, type ProductIndex } from '../../../infra/product-index/port.ts'
import { indexCaughtUp } from '../../../streams/indexer/indexer.ts'

/** A log of two partitions, with a group whose commits the test sets. */
function place() {
  const offsets = [10, null as number | null]
  const records = [12, 5]
  const log = {
    bounds: async () => [
      { partition: 0, start: 3, end: 12 },
      { partition: 1, start: 5, end: 5 },
    ],
    committed: async () =>
      offsets.flatMap((offset, partition) =>
        offset === null ? [] : [{ topic: 'products', partition, offset, metadata: '' }],
      ),
    read: async (_topic: string, partition: number, from: number) =>
      from < records[partition]! ? [{ partition, offset: from }] : [],
  } as unknown as EventLog
  const index = { refresh: vi.fn(async () => {}) } as unknown as ProductIndex
  return { log, index, offsets, records }
}

it('a feed run waits until the indexer has committed what the topic held, then refreshes the index', async () => {
  const { log, index, offsets } = place()
  let done = false
  const waiting = indexCaughtUp({ log, index, now: Date.now }).then(() => {
    done = true
  })
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect([done, vi.mocked(index.refresh).mock.calls.length]).toEqual([false, 0])
  offsets[0] = 12
  await waiting
  expect(index.refresh).toHaveBeenCalledOnce()
})

it('a feed run does not wait for offsets that hold no record', async () => {
  const { log, index, records } = place()
  records[0] = 10
  expect(await indexCaughtUp({ log, index, now: Date.now })).toBe(true)
})

it('a feed run stops waiting for the indexer at its time limit', async () => {
  const { log, index } = place()
  let now = 0
  expect(await indexCaughtUp({ log, index, now: () => (now += 600_000), timeLimitMs: 1_000 })).toBe(false)
})

it('a feed run waits for an index that is not made yet', async () => {
  const { log, index, offsets } = place()
  offsets[0] = 12
  vi.mocked(index.refresh).mockRejectedValueOnce(new IndexUnavailable('There is no such index'))
  expect(await indexCaughtUp({ log, index, now: Date.now })).toBe(true)
  expect(index.refresh).toHaveBeenCalledTimes(2)
})

it('a feed run fails by an index that refuses to be refreshed', async () => {
  const { log, index, offsets } = place()
  offsets[0] = 12
  vi.mocked(index.refresh).mockRejectedValueOnce(new Error('The index refused'))
  await expect(indexCaughtUp({ log, index, now: Date.now })).rejects.toThrow('The index refused')
})
