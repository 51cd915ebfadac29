import { describe, expect, it } from 'vitest'
import type { LogRecord } from '../../../infra/event-log/port.ts'
import { type LogWorld, record, texts, view } from './world.ts'

/** What a reader of a whole topic receives. */
export function tailSuite(world: LogWorld): void {
  describe('tail', () => {
    it('a tail has seen the whole topic when it resolves, and follows it from then on', async () => {
      await world.log.append(Array.from({ length: 2_500 }, (_, n) => record('products', `k${n % 50}`, String(n))))
      const seen: LogRecord[] = []
      let wake = () => {}
      const tail = await world.log.tail('products', (records) => {
        seen.push(...records)
        wake()
      })
      const latest = new Map(seen.map(({ key, value }) => [key, value?.toString()]))
      expect(latest).toEqual(new Map(Array.from({ length: 50 }, (_, n) => [`k${n}`, String(2_450 + n)])))
      const known = seen.length
      const arrived = new Promise<void>((resolve) => {
        wake = resolve
      })
      await world.log.append([record('products', 'new', null)])
      await arrived
      expect(seen.slice(known)).toMatchObject([{ key: 'new', value: null }])
      await tail.close()
    })

    it('a tail hands over one batch at a time, in order per partition', async () => {
      await world.log.append(Array.from({ length: 3_000 }, (_, n) => view(`k${n % 9}`, String(n))))
      let busy = 0
      const seen: LogRecord[] = []
      const tail = await world.log.tail('page-views', async (records) => {
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
      const positions = await world.log.append(
        Array.from({ length: 9 }, (_, n) => record('registry', `k${n}`, String(n))),
      )
      const tailed = async (offset: number) => {
        const seen: LogRecord[] = []
        const tail = await world.log.tail('registry', (records) => void seen.push(...records), [
          { partition: 0, offset },
        ])
        return { seen, tail, texts: () => texts(seen) }
      }
      const middle = await tailed(positions[6]!.offset)
      expect(middle.texts()).toEqual(['6', '7', '8'])
      const end = await tailed(positions[8]!.offset + 1)
      expect(end.texts()).toEqual([])
      await world.log.append([record('registry', 'k9', '9')])
      await expect.poll(end.texts).toEqual(['9'])
      await expect.poll(middle.texts).toEqual(['6', '7', '8', '9'])
      await middle.tail.close()
      await end.tail.close()
    })

    it('a tail of an empty topic resolves at once', async () => {
      const tail = await world.log.tail('products', () => expect.unreachable())
      await tail.close()
    })

    it('a tail rejects with what its callback throws while it catches up', async () => {
      await world.log.append([view('a', '1')])
      const failing = world.log.tail('page-views', () => {
        throw new Error('cannot read this')
      })
      await expect(failing).rejects.toThrow('cannot read this')
    })
  })
}
