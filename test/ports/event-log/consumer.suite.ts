import { describe, expect, it } from 'vitest'
import {
  type LogRecord,
  type NewRecord,
  RECORD_MAX_BYTES,
  RecordTooLarge,
  Revoked,
} from '../../../infra/event-log/port.ts'
import {
  batchesUntilQuiet,
  consume,
  consumeUntilQuiet,
  EMPTY_POLLS_MAX,
  firstBatch,
  type LogWorld,
  readAll,
  record,
  texts,
  view,
} from './world.ts'

/** What consumer groups promise. */
export function consumerSuite(world: LogWorld): void {
  describe('consumer', () => {
    it('a consumer gets every record once, including those appended while it waits', async () => {
      await world.log.append(Array.from({ length: 300 }, (_, n) => view(`k${n}`, String(n))))
      const consumer = await world.log.consumer({ group: 'g', topics: ['page-views'] })
      const before = await consume(consumer, 300)
      const polling = consume(consumer, 1)
      await world.log.append([view('late', 'late')])
      const numbers = Array.from({ length: 300 }, (_, n) => String(n))
      expect(texts(before).sort()).toEqual(numbers.sort())
      expect(texts(await polling)).toEqual(['late'])
    })

    it('a poll returns records of one partition, no more than asked for', async () => {
      await world.log.append(Array.from({ length: 40 }, (_, n) => view(`k${n % 5}`, String(n))))
      const consumer = await world.log.consumer({ group: 'g', topics: ['page-views'] })
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
      const consumer = await world.log.consumer({ group: 'g', topics: ['page-views'] })
      expect(await consumer.poll({ maxRecords: 10, maxWaitMs: 20 })).toBeNull()
      const waiting = consumer.poll({ maxRecords: 10, maxWaitMs: 25_000 })
      await consumer.close()
      expect(await waiting).toBeNull()
    })

    it('after a crash a consumer gets again what it had not committed, and nothing else', async () => {
      await world.log.append(Array.from({ length: 10 }, (_, n) => view('one', String(n))))
      const consumer = await world.log.consumer({ group: 'g', topics: ['page-views'] })
      const first = await firstBatch(consumer)
      const { topic, partition, offset } = first.records[0]!
      expect(first.assignment).toMatchObject({ topic, partition, committed: null })
      await consumer.commit(first.assignment, { offset: offset + 4, metadata: 'four done — ünï' })
      await world.host.crash()
      await world.reconnect()
      const next = await world.log.consumer({ group: 'g', topics: ['page-views'] })
      const again = await firstBatch(next)
      expect(texts([...again.records, ...(await consume(next, 6 - again.records.length))])).toEqual([...'456789'])
      const commit = { topic, partition, offset: offset + 4, metadata: 'four done — ünï' }
      expect(again.assignment.committed).toEqual(commit)
      expect(await world.log.committed('g')).toEqual([commit])
    })

    it('a commit stores its outputs and its offset together', async () => {
      await world.log.append([view('in', 'in')])
      const consumer = await world.log.consumer({ group: 'g', topics: ['page-views'] })
      const { topic, partition, assignment, records } = await firstBatch(consumer)
      const { offset } = records[0]!
      const outputs = [record('transactions', 'out', 'out 1'), record('transactions', 'out', 'out 2')]
      await consumer.commit(assignment, { offset: offset + 1, metadata: '' }, outputs)
      expect(texts(await readAll(world.log, 'transactions'))).toEqual(['out 1', 'out 2'])
      expect(await world.log.committed('g')).toEqual([{ topic, partition, offset: offset + 1, metadata: '' }])
    })

    it('a commit with an output that is too large stores neither outputs nor offset', async () => {
      await world.log.append([view('in', 'in')])
      const consumer = await world.log.consumer({ group: 'g', topics: ['page-views'] })
      const { assignment, records } = await firstBatch(consumer)
      const outputs: NewRecord[] = [
        record('transactions', 'out', 'out'),
        { topic: 'transactions', key: 'large', value: Buffer.alloc(RECORD_MAX_BYTES + 1) },
      ]
      const place = { offset: records[0]!.offset + 1, metadata: '' }
      await expect(consumer.commit(assignment, place, outputs)).rejects.toThrow(RecordTooLarge)
      expect(await readAll(world.log, 'transactions')).toEqual([])
      expect(await world.log.committed('g')).toEqual([])
    })

    it('a commit accepts 4,000 characters of metadata and refuses more', async () => {
      await world.log.append([view('in', 'in')])
      const consumer = await world.log.consumer({ group: 'g', topics: ['page-views'] })
      const { topic, partition, assignment, records } = await firstBatch(consumer)
      const place = { offset: records[0]!.offset + 1, metadata: 'm'.repeat(4_000) }
      await consumer.commit(assignment, place)
      const longer = { ...place, metadata: 'm'.repeat(4_001) }
      await expect(consumer.commit(assignment, longer)).rejects.toThrow(/metadata/)
      expect(await world.log.committed('g')).toEqual([{ topic, partition, ...place }])
    })

    it('a consumer reads on from the offset that it seeks', async () => {
      const positions = await world.log.append(Array.from({ length: 10 }, (_, n) => view('one', String(n))))
      const consumer = await world.log.consumer({ group: 'g', topics: ['page-views'] })
      const { assignment, records } = await firstBatch(consumer)
      await consume(consumer, 10 - records.length)
      consumer.seek(assignment, positions[7]!.offset)
      expect(texts(await consume(consumer, 3))).toEqual(['7', '8', '9'])
    })

    it('each group has its own offsets', async () => {
      await world.log.append([view('a', '1'), view('a', '2')])
      const one = await world.log.consumer({ group: 'one', topics: ['page-views'] })
      const two = await world.log.consumer({ group: 'two', topics: ['page-views'] })
      const { assignment, records } = await firstBatch(one)
      await one.commit(assignment, { offset: records[0]!.offset + 2, metadata: '' })
      expect(texts(await consume(two, 2))).toEqual(['1', '2'])
      expect(await world.log.committed('two')).toEqual([])
    })

    it('members share the partitions, and inherit those of a member that leaves', async () => {
      const one = await world.log.consumer({ group: 'g', topics: ['page-views', 'transactions'] })
      const two = await (await world.host.connect()).consumer({ group: 'g', topics: ['page-views', 'transactions'] })
      const haveParts = async () => {
        await Promise.all([one, two].map((each) => each.poll({ maxRecords: 1, maxWaitMs: 100 })))
        return [one, two].every((each) => each.isMember() && each.assigned().length > 0)
      }
      await expect.poll(haveParts).toBe(true)
      await world.log.append(Array.from({ length: 100 }, (_, n) => view(`k${n}`, String(n))))
      const [ofOne, ofTwo] = [await consumeUntilQuiet(one), await consumeUntilQuiet(two)]
      expect(texts([...ofOne, ...ofTwo]).sort()).toEqual(Array.from({ length: 100 }, (_, n) => String(n)).sort())
      expect(ofOne.length).toBeGreaterThan(0)
      expect(ofTwo.length).toBeGreaterThan(0)
      await two.close()
      expect(texts(await consume(one, ofTwo.length)).sort()).toEqual(texts(ofTwo).sort())
    })

    it('a partition has one owner, and another member takes over when it leaves', async () => {
      const first = await world.log.consumer({ group: 'election', topics: ['registry'] })
      await first.poll({ maxRecords: 1, maxWaitMs: 200 })
      const second = await (await world.host.connect()).consumer({ group: 'election', topics: ['registry'] })
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
      const one = await world.log.consumer({ group: 'g', topics: ['page-views'] })
      const { length: partitions } = await world.log.bounds('page-views')
      /** The polls wait longer than the test may take, so only a change of the assignment ends them. */
      const pollUntil = async (held: number) => {
        while (one.assigned().length !== held) await one.poll({ maxRecords: 1, maxWaitMs: 600_000 })
      }
      const half = pollUntil(partitions / 2)
      const two = await (await world.host.connect()).consumer({ group: 'g', topics: ['page-views'] })
      await half
      const all = pollUntil(partitions)
      await two.close()
      await all
      const three = await (await world.host.connect()).consumer({ group: 'g', topics: ['page-views'] })
      await pollUntil(partitions / 2)
      await three.close()
    })

    it('a consumer reads nothing of a partition that it refuses until it seeks in it, and reads the others', async () => {
      const positions = await world.log.append(Array.from({ length: 40 }, (_, n) => view(`k${n}`, String(n))))
      const consumer = await world.log.consumer({ group: 'g', topics: ['page-views'] })
      const { assignment, partition, records } = await firstBatch(consumer)
      const { offset } = records[0]!
      consumer.refuse(assignment)
      const elsewhere = positions.filter((each) => each.partition !== partition)
      const others = await consume(consumer, elsewhere.length)
      expect(others.every((each) => each.partition !== partition)).toBe(true)
      await world.log.append(Array.from({ length: 40 }, (_, n) => view(`k${n}`, 'later')))
      expect((await consumeUntilQuiet(consumer)).every((each) => each.partition !== partition)).toBe(true)
      consumer.seek(assignment, offset)
      const again = await consume(consumer, positions.length - elsewhere.length)
      expect(again[0]).toMatchObject({ partition, offset })
    })

    it('a consumer that refuses a partition keeps its assignments of the others', async () => {
      await world.log.append(Array.from({ length: 40 }, (_, n) => view(`k${n}`, String(n))))
      const consumer = await world.log.consumer({ group: 'g', topics: ['page-views'] })
      const [refused, kept] = [await firstBatch(consumer), await firstBatch(consumer)]
      consumer.refuse(refused.assignment)
      await consumeUntilQuiet(consumer)
      await consumer.commit(kept.assignment, { offset: kept.records[0]!.offset + 1, metadata: 'kept' })
      consumer.seek(kept.assignment, 0)
      expect((await firstBatch(consumer)).assignment).toBe(kept.assignment)
    })

    it('a refused partition goes to a member that does not refuse it, which begins at the commit', async () => {
      await world.log.append(Array.from({ length: 40 }, (_, n) => view(`k${n}`, String(n))))
      const old = await world.log.consumer({ group: 'g', topics: ['page-views'] })
      const refused: LogRecord[] = []
      while (refused.length < 36) {
        const { assignment, records } = await firstBatch(old)
        await old.commit(assignment, { offset: records[0]!.offset + 1, metadata: '' })
        old.refuse(assignment)
        refused.push(...records.slice(1))
      }
      const successor = await (await world.host.connect()).consumer({ group: 'g', topics: ['page-views'] })
      const reading = consume(successor, 36)
      expect(await consumeUntilQuiet(old)).toEqual([])
      expect(texts(await reading).sort()).toEqual(texts(refused).sort())
      await expect.poll(() => old.poll({ maxRecords: 1, maxWaitMs: 50 }).then(() => old.assigned())).toEqual([])
      await successor.close()
    })

    it('a commit is refused once the partition has gone to another member', async () => {
      await world.log.append(Array.from({ length: 100 }, (_, n) => view(`k${n}`, String(n))))
      const one = await world.log.consumer({ group: 'g', topics: ['page-views'] })
      const polled = await batchesUntilQuiet(one)
      const two = await world.log.consumer({ group: 'g', topics: ['page-views'] })
      const gone = await firstBatch(two)
      const { assignment } = polled.find(({ partition }) => partition === gone.partition)!
      const place = { offset: gone.records[0]!.offset + 1, metadata: '' }
      await expect(one.commit(assignment, place, [record('transactions', 'k', 'out')])).rejects.toThrow(Revoked)
      expect(await world.log.committed('g')).toEqual([])
      expect(await readAll(world.log, 'transactions')).toEqual([])
    })

    it('an assignment that has ended allows neither commit nor seek nor refusal, even when the partition has come back', async () => {
      await world.log.append(Array.from({ length: 100 }, (_, n) => view(`k${n}`, String(n))))
      const one = await world.log.consumer({ group: 'g', topics: ['page-views'] })
      const polled = await batchesUntilQuiet(one)
      const two = await world.log.consumer({ group: 'g', topics: ['page-views'] })
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
      expect(await world.log.committed('g')).toEqual([{ topic: 'page-views', partition: taken.partition, ...place }])
      expect(await readAll(world.log, 'transactions')).toEqual([])
      one.refuse(stale)
      await world.log.append(Array.from({ length: 100 }, (_, n) => view(`k${n}`, String(n))))
      const later = await batchesUntilQuiet(one)
      expect(later.map(({ partition }) => partition)).toContain(taken.partition)
    })

    it('a consumer starts where its group was reset to', async () => {
      const positions = await world.log.append(Array.from({ length: 6 }, (_, n) => view('one', String(n))))
      const { topic, partition, offset } = positions[4]!
      await world.log.reset('g', [{ topic, partition, offset, metadata: 'reset' }])
      const consumer = await world.log.consumer({ group: 'g', topics: ['page-views'] })
      expect(texts(await consume(consumer, 2))).toEqual(['4', '5'])
      await consumer.close()
      await world.log.reset('g', null)
      expect(await world.log.committed('g')).toEqual([])
      const again = await world.log.consumer({ group: 'g', topics: ['page-views'] })
      expect(await consume(again, 6)).toHaveLength(6)
    })

    it('a group with members cannot be reset', async () => {
      const consumer = await world.log.consumer({ group: 'g', topics: ['page-views'] })
      await consumer.poll({ maxRecords: 1, maxWaitMs: 10 })
      await expect(world.log.reset('g', null)).rejects.toThrow()
    })
  })
}
