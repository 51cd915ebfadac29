import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createAppender } from '../../../../infra/event-log/embedded/append.ts'
import { eachAppend } from '../../../../infra/event-log/embedded/frame.ts'
import type { NewRecord } from '../../../../infra/event-log/port.ts'

const GATHER_MS = 4
const record: NewRecord = { topic: 'page-views', key: 'k', value: Buffer.alloc(10) }
const large: NewRecord = { ...record, value: Buffer.alloc(100_000) }

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** An appender, and in `sent` the number of records in each message to the log's thread. */
function appender() {
  const sent: number[] = []
  const remote = {
    call: async <T>(_method: string, [frame]: unknown[]) => {
      const { buffer } = frame as Uint8Array
      const records = [...eachAppend(Buffer.from(buffer))].length
      sent.push(records)
      return new Float64Array(2 * records) as T
    },
    close() {},
  }
  return { ...createAppender(remote, GATHER_MS), sent }
}

it('sends the first append at once, and those that follow it within the time to gather together', async () => {
  const { append, sent } = appender()
  const appended = [append([record])]
  await vi.advanceTimersByTimeAsync(0)
  expect(sent).toEqual([1])
  for (let ms = 1; ms < GATHER_MS; ms++) {
    await vi.advanceTimersByTimeAsync(1)
    appended.push(append([record, record]))
  }
  expect(sent).toEqual([1])
  await vi.advanceTimersByTimeAsync(1)
  expect(sent).toEqual([1, 6])
  expect((await Promise.all(appended)).map((positions) => positions.length)).toEqual([1, 2, 2, 2])
})

it('lets an append that comes after the time to gather not wait', async () => {
  const { append, sent } = appender()
  for (const each of [1, 2]) {
    await vi.advanceTimersByTimeAsync(GATHER_MS)
    void append([record])
    await vi.advanceTimersByTimeAsync(0)
    expect(sent).toHaveLength(each)
  }
})

it('waits for no others once there are many, or large ones', async () => {
  const { append, sent } = appender()
  void append([record])
  await vi.advanceTimersByTimeAsync(0)
  for (let n = 0; n < 16; n++) void append([record])
  await vi.advanceTimersByTimeAsync(0)
  void append([record])
  void append([large])
  await vi.advanceTimersByTimeAsync(0)
  expect(sent).toEqual([1, 16, 2])
})

it('sends what still waits when it is told to', async () => {
  const { append, flush, sent } = appender()
  void append([record])
  await vi.advanceTimersByTimeAsync(0)
  void append([record])
  flush()
  await vi.advanceTimersByTimeAsync(GATHER_MS)
  expect(sent).toEqual([1, 1])
})
