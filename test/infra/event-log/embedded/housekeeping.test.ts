import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { packAppends, unpackRecords } from '../../../../infra/event-log/embedded/frame.ts'
import { TOMBSTONE_RETENTION_MS } from '../../../../infra/event-log/embedded/housekeeping.ts'
import { openLogStore } from '../../../../infra/event-log/embedded/store.ts'
import { type NewRecord, recordBytes } from '../../../../infra/event-log/port.ts'
import { type TopicName, topics } from '../../../../schemas/topics.ts'

let folder: string
let clock: number
let store: ReturnType<typeof openLogStore>
let log: ReturnType<typeof store.connect>

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'event-log-'))
  clock = 1_790_000_000_000
  open()
})
afterEach(async () => {
  await store.close()
  await rm(folder, { recursive: true })
})

function open(): void {
  store = openLogStore({ folder, now: () => clock })
  log = store.connect()
}

const append = (records: NewRecord[]) =>
  log.append(
    packAppends(
      records,
      records.reduce((sum, record) => sum + recordBytes(record), 0),
    ),
  )
const put = (key: string, value: string | null, topic: TopicName = 'registry'): NewRecord => ({
  topic,
  key,
  value: value === null ? null : Buffer.from(value),
})
const held = (topic: TopicName) =>
  log
    .bounds(topic)
    .flatMap(({ partition }) => unpackRecords(log.read(topic, partition, 0, 10_000), topic, partition))
    .map(({ key, value }) => [key, value?.toString() ?? null])

async function housekeep(): Promise<void> {
  while (await store.housekeep());
}

it('compaction keeps the latest value of each key, in the order of writing', async () => {
  await append([put('a', '1'), put('b', '1'), put('a', '2'), put('c', '1')])
  await append([put('b', '2'), put('a', '3')])
  await housekeep()
  expect(held('registry')).toEqual([
    ['c', '1'],
    ['b', '2'],
    ['a', '3'],
  ])
  await append([put('c', '2')])
  await housekeep()
  expect(held('registry')).toEqual([
    ['b', '2'],
    ['a', '3'],
    ['c', '2'],
  ])
  expect(log.count('registry', 0, 0, 100)).toBe(3)
})

it('compaction continues after a restart', async () => {
  await append(Array.from({ length: 1_200 }, (_, n) => put(`k${n % 3}`, String(n))))
  expect(await store.housekeep()).toBe(true)
  await store.close()
  open()
  await housekeep()
  expect(held('registry')).toEqual([
    ['k0', '1197'],
    ['k1', '1198'],
    ['k2', '1199'],
  ])
})

it('a tombstone is removed a day after its key, and never a later value', async () => {
  await append([put('a', '1'), put('b', '1'), put('a', null), put('b', null), put('b', '2')])
  await housekeep()
  expect(held('registry')).toEqual([
    ['a', null],
    ['b', '2'],
  ])
  clock += TOMBSTONE_RETENTION_MS
  await housekeep()
  expect(held('registry')).toContainEqual(['a', null])
  clock += 1
  await housekeep()
  expect(held('registry')).toEqual([['b', '2']])
})

it('the offset of a removed record is never used again', async () => {
  await append([put('a', '1'), put('a', null)])
  clock += TOMBSTONE_RETENTION_MS + 1
  await housekeep()
  expect(held('registry')).toEqual([])
  expect(log.bounds('registry')).toEqual([{ partition: 0, start: 2, end: 2 }])
  await store.close()
  open()
  expect(await append([put('a', '2')])).toEqual(Float64Array.of(0, 2))
})

it('retained records are removed after their retention, oldest first', async () => {
  await append(Array.from({ length: 1_500 }, (_, n) => put('run', String(n), 'feed-issues')))
  clock += 1_000
  await append([put('run', 'later', 'feed-issues')])
  clock += topics['feed-issues'].retentionMs - 1_000
  await housekeep()
  expect(log.count('feed-issues', 0, 0, 10_000)).toBe(1_501)
  clock += 1
  await housekeep()
  expect(held('feed-issues')).toEqual([['run', 'later']])
  expect(log.bounds('feed-issues')).toEqual([{ partition: 0, start: 1_500, end: 1_501 }])
  expect(log.count('feed-issues', 0, 0, 10_000)).toBe(1)
})

it('what was appended before a clock was set back is removed before what came after it, so that no gap is counted', async () => {
  const HOUR_MS = 3_600_000
  await append([put('run', 'first', 'feed-issues')])
  clock += HOUR_MS
  await append([put('run', 'ahead', 'feed-issues')])
  clock -= HOUR_MS
  await append([put('run', 'set back', 'feed-issues')])
  clock += topics['feed-issues'].retentionMs + 1
  await housekeep()
  expect(held('feed-issues')).toEqual([
    ['run', 'ahead'],
    ['run', 'set back'],
  ])
  expect(log.count('feed-issues', 0, 0, 10_000)).toBe(2)
  clock += HOUR_MS
  await housekeep()
  expect(held('feed-issues')).toEqual([])
  expect(log.bounds('feed-issues')).toEqual([{ partition: 0, start: 3, end: 3 }])
})

it('compacted topics have no retention', async () => {
  await append([put('a', '1')])
  clock += 10 * 400 * 86_400_000
  await housekeep()
  expect(held('registry')).toEqual([['a', '1']])
})
