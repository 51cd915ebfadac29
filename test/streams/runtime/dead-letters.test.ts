import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import { type EventLog, type LogRecord, LogUnavailable, type NewRecord } from '../../../infra/event-log/port.ts'
import type { TopicName } from '../../../schemas/topics.ts'
import { deadLettersWaiting, listDeadLetters, replayDeadLetters } from '../../../streams/runtime/dead-letters.ts'
import { toDeadLetter } from '../../../streams/runtime/pipeline/outcome.ts'

let folder: string
let log: EventLog
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dead-letters-'))
  log = await openEmbeddedEventLog({ folder })
})
afterEach(async () => {
  await log.close()
  await rm(folder, { recursive: true })
})

const NOW = 1_790_000_000_000
const now = () => NOW

/** Appends a record, and the dead letter of a stream that gave up on it. */
async function giveUp(stream: string, record: NewRecord): Promise<LogRecord> {
  const [position] = await log.append([record])
  const dead: LogRecord = { ...record, ...position!, appendedAt: NOW }
  await log.append([toDeadLetter(stream, dead, { offset: dead.offset, code: 'BAD', message: 'bad' }, NOW)])
  return dead
}
const record = (topic: TopicName, value: string | null): NewRecord => ({
  topic,
  key: `key of ${value?.slice(0, 10)}`,
  value: value === null ? null : Buffer.from(value),
})

async function valuesIn(topic: TopicName): Promise<(string | null)[]> {
  const values: (string | null)[] = []
  const tail = await log.tail(topic, (records) => {
    values.push(...records.map(({ value }) => value?.toString() ?? null))
  })
  await tail.close()
  return values
}

it('lists letters page by page, as filtered', async () => {
  for (let n = 0; n < 5; n++) await giveUp(n % 2 ? 'sink' : 'judge', record('page-views', String(n)))
  await giveUp('sink', record('transactions', 'sale'))
  const first = await listDeadLetters(log, { limit: 4 })
  expect(first.letters.map(({ letter }) => letter.value!.toString())).toEqual(['0', '1', '2', '3'])
  expect(first.letters[0]!.letter).toMatchObject({ stream: 'judge', topic: 'page-views', code: 'BAD', failedAt: NOW })
  const second = await listDeadLetters(log, { limit: 4, fromOffset: first.nextOffset! })
  expect(second.letters.map(({ letter }) => letter.value!.toString())).toEqual(['4', 'sale'])
  expect(second.nextOffset).toBeNull()
  const ofSink = await listDeadLetters(log, { limit: 10, stream: 'sink', topic: 'page-views' })
  expect(ofSink.letters.map(({ letter }) => letter.value!.toString())).toEqual(['1', '3'])
})

it('appends the record of a letter to its topic again, as it was, once', async () => {
  const dead = await giveUp('sink', record('page-views', 'x'))
  expect(await replayDeadLetters(log, { limit: 10 }, now)).toEqual({ replayed: 1, skipped: 0, gone: 0 })
  const [, again] = await log.read('page-views', dead.partition, dead.offset, 10)
  expect(again).toMatchObject({ key: 'key of x', value: Buffer.from('x') })
  expect(await replayDeadLetters(log, { limit: 10 }, now)).toEqual({ replayed: 0, skipped: 1, gone: 0 })
  expect(await valuesIn('page-views')).toEqual(['x', 'x'])
  expect((await listDeadLetters(log, { limit: 10 })).letters).toMatchObject([{ replayed: true }])
})

it('takes no letter for replayed whose record the log has not taken', async () => {
  await giveUp('sink', record('page-views', 'x'))
  // As Kafka does when the partitions of a topic cannot be written.
  const withoutPageViews: EventLog = {
    ...log,
    async append(records) {
      const positions = await log.append(records.filter(({ topic }) => topic !== 'page-views'))
      if (positions.length < records.length) throw new LogUnavailable('not enough replicas')
      return positions
    },
  }
  await expect(replayDeadLetters(withoutPageViews, { limit: 10 }, now)).rejects.toThrow('not enough replicas')
  expect(await valuesIn('page-views')).toEqual(['x'])
  expect(await replayDeadLetters(log, { limit: 10 }, now)).toEqual({ replayed: 1, skipped: 0, gone: 0 })
  expect(await valuesIn('page-views')).toEqual(['x', 'x'])
})

it('replays again what it is asked to', async () => {
  await giveUp('sink', record('page-views', 'x'))
  await replayDeadLetters(log, { limit: 10 }, now)
  expect(await replayDeadLetters(log, { limit: 10, again: true }, now)).toMatchObject({ replayed: 1 })
  expect(await valuesIn('page-views')).toEqual(['x', 'x', 'x'])
})

it('replays at most so many, and goes on with the next', async () => {
  for (let n = 0; n < 5; n++) await giveUp('sink', record('transactions', String(n)))
  expect(await replayDeadLetters(log, { limit: 2 }, now)).toMatchObject({ replayed: 2 })
  expect(await replayDeadLetters(log, { limit: 10 }, now)).toEqual({ replayed: 3, skipped: 2, gone: 0 })
  expect((await valuesIn('transactions')).toSorted()).toEqual(['0', '0', '1', '1', '2', '2', '3', '3', '4', '4'])
})

it('replays only what matches the stream, the topic and the range', async () => {
  await giveUp('sink', record('page-views', 'a'))
  await giveUp('judge', record('page-views', 'b'))
  await giveUp('sink', record('transactions', 'c'))
  await giveUp('sink', record('page-views', 'd'))
  const filter = { limit: 10, stream: 'sink', topic: 'page-views', fromOffset: 1 } as const
  expect(await replayDeadLetters(log, filter, now)).toEqual({ replayed: 1, skipped: 0, gone: 0 })
  expect((await valuesIn('page-views')).toSorted()).toEqual(['a', 'b', 'd', 'd'])
})

it('counts the letters that wait, without markers and what was replayed', async () => {
  const waiting = deadLettersWaiting(log)
  expect(await waiting()).toBe(0)
  for (let n = 0; n < 3; n++) await giveUp('sink', record('page-views', String(n)))
  expect(await waiting()).toBe(3)
  await replayDeadLetters(log, { limit: 2 }, now)
  await replayDeadLetters(log, { limit: 1, again: true }, now)
  expect(await waiting()).toBe(1)
  await giveUp('sink', record('page-views', 'more'))
  expect(await Promise.all([waiting(), waiting()])).toEqual([2, 2])
  expect(await deadLettersWaiting(log)()).toBe(2)
})

it('takes a value too large for its letter, and a tombstone, from where it lay', async () => {
  const large = 'x'.repeat(1_040_000)
  await giveUp('sink', record('page-views', large))
  await giveUp('indexer', record('products', null))
  expect(await replayDeadLetters(log, { limit: 10 }, now)).toEqual({ replayed: 2, skipped: 0, gone: 0 })
  expect(await valuesIn('page-views')).toEqual([large, large])
  expect(await valuesIn('products')).toEqual([null, null])
})
