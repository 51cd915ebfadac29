import { describe, expect, it } from 'vitest'
import { Fenced, LogUnavailable } from '../../../infra/event-log/port.ts'
import { type LogWorld, readAll, record, texts, view } from './world.ts'

/** Writers that exclude each other, and the closing of a client. */
export function writingSuite(world: LogWorld): void {
  describe('exclusive writer', () => {
    it('a second exclusive writer of a name fences the first', async () => {
      const first = await world.log.exclusiveWriter('registry')
      await first.append([record('registry', 'k', 'first')])
      const second = await (await world.host.connect()).exclusiveWriter('registry')
      await expect(first.append([record('registry', 'k', 'late')])).rejects.toThrow(Fenced)
      const [position] = await second.append([record('registry', 'k', 'second')])
      const [found] = await world.log.read('registry', position!.partition, position!.offset, 1)
      expect(texts([found!])).toEqual(['second'])
      expect(texts(await readAll(world.log, 'registry'))).not.toContain('late')
    })

    it('an exclusive writer leaves writers of other names alone', async () => {
      const one = await world.log.exclusiveWriter('one')
      await world.log.exclusiveWriter('two')
      await one.append([record('registry', 'k', 'v')])
      expect(texts(await readAll(world.log, 'registry'))).toEqual(['v'])
    })
  })

  it('a closed log is unavailable', async () => {
    const consumer = await world.log.consumer({ group: 'g', topics: ['page-views'] })
    await world.log.close()
    await world.log.close()
    await expect(world.log.append([view('a', '1')])).rejects.toThrow(LogUnavailable)
    await expect(world.log.read('page-views', 0, 0, 1)).rejects.toThrow(LogUnavailable)
    await expect(consumer.poll({ maxRecords: 1, maxWaitMs: 10 })).rejects.toThrow(LogUnavailable)
  })

  it('a log writes everything that was appended before its close', async () => {
    const appends = Array.from({ length: 20 }, (_, n) => world.log.append([view('one', String(n))]))
    await world.log.close()
    await Promise.all(appends)
    await world.reconnect()
    expect(await readAll(world.log, 'page-views')).toHaveLength(20)
  })
}
