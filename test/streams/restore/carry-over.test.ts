import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import { readLogEpoch } from '../../../infra/event-log/log-epoch.ts'
import type { EventLog, LogConsumer, NewRecord } from '../../../infra/event-log/port.ts'
import { type TopicName, topicNames } from '../../../schemas/topics.ts'
import {
  CARRY_OVER_GROUP,
  type CarryOverMark,
  CarryOverUnfinished,
  carryOver,
  finishCarryOver,
  LogNotEmpty,
  requireCarriedOver,
} from '../../../streams/restore/carry-over.ts'
import { tries } from '../../effort.ts'
import { HOUR } from '../attribution/events.ts'
import { ask, erasureOf, lifeOf } from '../erasure/people.ts'

const TOPICS: TopicName[] = ['registry', 'ad-events', 'products', 'transactions']
const now = () => 1

/** @param stored what a source was marked with before. */
function markOf(id: string, stored: string | null = null): CarryOverMark {
  let kept = stored
  return {
    read: () => kept,
    make() {
      kept ??= id
      return kept
    },
  }
}

describe('a log that is carried over into another', () => {
  let root: string
  let nextFolder = 0
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'carry-over-'))
  })
  afterAll(() => rm(root, { recursive: true }))

  const open = () => openEmbeddedEventLog({ folder: join(root, String(nextFolder++)), housekeepingMs: 3_600_000 })

  async function contentOf(log: EventLog): Promise<string[]> {
    const lines: string[] = []
    for (const topic of topicNames) {
      if (topic === 'log-epoch') continue
      for (const { partition, start, end } of await log.bounds(topic)) {
        const records = end === start ? [] : await log.read(topic, partition, start, end - start)
        lines.push(...records.map(({ key, value }) => `${topic}/${partition} ${key} ${value}`))
      }
    }
    return lines
  }

  /** A log that fails its nth commit, before or after storing it. */
  function failing(log: EventLog, nth: number, isStored: boolean): EventLog {
    let commits = 0
    return {
      ...log,
      async consumer(options) {
        const member = await log.consumer(options)
        const commit: LogConsumer['commit'] = async (...args) => {
          const fails = commits++ === nth
          if (!fails || isStored) await member.commit(...args)
          if (fails) throw new Error('cut off')
        }
        return { ...member, commit }
      },
    }
  }

  const record = fc.record({
    topic: fc.constantFrom(...TOPICS),
    key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    text: fc.string({ maxLength: 5 }),
  })
  const recordsOf = (given: { topic: TopicName; key: string; text: string }[]): NewRecord[] =>
    given.map(({ text, ...place }) => ({ ...place, value: Buffer.from(text) }))
  const cuts = fc.array(fc.tuple(fc.nat({ max: 6 }), fc.boolean()), { maxLength: 4 })

  it('is the same, once and in order, wherever that is cut off and whatever the source takes meanwhile', async () => {
    const some = fc.array(record, { maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(some, some, cuts, async (given, later, interruptions) => {
        const [source, target] = await Promise.all([open(), open()])
        const mark = markOf('one')
        await source.append(recordsOf(given))
        for (const [nth, isStored] of interruptions) {
          await carryOver({ source, mark, target: failing(target, nth, isStored), now }).catch((error) => {
            if (error.message !== 'cut off') throw error
          })
        }
        await source.append(recordsOf(later))
        await carryOver({ source, mark, target, now })
        expect(await contentOf(target)).toEqual(await contentOf(source))
        expect(await readLogEpoch(target)).toMatchObject({ epoch: 1, restoring: true })
        await Promise.all([source.close(), target.close()])
      }),
      { numRuns: tries(8, 100) },
    )
  })

  it('is refused where other records lie, another log has begun, or one is complete; a restore that began goes on', async () => {
    const [source, other, used, target] = await Promise.all([open(), open(), open(), open()])
    const mark = markOf('one')
    await source.append([{ topic: 'page-views', key: 'a', value: Buffer.from('1') }])
    await used.append([{ topic: 'images', key: 'a', value: Buffer.from('other') }])
    await expect(carryOver({ source, mark, target: used, now })).rejects.toThrow('The topic images holds')
    expect((await contentOf(used)).length).toBe(1)
    expect(mark.read()).toBeNull()

    await carryOver({ source, mark, target, now })
    await expect(carryOver({ source: other, mark: markOf('two'), target, now })).rejects.toThrow(LogNotEmpty)
    // A restore removes the commits of all groups.
    await target.reset(CARRY_OVER_GROUP, null)
    await expect(carryOver({ source, mark: markOf('three'), target, now })).rejects.toThrow(LogNotEmpty)
    await carryOver({ source, mark, target, now })
    await finishCarryOver({ target, mark })
    await expect(carryOver({ source, mark, target, now })).rejects.toThrow('already')
    expect(await contentOf(target)).toEqual(await contentOf(source))
    await Promise.all([source, other, used, target].map((log) => log.close()))
  })

  it('is restored by the migration alone until it is complete', async () => {
    const [source, target] = await Promise.all([open(), open()])
    const mark = markOf('one')
    await source.append(recordsOf([{ topic: 'registry', key: 'a', text: 'x' }]))
    await requireCarriedOver(target)
    await carryOver({ source, mark, target: failing(target, 1, false), now }).catch(() => {})
    await expect(requireCarriedOver(target)).rejects.toThrow(CarryOverUnfinished)
    await carryOver({ source, mark, target, now })
    await finishCarryOver({ target, mark })
    await requireCarriedOver(target)
    await Promise.all([source.close(), target.close()])
  })

  it('marks its source before anything is carried, and goes on from there only while the mark is kept', async () => {
    const [source, target] = await Promise.all([open(), open()])
    await source.append(recordsOf([{ topic: 'registry', key: 'a', text: 'x' }]))
    const order: string[] = []
    const { read, make } = markOf('one')
    const noting: CarryOverMark = {
      read,
      make() {
        order.push('marked')
        return make()
      },
    }
    const notingTarget: EventLog = {
      ...target,
      async consumer(options) {
        const member = await target.consumer(options)
        const commit: LogConsumer['commit'] = (...args) => {
          order.push('committed')
          return member.commit(...args)
        }
        return { ...member, commit }
      },
    }
    await carryOver({ source, mark: noting, target: notingTarget, now })
    expect(order).toEqual(['marked', 'committed', 'committed'])

    await expect(carryOver({ source, mark: markOf('one'), target, now })).rejects.toThrow(LogNotEmpty)
    await expect(carryOver({ source, mark: markOf('one', 'two'), target, now })).rejects.toThrow(LogNotEmpty)
    await carryOver({ source, mark: markOf('two', 'one'), target, now })
    await Promise.all([source.close(), target.close()])
  })

  it('names nobody whose erasure was requested and is not done', async () => {
    const [source, target] = await Promise.all([open(), open()])
    const [cid, uid, requestedAt] = ['browser-of-the-erased', 'login-of-the-erased', 10 * HOUR]
    await source.append(lifeOf({ cid, uid, at: HOUR }))
    await ask(source, [erasureOf('CID', cid, { requestedAt }), erasureOf('UID', uid, { requestedAt })])
    await carryOver({ source, mark: markOf('one'), target, now })
    const content = (await contentOf(target)).join()
    expect(content).not.toContain(cid)
    expect(content).not.toContain(uid)
    expect(content).toContain('erased-')
    await Promise.all([source.close(), target.close()])
  })
})
