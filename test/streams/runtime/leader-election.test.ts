import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import { type Assignment, type EventLog, type LogConsumer, LogUnavailable } from '../../../infra/event-log/port.ts'
import { awaitLeadership, type LeadChange, runForLeader } from '../../../streams/runtime/leader-election.ts'
import { withChangedConsumers } from '../../changed-consumers.ts'

const silent = { info() {}, warn() {}, error() {} }

let folder: string
let log: EventLog
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lead-'))
  log = await openEmbeddedEventLog({ folder })
})
afterEach(async () => {
  await log.close()
  await rm(folder, { recursive: true })
})

/** A candidate, and the changes it was notified of, in order. */
function candidate(name: string, from: Pick<EventLog, 'consumer'> = log) {
  const told: LeadChange[] = []
  const { stop } = runForLeader({ log: from, name, logger: silent }, (change) => void told.push(change))
  return { told, stop }
}

/** A log whose consumers report the membership that the test sets. Their polls are short, because no change of the group ends them. */
function pretending(told: Partial<LogConsumer>): EventLog {
  return withChangedConsumers(log, ({ poll }) => ({ ...told, poll: (asked) => poll({ ...asked, maxWaitMs: 20 }) }))
}

describe('the lead', () => {
  it('is held by one candidate, and goes to another when that one stops', async () => {
    const candidates = [candidate('office'), candidate('office'), candidate('office')]
    const leading = () => candidates.filter(({ told }) => told.at(-1) === 'WON')
    for (let left = 3; left > 0; left--) {
      await expect.poll(() => leading().length).toBe(1)
      const [leader] = leading()
      await leader!.stop()
      expect(leader!.told).toEqual(['WON', 'LOST'])
    }
    expect(leading()).toEqual([])
  })

  it('is held as soon as the partition is, whether or not there is anything to read', async () => {
    const closed = Promise.withResolvers<null>()
    const quiet = withChangedConsumers(log, (consumer) => ({
      poll: () => closed.promise,
      close: () => consumer.close().finally(() => closed.resolve(null)),
    }))
    const { told, stop } = candidate('office', quiet)
    await expect.poll(() => told).toEqual(['WON'])
    await stop()
    expect(told).toEqual(['WON', 'LOST'])
  })

  it('goes to a candidate that can do all of the work from one that cannot, and stays where there is no other', async () => {
    const told: LeadChange[] = []
    let outdated = false
    const old = runForLeader({ log, name: 'office', yields: () => outdated, logger: silent }, (change) => {
      told.push(change)
    })
    await expect.poll(() => told).toEqual(['WON'])
    outdated = true
    await log.append([{ topic: 'registry', key: 'k', value: Buffer.from('wakes it') }])
    const other = candidate('office')
    await expect.poll(() => other.told).toEqual(['WON'])
    await expect.poll(() => told).toEqual(['WON', 'LOST'])
    await other.stop()
    await expect.poll(() => told).toEqual(['WON', 'LOST', 'WON'])
    await old.stop()
  })

  it('of one office has nothing to do with another', async () => {
    const [one, other] = [candidate('one'), candidate('other')]
    await expect.poll(() => [one.told, other.told]).toEqual([['WON'], ['WON']])
    await Promise.all([one.stop(), other.stop()])
  })

  it('is kept while the log is away, since nobody else can be told either', async () => {
    let away = false
    const flaky: Pick<EventLog, 'consumer'> = {
      async consumer(options) {
        if (away) throw new LogUnavailable('away')
        const consumer: LogConsumer = await log.consumer(options)
        return {
          ...consumer,
          poll: (asked) => (away ? Promise.reject(new LogUnavailable('away')) : consumer.poll(asked)),
        }
      },
    }
    const holder = candidate('office', flaky)
    await expect.poll(() => holder.told).toEqual(['WON'])
    away = true
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(holder.told).toEqual(['WON'])
    away = false
    await holder.stop()
    expect(holder.told).toEqual(['WON', 'LOST'])
  })

  it('is kept while a leader is out of the group, and renewed when it has come back', async () => {
    let isMember = true
    let assigned: Assignment[] = [{ topic: 'registry', partition: 0, committed: null }]
    const leaving = { assigned: () => assigned, isMember: () => isMember }
    const holder = candidate('office', pretending(leaving))
    await expect.poll(() => holder.told).toEqual(['WON'])
    isMember = false
    const [before] = assigned
    assigned = []
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(holder.told).toEqual(['WON'])
    assigned = [{ ...before! }]
    isMember = true
    await expect.poll(() => holder.told).toEqual(['WON', 'RENEWED'])
    await holder.stop()
  })

  it('once taken is kept until it is given up, while others wait', async () => {
    const first = await awaitLeadership({ log, name: 'office', logger: silent })
    let lost = false
    void first.lost.then(() => {
      lost = true
    })
    let taken = false
    const waiting = awaitLeadership({ log, name: 'office', logger: silent }).then((held) => {
      taken = true
      return held
    })
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    expect(taken).toBe(false)
    await first.stop()
    await (await waiting).stop()
    expect(lost).toBe(false)
  })

  it('tells when another process has taken over', async () => {
    let assigned: Assignment[] = [{ topic: 'registry', partition: 0, committed: null }]
    const moving = pretending({ assigned: () => assigned })
    const { lost, stop } = await awaitLeadership({ log: moving, name: 'office', logger: silent })
    assigned = []
    expect((await lost).message).toContain('office')
    await stop()
  })
})
