import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { recordBytes } from '../../../../infra/event-log/port.ts'
import { checkedBytes } from '../../../../infra/event-log/record-check.ts'
import type { Emission } from '../../../../schemas/records/events.ts'
import { decode } from '../../../../schemas/wire/codec.ts'
import { createEmissionQueue } from '../../../../services/selection/emission/emission-queue.ts'
import { waitFor } from '../../../wait-for.ts'
import { fakeLog } from '../fakes.ts'

const emission = (requestId: string): Emission => ({
  requestId,
  shopId: 's',
  kind: 'SPONSORED',
  cid: 'c',
  uid: null,
  occurredAt: 0,
  country: null,
  elapsedMicros: 0,
  slots: [],
  phrases: [],
  lifts: [],
})

function createQueue() {
  const log = fakeLog()
  const counts = { lost: 0, errors: 0 }
  const queue = createEmissionQueue({
    log,
    onLost: (count) => {
      counts.lost += count
    },
    onError: () => {
      counts.errors++
    },
  })
  return { log, counts, queue, ids: () => log.records.map(({ value }) => decode('Emission', value!).requestId) }
}

it('writes every emission once, in order, whatever the log refuses at first', async () => {
  const { log, counts, queue, ids } = createQueue()
  let refusals = 2
  log.before = async () => {
    if (refusals-- > 0) throw new Error('down')
  }
  const expected = Array.from({ length: 1200 }, (_, i) => `r${i}`)
  for (const id of expected) queue.add(() => emission(id))
  expect(await queue.close(5_000)).toBe(0)
  expect(ids()).toEqual(expected)
  expect(counts).toEqual({ lost: 0, errors: 2 })
})

it('is not held up by an emission that is too large for the log, and counts it as lost', async () => {
  const { log, counts, queue, ids } = createQueue()
  const append = log.append.bind(log)
  log.append = async (records) => {
    checkedBytes(records)
    return append(records)
  }
  queue.add(() => emission('before'))
  queue.add(() => ({ ...emission('large'), lifts: Array(200_000).fill(1.5) }))
  queue.add(() => emission('after'))
  expect(await queue.close(1_000)).toBe(0)
  expect(ids()).toEqual(['before', 'after'])
  expect(counts).toEqual({ lost: 1, errors: 1 })
})

it('keeps a bounded number, and counts what comes over it', async () => {
  const { log, counts, queue } = createQueue()
  log.before = () => new Promise(() => {})
  for (let i = 0; i < 50_003; i++) queue.add(() => emission('r'))
  expect(queue.size).toBe(50_000)
  expect(counts.lost).toBe(3)
  expect(await queue.close(20)).toBe(50_000)
  expect(counts.lost).toBe(50_003)
})

it('keeps a bounded number of bytes, too, and writes little of them at once', async () => {
  const { log, counts, queue } = createQueue()
  const calls: number[][] = []
  const append = log.append.bind(log)
  log.append = async (records) => {
    calls.push(records.map(recordBytes))
    return append(records)
  }
  const begun = Promise.withResolvers<void>()
  log.before = () => begun.promise
  const large = { ...emission('large'), lifts: Array(50_000).fill(1.5) }
  for (let i = 0; i < 200; i++) queue.add(() => large)
  await waitFor(() => calls.length > 0)
  expect(queue.size + counts.lost).toBe(200)
  expect(queue.size).toBe(Math.floor((64 * 1024 * 1024) / calls[0]![0]!))
  begun.resolve()
  expect(await queue.close(5_000)).toBe(0)
  expect(Math.max(...calls.map((sizes) => sizes.reduce((sum, bytes) => sum + bytes)))).toBeLessThanOrEqual(1024 * 1024)
})

it('takes nothing more once it is closing', async () => {
  const { counts, queue, ids } = createQueue()
  queue.add(() => emission('before'))
  const closed = queue.close(1_000)
  queue.add(() => emission('after'))
  await closed
  await sleep(30)
  expect(ids()).toEqual(['before'])
  expect(counts.lost).toBe(1)
})

it('loses one that breaks its schema, and no other', async () => {
  const { counts, queue, ids } = createQueue()
  queue.add(() => ({ ...emission('broken'), occurredAt: 'yesterday' as never }))
  queue.add(() => emission('good'))
  await queue.close(1_000)
  expect(ids()).toEqual(['good'])
  expect(counts).toEqual({ lost: 1, errors: 1 })
})
