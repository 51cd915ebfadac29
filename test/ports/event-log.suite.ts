import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type Batch,
  type EventLog,
  Fenced,
  type LogConsumer,
  type LogRecord,
  LogUnavailable,
  type NewRecord,
  RECORD_MAX_BYTES,
  RecordTooLarge,
  Revoked,
} from '../../infra/event-log/port.ts'
import type { TopicName } from '../../schemas/topics.ts'
import { tries } from '../effort.ts'

/** One empty log, for one test. */
export interface EventLogHost {
  /** One more client, as another thread or process would have. */
  connect(): Promise<EventLog>
  /** Ends the log and its clients without a goodbye, and starts it again on what is stored. */
  crash(): Promise<void>
  destroy(): Promise<void>
}

const POLL = { maxRecords: 100, maxWaitMs: 2_000 }
/** An implementation may need several polls to get going; this many empty ones mean that there is nothing. */
const EMPTY_POLLS_MAX = 5
const QUIET_MS = 500

const record = (topic: TopicName, key: string | null, value: string | null): NewRecord => ({
  topic,
  key,
  value: value === null ? null : Buffer.from(value),
})
const view = (key: string, value: string) => record('page-views', key, value)
const texts = (records: LogRecord[]) => records.map(({ value }) => value?.toString() ?? null)

async function consume(consumer: LogConsumer, count: number): Promise<LogRecord[]> {
  const records: LogRecord[] = []
  for (let empty = 0; records.length < count && empty < EMPTY_POLLS_MAX; ) {
    const batch = await consumer.poll(POLL)
    if (batch) records.push(...batch.records)
    else empty += 1
  }
  return records
}

async function firstBatch(consumer: LogConsumer): Promise<Batch> {
  for (let empty = 0; empty < EMPTY_POLLS_MAX; empty++) {
    const batch = await consumer.poll(POLL)
    if (batch) return batch
  }
  throw new Error('nothing to poll')
}

async function readAll(log: EventLog, topic: TopicName): Promise<LogRecord[]> {
  const records: LogRecord[] = []
  for (const { partition, start } of await log.bounds(topic)) {
    let from = start
    for (;;) {
      const some = await log.read(topic, partition, from, 1_000)
      if (some.length === 0) break
      records.push(...some)
      from = some.at(-1)!.offset + 1
    }
  }
  return records
}

export function eventLogSuite(name: string, create: () => Promise<EventLogHost>): void {
  describe(`event log: ${name}`, () => {
    let host: EventLogHost
    let log: EventLog
    beforeEach(async () => {
      host = await create()
      log = await host.connect()
    })
    afterEach(() => host.destroy())

    describe('append', () => {
      it('an append returns the position of each record, where it is read', async () => {
        const records = [
          view('a', '1'),
          record('transactions', 'b', '2'),
          view('c', '3'),
          record('registry', 'd', null),
        ]
        const positions = await log.append(records)
        for (const [index, { topic, partition, offset }] of positions.entries()) {
          const [found] = await log.read(topic, partition, offset, 1)
          expect(found).toMatchObject({ topic, partition, offset, key: records[index]!.key })
          expect(found!.value).toEqual(records[index]!.value)
          expect(found!.appendedAt).toBeGreaterThan(0)
        }
      })

      it('appends keep the order of each key, within a call and over concurrent calls', async () => {
        const keys = ['a', 'b', 'c', 'd', 'e']
        const call = (n: number) =>
          keys.flatMap((key) => [view(key, `${key}${2 * n}`), view(key, `${key}${2 * n + 1}`)])
        await Promise.all(Array.from({ length: 50 }, (_, n) => log.append(call(n))))
        const all = await readAll(log, 'page-views')
        for (const key of keys) {
          const expected = Array.from({ length: 100 }, (_, n) => `${key}${n}`)
          expect(texts(all.filter((each) => each.key === key))).toEqual(expected)
        }
      })

      it('a key lies in one partition, and many keys in all', async () => {
        const keys = Array.from({ length: 200 }, (_, n) => `key ${n % 100}`)
        const positions = await log.append(keys.map((key) => view(key, '')))
        const partitionsOf = Map.groupBy(positions, (_, index) => keys[index]!)
        for (const places of partitionsOf.values()) expect(new Set(places.map((p) => p.partition)).size).toBe(1)
        expect(new Set(positions.map((p) => p.partition)).size).toBe(4)
      })

      it('records without a key are spread over the partitions', async () => {
        for (let n = 0; n < 100; n++) await log.append([record('page-views', null, String(n))])
        const counts = Map.groupBy(await readAll(log, 'page-views'), (each) => each.partition)
        expect([...counts.values()].flat()).toHaveLength(100)
        expect(counts.size).toBe(4)
      })

      it('keys and values are kept byte for byte', async () => {
        const anyRecord = fc.record({
          topic: fc.constantFrom<TopicName>('page-views', 'transactions', 'feed-issues'),
          key: fc.option(fc.string({ unit: 'binary' })),
          value: fc.option(fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))),
        })
        await fc.assert(
          fc.asyncProperty(fc.array(fc.array(anyRecord, { maxLength: 20 }), { maxLength: 5 }), async (calls) => {
            const positions = await Promise.all(calls.map((call) => log.append(call)))
            for (const [index, call] of calls.entries()) {
              expect(positions[index]).toHaveLength(call.length)
              for (const [at, { topic, partition, offset }] of positions[index]!.entries()) {
                const [found] = await log.read(topic, partition, offset, 1)
                expect({ key: found!.key, value: found!.value && Buffer.from(found!.value) }).toEqual({
                  key: call[at]!.key,
                  value: call[at]!.value,
                })
              }
            }
          }),
          { numRuns: tries(20, 200) },
        )
      })

      it('large values are accepted, and those above the limit refused with its size', async () => {
        const value = Buffer.alloc(900_000, 'x')
        const [position] = await log.append([{ topic: 'page-views', key: 'large', value }])
        const [found] = await log.read('page-views', position!.partition, position!.offset, 1)
        expect(value.equals(found!.value!)).toBe(true)
        const tooLarge = { topic: 'page-views', key: 'k', value: Buffer.alloc(RECORD_MAX_BYTES) } as const
        await expect(log.append([view('small', 'x'), tooLarge])).rejects.toThrow(RecordTooLarge)
        expect(await readAll(log, 'page-views')).toHaveLength(1)
      })

      it('an append of no records does nothing', async () => {
        expect(await log.append([])).toEqual([])
      })

      it('a record of a compacted topic is refused without a key', async () => {
        await expect(log.append([record('products', null, 'x')])).rejects.toThrow(/key/)
      })

      it('an acknowledged append outlives a crash', async () => {
        const positions = await log.append(Array.from({ length: 500 }, (_, n) => view(`k${n % 7}`, String(n))))
        const before = await readAll(log, 'page-views')
        await host.crash()
        log = await host.connect()
        expect(await readAll(log, 'page-views')).toEqual(before)
        const again = await log.append(Array.from({ length: 500 }, (_, n) => view(`k${n % 7}`, String(n))))
        for (const [index, { partition, offset }] of again.entries()) {
          expect(partition).toBe(positions[index]!.partition)
          expect(offset).toBeGreaterThan(positions[index]!.offset)
        }
      })
    })

    describe('consumer', () => {
      it('a consumer gets every record once, including those appended while it waits', async () => {
        await log.append(Array.from({ length: 300 }, (_, n) => view(`k${n}`, String(n))))
        const consumer = await log.consumer({ group: 'g', topics: ['page-views'] })
        const before = await consume(consumer, 300)
        const polling = consume(consumer, 1)
        await log.append([view('late', 'late')])
        const numbers = Array.from({ length: 300 }, (_, n) => String(n))
        expect(texts(before).sort()).toEqual(numbers.sort())
        expect(texts(await polling)).toEqual(['late'])
      })

      it('a poll returns records of one partition, no more than asked for', async () => {
        await log.append(Array.from({ length: 40 }, (_, n) => view(`k${n % 5}`, String(n))))
        const consumer = await log.consumer({ group: 'g', topics: ['page-views'] })
        let count = 0
        for (let empty = 0; count < 40 && empty < EMPTY_POLLS_MAX; ) {
          const batch = await consumer.poll({ maxRecords: 3, maxWaitMs: 2_000 })
          if (!batch) empty += 1
          else {
            expect(batch.records.length).toBeLessThanOrEqual(3)
            for (const { topic, partition } of batch.records) {
              expect({ topic, partition }).toEqual({ topic: batch.topic, partition: batch.partition })
            }
            count += batch.records.length
          }
        }
        expect(count).toBe(40)
      })

      it('a poll returns null when nothing comes, or when the consumer is closed', async () => {
        const consumer = await log.consumer({ group: 'g', topics: ['page-views'] })
        expect(await consumer.poll({ maxRecords: 10, maxWaitMs: 20 })).toBeNull()
        const waiting = consumer.poll({ maxRecords: 10, maxWaitMs: 25_000 })
        await consumer.close()
        expect(await waiting).toBeNull()
      })

      it('after a crash a consumer gets again what it had not committed, and nothing else', async () => {
        await log.append(Array.from({ length: 10 }, (_, n) => view('one', String(n))))
        const consumer = await log.consumer({ group: 'g', topics: ['page-views'] })
        const first = await firstBatch(consumer)
        const { topic, partition, offset } = first.records[0]!
        expect(first.assignment).toMatchObject({ topic, partition, committed: null })
        await consumer.commit(first.assignment, { offset: offset + 4, metadata: 'four done — ünï' })
        await host.crash()
        log = await host.connect()
        const next = await log.consumer({ group: 'g', topics: ['page-views'] })
        const again = await firstBatch(next)
        expect(texts([...again.records, ...(await consume(next, 6 - again.records.length))])).toEqual([...'456789'])
        const commit = { topic, partition, offset: offset + 4, metadata: 'four done — ünï' }
        expect(again.assignment.committed).toEqual(commit)
        expect(await log.committed('g')).toEqual([commit])
      })

      it('a commit stores its outputs and its offset together', async () => {
        await log.append([view('in', 'in')])
        const consumer = await log.consumer({ group: 'g', topics: ['page-views'] })
        const { topic, partition, assignment, records } = await firstBatch(consumer)
        const { offset } = records[0]!
        const outputs = [record('transactions', 'out', 'out 1'), record('transactions', 'out', 'out 2')]
        await consumer.commit(assignment, { offset: offset + 1, metadata: '' }, outputs)
        expect(texts(await readAll(log, 'transactions'))).toEqual(['out 1', 'out 2'])
        expect(await log.committed('g')).toEqual([{ topic, partition, offset: offset + 1, metadata: '' }])
      })

      it('a commit with an output that is too large stores neither outputs nor offset', async () => {
        await log.append([view('in', 'in')])
        const consumer = await log.consumer({ group: 'g', topics: ['page-views'] })
        const { assignment, records } = await firstBatch(consumer)
        const outputs: NewRecord[] = [
          record('transactions', 'out', 'out'),
          { topic: 'transactions', key: 'large', value: Buffer.alloc(RECORD_MAX_BYTES + 1) },
        ]
        const place = { offset: records[0]!.offset + 1, metadata: '' }
        await expect(consumer.commit(assignment, place, outputs)).rejects.toThrow(RecordTooLarge)
        expect(await readAll(log, 'transactions')).toEqual([])
        expect(await log.committed('g')).toEqual([])
      })

      it('a commit accepts 4,000 characters of metadata and refuses more', async () => {
        await log.append([view('in', 'in')])
        const consumer = await log.consumer({ group: 'g', topics: ['page-views'] })
        const { topic, partition, assignment, records } = await firstBatch(consumer)
        const place = { offset: records[0]!.offset + 1, metadata: 'm'.repeat(4_000) }
        await consumer.commit(assignment, place)
        const longer = { ...place, metadata: 'm'.repeat(4_001) }
        await expect(consumer.commit(assignment, longer)).rejects.toThrow(/metadata/)
        expect(await log.committed('g')).toEqual([{ topic, partition, ...place }])
      })

      it('a consumer reads on from the offset that it seeks', async () => {
        const positions = await log.append(Array.from({ length: 10 }, (_, n) => view('one', String(n))))
        const consumer = await log.consumer({ group: 'g', topics: ['page-views'] })
        const { assignment, records } = await firstBatch(consumer)
        await consume(consumer, 10 - records.length)
        consumer.seek(assignment, positions[7]!.offset)
        expect(texts(await consume(consumer, 3))).toEqual(['7', '8', '9'])
      })

      it('each group has its own offsets', async () => {
        await log.append([view('a', '1'), view('a', '2')])
        const one = await log.consumer({ group: 'one', topics: ['page-views'] })
        const two = await log.consumer({ group: 'two', topics: ['page-views'] })
        const { assignment, records } = await firstBatch(one)
        await one.commit(assignment, { offset: records[0]!.offset + 2, metadata: '' })
        expect(texts(await consume(two, 2))).toEqual(['1', '2'])
        expect(await log.committed('two')).toEqual([])
      })

      it('members share the partitions, and inherit those of a member that leaves', async () => {
        const one = await log.consumer({ group: 'g', topics: ['page-views', 'transactions'] })
        const two = await (await host.connect()).consumer({ group: 'g', topics: ['page-views', 'transactions'] })
        const haveParts = async () => {
          await Promise.all([one, two].map((each) => each.poll({ maxRecords: 1, maxWaitMs: 100 })))
          return [one, two].every((each) => each.isMember() && each.assigned().length > 0)
        }
        await expect.poll(haveParts).toBe(true)
        await log.append(Array.from({ length: 100 }, (_, n) => view(`k${n}`, String(n))))
        const [ofOne, ofTwo] = [await consumeUntilQuiet(one), await consumeUntilQuiet(two)]
        expect(texts([...ofOne, ...ofTwo]).sort()).toEqual(Array.from({ length: 100 }, (_, n) => String(n)).sort())
        expect(ofOne.length).toBeGreaterThan(0)
        expect(ofTwo.length).toBeGreaterThan(0)
        await two.close()
        expect(texts(await consume(one, ofTwo.length)).sort()).toEqual(texts(ofTwo).sort())
      })

      it('a partition has one owner, and another member takes over when it leaves', async () => {
        const first = await log.consumer({ group: 'election', topics: ['registry'] })
        await first.poll({ maxRecords: 1, maxWaitMs: 200 })
        const second = await (await host.connect()).consumer({ group: 'election', topics: ['registry'] })
        const holders = async () => {
          await Promise.all([first, second].map((each) => each.poll({ maxRecords: 1, maxWaitMs: 200 })))
          return [first, second].filter((each) => each.assigned().length > 0)
        }
        await expect.poll(holders).toHaveLength(1)
        const [held] = await holders()
        expect(held!.assigned()).toMatchObject([{ topic: 'registry', partition: 0 }])
        await expect.poll(() => [first.isMember(), second.isMember()]).toEqual([true, true])
        await held!.close()
        expect(held!.assigned()).toEqual([])
        expect(held!.isMember()).toBe(false)
        const heir = held === first ? second : first
        await expect
          .poll(() => heir.poll({ maxRecords: 1, maxWaitMs: 200 }).then(() => heir.assigned()))
          .toMatchObject([{ topic: 'registry', partition: 0 }])
        await heir.close()
      })

      it('a poll ends when its group assigns the partitions anew, while it waits and before it', async () => {
        const one = await log.consumer({ group: 'g', topics: ['page-views'] })
        const { length: partitions } = await log.bounds('page-views')
        /** Longer than a test may take: only a change ends these polls. */
        const pollUntil = async (held: number) => {
          while (one.assigned().length !== held) await one.poll({ maxRecords: 1, maxWaitMs: 600_000 })
        }
        const half = pollUntil(partitions / 2)
        const two = await (await host.connect()).consumer({ group: 'g', topics: ['page-views'] })
        await half
        const all = pollUntil(partitions)
        await two.close()
        await all
        const three = await (await host.connect()).consumer({ group: 'g', topics: ['page-views'] })
        await pollUntil(partitions / 2)
        await three.close()
      })

      it('a consumer reads nothing of a partition that it refuses until it seeks in it, and reads the others', async () => {
        const positions = await log.append(Array.from({ length: 40 }, (_, n) => view(`k${n}`, String(n))))
        const consumer = await log.consumer({ group: 'g', topics: ['page-views'] })
        const { assignment, partition, records } = await firstBatch(consumer)
        const { offset } = records[0]!
        consumer.refuse(assignment)
        const elsewhere = positions.filter((each) => each.partition !== partition)
        const others = await consume(consumer, elsewhere.length)
        expect(others.every((each) => each.partition !== partition)).toBe(true)
        await log.append(Array.from({ length: 40 }, (_, n) => view(`k${n}`, 'later')))
        expect((await consumeUntilQuiet(consumer)).every((each) => each.partition !== partition)).toBe(true)
        consumer.seek(assignment, offset)
        const again = await consume(consumer, positions.length - elsewhere.length)
        expect(again[0]).toMatchObject({ partition, offset })
      })

      it('a consumer that refuses a partition keeps its assignments of the others', async () => {
        await log.append(Array.from({ length: 40 }, (_, n) => view(`k${n}`, String(n))))
        const consumer = await log.consumer({ group: 'g', topics: ['page-views'] })
        const [refused, kept] = [await firstBatch(consumer), await firstBatch(consumer)]
        consumer.refuse(refused.assignment)
        await consumeUntilQuiet(consumer)
        await consumer.commit(kept.assignment, { offset: kept.records[0]!.offset + 1, metadata: 'kept' })
        consumer.seek(kept.assignment, 0)
        expect((await firstBatch(consumer)).assignment).toBe(kept.assignment)
      })

      it('a refused partition goes to a member that does not refuse it, which begins at the commit', async () => {
        await log.append(Array.from({ length: 40 }, (_, n) => view(`k${n}`, String(n))))
        const old = await log.consumer({ group: 'g', topics: ['page-views'] })
        const refused: LogRecord[] = []
        while (refused.length < 36) {
          const { assignment, records } = await firstBatch(old)
          await old.commit(assignment, { offset: records[0]!.offset + 1, metadata: '' })
          old.refuse(assignment)
          refused.push(...records.slice(1))
        }
        const successor = await (await host.connect()).consumer({ group: 'g', topics: ['page-views'] })
        const reading = consume(successor, 36)
        expect(await consumeUntilQuiet(old)).toEqual([])
        expect(texts(await reading).sort()).toEqual(texts(refused).sort())
        await expect.poll(() => old.poll({ maxRecords: 1, maxWaitMs: 50 }).then(() => old.assigned())).toEqual([])
        await successor.close()
      })

      it('a commit is refused once the partition has gone to another member', async () => {
        await log.append(Array.from({ length: 100 }, (_, n) => view(`k${n}`, String(n))))
        const one = await log.consumer({ group: 'g', topics: ['page-views'] })
        const polled = await batchesUntilQuiet(one)
        const two = await log.consumer({ group: 'g', topics: ['page-views'] })
        const gone = await firstBatch(two)
        const { assignment } = polled.find(({ partition }) => partition === gone.partition)!
        const place = { offset: gone.records[0]!.offset + 1, metadata: '' }
        await expect(one.commit(assignment, place, [record('transactions', 'k', 'out')])).rejects.toThrow(Revoked)
        expect(await log.committed('g')).toEqual([])
        expect(await readAll(log, 'transactions')).toEqual([])
      })

      it('an assignment that has ended allows neither commit nor seek, even when the partition has come back', async () => {
        await log.append(Array.from({ length: 100 }, (_, n) => view(`k${n}`, String(n))))
        const one = await log.consumer({ group: 'g', topics: ['page-views'] })
        const polled = await batchesUntilQuiet(one)
        const two = await log.consumer({ group: 'g', topics: ['page-views'] })
        const taken = await firstBatch(two)
        const place = { offset: taken.records.at(-1)!.offset + 1, metadata: 'by another' }
        await two.commit(taken.assignment, place)
        await two.close()
        const holds = async () => {
          await one.poll({ maxRecords: 1, maxWaitMs: 50 })
          return one.assigned().some(({ partition }) => partition === taken.partition)
        }
        await expect.poll(holds).toBe(true)
        const stale = polled.find(({ partition }) => partition === taken.partition)!.assignment
        const out = [record('transactions', 'k', 'out')]
        for (const outputs of [[], out]) {
          await expect(one.commit(stale, { offset: place.offset, metadata: '' }, outputs)).rejects.toThrow(Revoked)
        }
        one.seek(stale, taken.records[0]!.offset)
        const again = (await batchesUntilQuiet(one)).filter(({ partition }) => partition === taken.partition)
        expect(again).toEqual([])
        expect(await log.committed('g')).toEqual([{ topic: 'page-views', partition: taken.partition, ...place }])
        expect(await readAll(log, 'transactions')).toEqual([])
      })

      it('a consumer starts where its group was reset to', async () => {
        const positions = await log.append(Array.from({ length: 6 }, (_, n) => view('one', String(n))))
        const { topic, partition, offset } = positions[4]!
        await log.reset('g', [{ topic, partition, offset, metadata: 'reset' }])
        const consumer = await log.consumer({ group: 'g', topics: ['page-views'] })
        expect(texts(await consume(consumer, 2))).toEqual(['4', '5'])
        await consumer.close()
        await log.reset('g', null)
        expect(await log.committed('g')).toEqual([])
        const again = await log.consumer({ group: 'g', topics: ['page-views'] })
        expect(await consume(again, 6)).toHaveLength(6)
      })

      it('a group with members cannot be reset', async () => {
        const consumer = await log.consumer({ group: 'g', topics: ['page-views'] })
        await consumer.poll({ maxRecords: 1, maxWaitMs: 10 })
        await expect(log.reset('g', null)).rejects.toThrow()
      })
    })

    describe('tail', () => {
      it('a tail has seen the whole topic when it resolves, and follows it from then on', async () => {
        await log.append(Array.from({ length: 2_500 }, (_, n) => record('products', `k${n % 50}`, String(n))))
        const seen: LogRecord[] = []
        let wake = () => {}
        const tail = await log.tail('products', (records) => {
          seen.push(...records)
          wake()
        })
        const latest = new Map(seen.map(({ key, value }) => [key, value?.toString()]))
        expect(latest).toEqual(new Map(Array.from({ length: 50 }, (_, n) => [`k${n}`, String(2_450 + n)])))
        const known = seen.length
        const arrived = new Promise<void>((resolve) => {
          wake = resolve
        })
        await log.append([record('products', 'new', null)])
        await arrived
        expect(seen.slice(known)).toMatchObject([{ key: 'new', value: null }])
        await tail.close()
      })

      it('a tail hands over one batch at a time, in order per partition', async () => {
        await log.append(Array.from({ length: 3_000 }, (_, n) => view(`k${n % 9}`, String(n))))
        let busy = 0
        const seen: LogRecord[] = []
        const tail = await log.tail('page-views', async (records) => {
          busy += 1
          expect(busy).toBe(1)
          await new Promise((resolve) => setImmediate(resolve))
          seen.push(...records)
          busy -= 1
        })
        expect(seen).toHaveLength(3_000)
        for (const records of Map.groupBy(seen, (each) => each.partition).values()) {
          expect(records.map((r) => r.offset)).toEqual(records.map((r) => r.offset).toSorted((a, b) => a - b))
        }
        await tail.close()
      })

      it('a tail can begin in the middle of a partition, and at its end', async () => {
        const positions = await log.append(Array.from({ length: 9 }, (_, n) => record('registry', `k${n}`, String(n))))
        const tailed = async (offset: number) => {
          const seen: LogRecord[] = []
          const tail = await log.tail('registry', (records) => void seen.push(...records), [{ partition: 0, offset }])
          return { seen, tail, texts: () => texts(seen) }
        }
        const middle = await tailed(positions[6]!.offset)
        expect(middle.texts()).toEqual(['6', '7', '8'])
        const end = await tailed(positions[8]!.offset + 1)
        expect(end.texts()).toEqual([])
        await log.append([record('registry', 'k9', '9')])
        await expect.poll(end.texts).toEqual(['9'])
        await expect.poll(middle.texts).toEqual(['6', '7', '8', '9'])
        await middle.tail.close()
        await end.tail.close()
      })

      it('a tail of an empty topic resolves at once', async () => {
        const tail = await log.tail('products', () => expect.unreachable())
        await tail.close()
      })

      it('a tail rejects with what its callback throws while it catches up', async () => {
        await log.append([view('a', '1')])
        const failing = log.tail('page-views', () => {
          throw new Error('cannot read this')
        })
        await expect(failing).rejects.toThrow('cannot read this')
      })
    })

    describe('bounds, count and read', () => {
      it('bounds, count and read agree on what each partition holds', async () => {
        expect((await log.bounds('page-views')).map((each) => each.partition)).toEqual([0, 1, 2, 3])
        const positions = await log.append(Array.from({ length: 10 }, (_, n) => view('one', String(n))))
        const { partition } = positions[0]!
        const { start, end } = (await log.bounds('page-views')).find((each) => each.partition === partition)!
        expect(await log.count('page-views', partition, start, end)).toBe(10)
        expect(await log.count('page-views', partition, start, positions[3]!.offset)).toBe(3)
        expect(await log.count('page-views', partition, positions[3]!.offset, end + 100)).toBe(7)
        expect(await log.count('page-views', partition, end, end)).toBe(0)
        expect(texts(await log.read('page-views', partition, positions[6]!.offset, 2))).toEqual(['6', '7'])
        expect(await log.read('page-views', partition, end, 5)).toEqual([])
        expect(end).toBeGreaterThan(positions[9]!.offset)
      })

      it('count and read refuse a partition that does not exist', async () => {
        await expect(log.read('page-views', 99, 0, 1)).rejects.toThrow()
        await expect(log.count('registry', 1, 0, 1)).rejects.toThrow()
      })
    })

    it('records are replaced where they lie, others stay as they are; or none can be', async () => {
      const long = 'long'.repeat(100)
      const positions = await log.append(Array.from({ length: 40 }, (_, n) => view('k', `${n} ${long}`)))
      const { partition } = positions[0]!
      const before = await log.read('page-views', partition, 0, 100)
      const isReplaced = await log.replace('page-views', partition, [
        { offset: positions[39]!.offset, key: null, value: null },
        { offset: positions[0]!.offset, key: 'another', value: Buffer.from('short') },
        { offset: positions[20]!.offset, key: 'k', value: Buffer.from(`longer ${long}${long}`) },
        { offset: positions[39]!.offset + 1, key: 'k', value: Buffer.from('of no record') },
      ])
      const after = await log.read('page-views', partition, 0, 100)
      if (isReplaced) {
        before[0] = { ...before[0]!, key: 'another', value: Buffer.from('short') }
        before[20] = { ...before[20]!, value: Buffer.from(`longer ${long}${long}`) }
        before[39] = { ...before[39]!, key: null, value: null }
      }
      expect(after).toEqual(before)
      await log.append([view('k', 'next')])
      expect((await log.read('page-views', partition, positions[39]!.offset + 1, 1))[0]!.value!.toString()).toBe('next')
    })

    describe('a compacted topic', () => {
      it('a compacted topic holds the latest value of every key, and a tombstone after its values', async () => {
        await log.append(['a', 'b', 'c'].map((key) => record('products', key, `${key} old`)))
        await log.append([record('products', 'a', 'a new'), record('products', 'b', null)])
        const latest = new Map(
          (await readAll(log, 'products')).map(({ key, value }) => [key, value?.toString() ?? null]),
        )
        expect(latest).toEqual(
          new Map([
            ['a', 'a new'],
            ['b', null],
            ['c', 'c old'],
          ]),
        )
      })
    })

    describe('exclusive writer', () => {
      it('a second exclusive writer of a name fences the first', async () => {
        const first = await log.exclusiveWriter('registry')
        await first.append([record('registry', 'k', 'first')])
        const second = await (await host.connect()).exclusiveWriter('registry')
        await expect(first.append([record('registry', 'k', 'late')])).rejects.toThrow(Fenced)
        const [position] = await second.append([record('registry', 'k', 'second')])
        const [found] = await log.read('registry', position!.partition, position!.offset, 1)
        expect(texts([found!])).toEqual(['second'])
        expect(texts(await readAll(log, 'registry'))).not.toContain('late')
      })

      it('an exclusive writer leaves writers of other names alone', async () => {
        const one = await log.exclusiveWriter('one')
        await log.exclusiveWriter('two')
        await one.append([record('registry', 'k', 'v')])
        expect(texts(await readAll(log, 'registry'))).toEqual(['v'])
      })
    })

    it('a closed log is unavailable', async () => {
      const consumer = await log.consumer({ group: 'g', topics: ['page-views'] })
      await log.close()
      await log.close()
      await expect(log.append([view('a', '1')])).rejects.toThrow(LogUnavailable)
      await expect(log.read('page-views', 0, 0, 1)).rejects.toThrow(LogUnavailable)
      await expect(consumer.poll({ maxRecords: 1, maxWaitMs: 10 })).rejects.toThrow(LogUnavailable)
    })

    it('a log writes everything that was appended before its close', async () => {
      const appends = Array.from({ length: 20 }, (_, n) => log.append([view('one', String(n))]))
      await log.close()
      await Promise.all(appends)
      log = await host.connect()
      expect(await readAll(log, 'page-views')).toHaveLength(20)
    })
  })
}

/** All that comes until two polls in a row are empty, of a consumer that has joined its group. */
async function consumeUntilQuiet(consumer: LogConsumer): Promise<LogRecord[]> {
  return (await batchesUntilQuiet(consumer)).flatMap(({ records }) => records)
}

async function batchesUntilQuiet(consumer: LogConsumer): Promise<Batch[]> {
  const batches: Batch[] = []
  for (let empty = 0; empty < 2; ) {
    const batch = await consumer.poll({ maxRecords: 100, maxWaitMs: QUIET_MS })
    if (batch) batches.push(batch)
    empty = batch || !consumer.isMember() ? 0 : empty + 1
  }
  return batches
}
