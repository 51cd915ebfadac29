import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RECORD_MAX_BYTES, RecordTooLarge } from '../../../infra/event-log/port.ts'
import type { TopicName } from '../../../schemas/topics.ts'
import { tries } from '../../effort.ts'
import { type LogWorld, readAll, record, texts, view } from './world.ts'

/** What an append promises. */
export function appendSuite(world: LogWorld): void {
  describe('append', () => {
    it('an append returns the position of each record, where it is read', async () => {
      const records = [view('a', '1'), record('transactions', 'b', '2'), view('c', '3'), record('registry', 'd', null)]
      const positions = await world.log.append(records)
      for (const [index, { topic, partition, offset }] of positions.entries()) {
        const [found] = await world.log.read(topic, partition, offset, 1)
        expect(found).toMatchObject({ topic, partition, offset, key: records[index]!.key })
        expect(found!.value).toEqual(records[index]!.value)
        expect(found!.appendedAt).toBeGreaterThan(0)
      }
    })

    it('appends keep the order of each key, within a call and over concurrent calls', async () => {
      const keys = ['a', 'b', 'c', 'd', 'e']
      const call = (n: number) => keys.flatMap((key) => [view(key, `${key}${2 * n}`), view(key, `${key}${2 * n + 1}`)])
      await Promise.all(Array.from({ length: 50 }, (_, n) => world.log.append(call(n))))
      const all = await readAll(world.log, 'page-views')
      for (const key of keys) {
        const expected = Array.from({ length: 100 }, (_, n) => `${key}${n}`)
        expect(texts(all.filter((each) => each.key === key))).toEqual(expected)
      }
    })

    it('a key lies in one partition, and many keys in all', async () => {
      const keys = Array.from({ length: 200 }, (_, n) => `key ${n % 100}`)
      const positions = await world.log.append(keys.map((key) => view(key, '')))
      const partitionsOf = Map.groupBy(positions, (_, index) => keys[index]!)
      for (const places of partitionsOf.values()) expect(new Set(places.map((p) => p.partition)).size).toBe(1)
      expect(new Set(positions.map((p) => p.partition)).size).toBe(4)
    })

    it('records without a key are spread over the partitions', async () => {
      for (let n = 0; n < 100; n++) await world.log.append([record('page-views', null, String(n))])
      const counts = Map.groupBy(await readAll(world.log, 'page-views'), (each) => each.partition)
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
          const positions = await Promise.all(calls.map((call) => world.log.append(call)))
          for (const [index, call] of calls.entries()) {
            expect(positions[index]).toHaveLength(call.length)
            for (const [at, { topic, partition, offset }] of positions[index]!.entries()) {
              const [found] = await world.log.read(topic, partition, offset, 1)
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
      const [position] = await world.log.append([{ topic: 'page-views', key: 'large', value }])
      const [found] = await world.log.read('page-views', position!.partition, position!.offset, 1)
      expect(value.equals(found!.value!)).toBe(true)
      const tooLarge = { topic: 'page-views', key: 'k', value: Buffer.alloc(RECORD_MAX_BYTES) } as const
      await expect(world.log.append([view('small', 'x'), tooLarge])).rejects.toThrow(RecordTooLarge)
      expect(await readAll(world.log, 'page-views')).toHaveLength(1)
    })

    it('an append of no records does nothing', async () => {
      expect(await world.log.append([])).toEqual([])
    })

    it('a record of a compacted topic is refused without a key', async () => {
      await expect(world.log.append([record('products', null, 'x')])).rejects.toThrow(/key/)
    })

    it('an acknowledged append outlives a crash', async () => {
      const positions = await world.log.append(Array.from({ length: 500 }, (_, n) => view(`k${n % 7}`, String(n))))
      const before = await readAll(world.log, 'page-views')
      await world.host.crash()
      await world.reconnect()
      expect(await readAll(world.log, 'page-views')).toEqual(before)
      const again = await world.log.append(Array.from({ length: 500 }, (_, n) => view(`k${n % 7}`, String(n))))
      for (const [index, { partition, offset }] of again.entries()) {
        expect(partition).toBe(positions[index]!.partition)
        expect(offset).toBeGreaterThan(positions[index]!.offset)
      }
    })
  })
}
