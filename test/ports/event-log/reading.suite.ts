import { describe, expect, it } from 'vitest'
import { type LogWorld, readAll, record, texts, view } from './world.ts'

/** What can be read of a topic: its bounds, and its records, also after some were replaced and compacted. */
export function readingSuite(world: LogWorld): void {
  describe('bounds, count and read', () => {
    it('bounds, count and read agree on what each partition holds', async () => {
      expect((await world.log.bounds('page-views')).map((each) => each.partition)).toEqual([0, 1, 2, 3])
      const positions = await world.log.append(Array.from({ length: 10 }, (_, n) => view('one', String(n))))
      const { partition } = positions[0]!
      const { start, end } = (await world.log.bounds('page-views')).find((each) => each.partition === partition)!
      expect(await world.log.count('page-views', partition, start, end)).toBe(10)
      expect(await world.log.count('page-views', partition, start, positions[3]!.offset)).toBe(3)
      expect(await world.log.count('page-views', partition, positions[3]!.offset, end + 100)).toBe(7)
      expect(await world.log.count('page-views', partition, end, end)).toBe(0)
      expect(texts(await world.log.read('page-views', partition, positions[6]!.offset, 2))).toEqual(['6', '7'])
      expect(await world.log.read('page-views', partition, end, 5)).toEqual([])
      expect(end).toBeGreaterThan(positions[9]!.offset)
    })

    it('count and read refuse a partition that does not exist', async () => {
      await expect(world.log.read('page-views', 99, 0, 1)).rejects.toThrow()
      await expect(world.log.count('registry', 1, 0, 1)).rejects.toThrow()
    })
  })

  it('records are replaced where they lie, others stay as they are; or none can be', async () => {
    const long = 'long'.repeat(100)
    const positions = await world.log.append(Array.from({ length: 40 }, (_, n) => view('k', `${n} ${long}`)))
    const { partition } = positions[0]!
    const before = await world.log.read('page-views', partition, 0, 100)
    const isReplaced = await world.log.replace('page-views', partition, [
      { offset: positions[39]!.offset, key: null, value: null },
      { offset: positions[0]!.offset, key: 'another', value: Buffer.from('short') },
      { offset: positions[20]!.offset, key: 'k', value: Buffer.from(`longer ${long}${long}`) },
      { offset: positions[39]!.offset + 1, key: 'k', value: Buffer.from('of no record') },
    ])
    const after = await world.log.read('page-views', partition, 0, 100)
    if (isReplaced) {
      before[0] = { ...before[0]!, key: 'another', value: Buffer.from('short') }
      before[20] = { ...before[20]!, value: Buffer.from(`longer ${long}${long}`) }
      before[39] = { ...before[39]!, key: null, value: null }
    }
    expect(after).toEqual(before)
    await world.log.append([view('k', 'next')])
    expect((await world.log.read('page-views', partition, positions[39]!.offset + 1, 1))[0]!.value!.toString()).toBe(
      'next',
    )
  })

  describe('a compacted topic', () => {
    it('a compacted topic holds the latest value of every key, and a tombstone after its values', async () => {
      await world.log.append(['a', 'b', 'c'].map((key) => record('products', key, `${key} old`)))
      await world.log.append([record('products', 'a', 'a new'), record('products', 'b', null)])
      const latest = new Map(
        (await readAll(world.log, 'products')).map(({ key, value }) => [key, value?.toString() ?? null]),
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
}
