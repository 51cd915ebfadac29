import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventLogClient, startEmbeddedEventLog } from '../../../../../infra/event-log/embedded/event-log.ts'
import { firstOffsetOf } from '../../../../../infra/event-log/epochs.ts'
import { currentEpoch, EpochEnded, UnrestoredCopy } from '../../../../../infra/event-log/kafka/epoch/current-epoch.ts'
import { withEpoch } from '../../../../../infra/event-log/kafka/epoch/with-epoch.ts'
import { logEpochRecord } from '../../../../../infra/event-log/log-epoch.ts'
import type { EventLog } from '../../../../../infra/event-log/port.ts'
import type { EventLogHost } from '../../../../ports/event-log/world.ts'

const EPOCH = 3
const FIRST = firstOffsetOf(EPOCH)
const AT = 1_790_000_000_000
const noted = (epoch: number, { restoring = false, clusterId = null as string | null } = {}) =>
  logEpochRecord({ epoch, restoring, restoredAt: AT, judgedTo: [], clusterId })

interface Host extends EventLogHost {
  plain(): EventLog
  ended: Error[]
  /** The cluster's id, as the brokers give it. */
  clusterId: string | null
}

async function createHost(): Promise<Host> {
  const folder = await mkdtemp(join(tmpdir(), 'event-log-'))
  const start = () => startEmbeddedEventLog({ folder, housekeepingMs: 20 })
  let served = await start()
  const plain = () => eventLogClient(served.connect())
  const ended: Error[] = []
  const host: Host = {
    plain,
    ended,
    clusterId: 'present',
    connect: async () => {
      const log = Object.assign(plain(), { clusterId: async () => host.clusterId })
      return withEpoch(
        log,
        currentEpoch(log, (error) => ended.push(error)),
      )
    },
    async crash() {
      await served.stop()
      served = await start()
    },
    async destroy() {
      await served.stop()
      await rm(folder, { recursive: true })
    },
  }
  return host
}

describe('the epoch of the log', () => {
  let host: Host
  beforeEach(async () => {
    host = await createHost()
  })
  afterEach(() => host.destroy())

  const view = { topic: 'page-views', key: 'a', value: Buffer.from('1') } as const

  it('a log that was never restored has the offsets of Kafka', async () => {
    const log = await host.connect()
    expect(await log.append([view])).toEqual(
      await host
        .plain()
        .append([view])
        .then(([at]) => [{ ...at!, offset: at!.offset - 1 }]),
    )
  })

  it('offsets, bounds and commits of a restored log lie in its epoch, and those of before lie before all of it', async () => {
    const [before] = await host.plain().append([view])
    await host.plain().append([noted(EPOCH)])
    const log = await host.connect()
    const [after] = await log.append([view])
    expect(after!.offset).toBe(FIRST + before!.offset + 1)
    const { topic, partition } = after!
    expect((await log.bounds(topic))[partition]).toEqual({ partition, start: FIRST, end: FIRST + 2 })
    expect((await log.read(topic, partition, before!.offset, 10)).map(({ offset }) => offset)).toEqual([
      FIRST,
      FIRST + 1,
    ])
    expect(await log.count(topic, partition, before!.offset, FIRST + 1)).toBe(1)
    await log.reset('group', [{ topic, partition, offset: after!.offset, metadata: 'note' }])
    expect(await log.committed('group')).toEqual([{ topic, partition, offset: after!.offset, metadata: 'note' }])
    expect(await host.plain().committed('group')).toEqual([{ topic, partition, offset: 1, metadata: 'note' }])
    await expect(log.reset('group', [{ topic, partition, offset: 1, metadata: '' }])).rejects.toThrow(RangeError)
  })

  it('nobody works on a log while it is restored, and everybody may afterwards', async () => {
    await host.plain().append([noted(1, { restoring: true })])
    const log = await host.connect()
    await expect(log.bounds('page-views')).rejects.toThrow(EpochEnded)
    await expect(log.committed('group')).rejects.toThrow(/run `make restore-log` or `make migrate` again/)
    await host.plain().append([noted(1)])
    expect((await log.append([view]))[0]!.offset).toBe(firstOffsetOf(1))
  })

  it('nobody works on a copy in another cluster, until it is said to be the log', async () => {
    await host.plain().append([noted(EPOCH, { clusterId: 'first' })])
    const log = await host.connect()
    await expect(log.bounds('page-views')).rejects.toThrow(UnrestoredCopy)
    await expect(log.committed('group')).rejects.toThrow(
      /in the Kafka cluster present and was written in first\. Run `make restore-log` first, with `ARGS=--offsets-kept` if/,
    )
    await host.plain().append([noted(EPOCH, { clusterId: 'present' })])
    expect((await log.append([view]))[0]!.offset).toBeGreaterThanOrEqual(FIRST)
  })

  it.each([
    ['an earlier version has noted no cluster', null, 'present'],
    ['the brokers tell no id', 'first', null],
  ])('a log is taken for what it was where %s', async (_, clusterId, present) => {
    await host.plain().append([noted(EPOCH, { clusterId })])
    host.clusterId = present
    expect((await (await host.connect()).append([view]))[0]!.offset).toBeGreaterThanOrEqual(FIRST)
  })

  it('a process whose brokers have become those of a copy is told to end', async () => {
    await host.plain().append([noted(0, { clusterId: 'present' })])
    const log = await host.connect()
    await (await log.exclusiveWriter('writer')).append([view])
    host.clusterId = 'second'
    await expect(log.exclusiveWriter('writer')).rejects.toThrow(UnrestoredCopy)
    expect(host.ended).toHaveLength(1)
  })

  it('a process that slept over a restore is given nothing more, and is told to end', async () => {
    const log = await host.connect()
    await log.append([view])
    const sleeper = await log.consumer({ group: 'group', topics: ['page-views'] })
    await host.plain().append([noted(1)])
    const poll = () => sleeper.poll({ maxRecords: 10, maxWaitMs: 100 })
    await expect.poll(() => poll().catch((error) => error)).toBeInstanceOf(EpochEnded)
    await expect(poll()).rejects.toThrow(EpochEnded)
    await expect(log.exclusiveWriter('writer')).rejects.toThrow(EpochEnded)
    expect(host.ended.length).toBeGreaterThan(0)
    await sleeper.close()
    const restarted = await (await host.connect()).consumer({ group: 'group', topics: ['page-views'] })
    const offsets = async () => {
      const batch = await restarted.poll({ maxRecords: 10, maxWaitMs: 100 })
      return batch?.records.map(({ offset }) => offset)
    }
    await expect.poll(offsets).toEqual([firstOffsetOf(1)])
    await restarted.close()
  })
})
