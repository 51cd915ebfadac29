import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { shardOf } from '../../../infra/counters/shards.ts'
import type { EventLog, NewRecord } from '../../../infra/event-log/port.ts'
import type { AdEvent } from '../../../schemas/records/events.ts'
import { decode, encode } from '../../../schemas/wire/codec.ts'
import { spendKey } from '../../../services/domain/money/counter-keys.ts'
import { createCountersRepair } from '../../../streams/judge/counters-repair.ts'
import { createJudgeStep } from '../../../streams/judge/judge.ts'
import type { RecountDeps } from '../../../streams/judge/recount.ts'
import { tries } from '../../effort.ts'
import { eventOf, NOON, recordsOf, snapshotOf } from './fixtures.ts'
import { emptyLogAndCounters } from './log-and-counters.ts'
import { type LossyCounters, lossyCounters } from './lossy-counters.ts'

const PRICE = 7
/** Early enough that no counter of the tests' day is forgotten yet. */
const now = () => NOON
const BUDGET = 40 * PRICE
const campaignIds = ['c', 'd', 'e', 'f', 'g', 'h']
const snapshot = snapshotOf(Object.fromEntries(campaignIds.map((id) => [id, { budgetMicros: BUDGET }])))

describe('the judge on counters that lose what they held', () => {
  const anyEvent = fc
    .record({
      type: fc.constantFrom('VIEW', 'CLICK'),
      requestId: fc.constantFrom('r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7', 'r8'),
      bot: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
      campaignId: fc.constantFrom('tight', 'capped', 'banner', 'nobody knows'),
      priceMicros: fc.integer({ min: 0, max: 1_500 }),
    })
    .map(({ type, bot, ...claims }) =>
      eventOf({ type, bot }, { ...claims, kind: claims.campaignId === 'banner' ? 'DISPLAY' : 'SPONSORED' }),
    )
  const anyBatch = fc.record({
    events: fc.array(anyEvent, { minLength: 1, maxLength: 8 }),
    /** The share of what was stored that is kept when the counters are set back before the batch; null to lose nothing. */
    loss: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
    /** Judges the batch twice, after setting the counters back to this share in between; null to judge it once. */
    again: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
  })
  const terms = snapshotOf({
    tight: { budgetMicros: 3_000 },
    capped: { capping: 1 },
    banner: { kind: 'DISPLAY', budgetMicros: 3 },
  })

  async function judgeAll(batches: { events: AdEvent[]; loss: number | null; again: number | null }[], lossy: boolean) {
    const counters = lossyCounters()
    const committed: NewRecord[] = []
    const log: RecountDeps['log'] = {
      settled: async () => {},
      bounds: async (topic) => [{ partition: 0, start: 0, end: topic === 'judged-events' ? committed.length : 0 }],
      committed: async () => (next === 0 ? [] : [{ topic: 'ad-events', partition: 0, offset: next, metadata: '' }]),
      read: async (topic, partition, from, max) =>
        (topic === 'judged-events' ? committed : [])
          .slice(from, from + max)
          .map((each, i) => ({ ...each, partition, offset: from + i, appendedAt: NOON })),
    }
    const step = createJudgeStep({ log, counters, snapshot: terms, now })
    const lose = (share: number | null) => {
      if (lossy && share !== null) counters.loseTo(Math.floor(share * (counters.moments - 1)))
    }
    let next = 0
    for (const { events, loss, again } of batches) {
      const batch = {
        topic: 'ad-events',
        partition: 0,
        records: recordsOf(events, next),
        turn: async () => (next === 0 ? null : next),
        lastOffset: next + events.length,
      } as const
      lose(loss)
      let result = await step(batch)
      lose(again)
      if (again !== null) result = await step(batch)
      committed.push(...result.outputs!)
      // At the end of each batch is a record that could not be decoded.
      next += events.length + 1
    }
    const judged = committed.map(({ value }) => decode('JudgedEvent', value!))
    await counters.markComplete(0)
    const spends = await counters.read(['tight', 'capped', 'banner'].map((id) => spendKey(0, id)))
    return { judged: judged.map(({ verdict, billedMicros }) => [verdict, billedMicros]), spends }
  }

  test('gives the verdicts that it would have given without any loss', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyBatch, { maxLength: 10 }), async (batches) => {
        const lossless = await judgeAll(batches, false)
        const lossy = await judgeAll([...batches, { events: [eventOf()], loss: null, again: null }], true)
        expect(lossy.judged).toEqual(lossless.judged)
        expect(lossy.spends).toEqual(lossless.spends)
      }),
      { numRuns: tries(150, 1_500) },
    )
  })
})

describe('the keeper of the counters', () => {
  const its = emptyLogAndCounters(snapshot)
  const { judge } = its
  let log: EventLog
  let counters: LossyCounters
  beforeEach(() => {
    ;({ log, counters } = its)
  })
  const send = (count: number) =>
    log.append(
      Array.from({ length: count }, (_, i) => {
        const campaignId = campaignIds[i % campaignIds.length]!
        const event = eventOf({}, { campaignId, priceMicros: PRICE })
        return { topic: 'ad-events' as const, key: campaignId, value: encode('AdEvent', event) }
      }),
    )
  const spends = () => counters.read(campaignIds.map((id) => spendKey(shardOf(id, counters.shards), id)))
  const isComplete = async () => (await counters.complete()).every(Boolean)

  test('says that new counters of an empty log are complete', async () => {
    expect(await isComplete()).toBe(false)
    await createCountersRepair({ log, counters, snapshot, now })()
    expect(await isComplete()).toBe(true)
  })

  test('counts emptied counters again, though nothing comes that the judge would notice it by', async () => {
    await send(120)
    await judge()
    const look = createCountersRepair({ log, counters, snapshot, now })
    await look()
    const before = await spends()
    expect(before).toEqual(campaignIds.map(() => 20 * PRICE))
    counters.loseTo(0)
    expect(await isComplete()).toBe(false)
    await look()
    expect(await spends()).toEqual(before)
    expect(await isComplete()).toBe(true)
  })

  test('counts verdicts that readers do not see yet, though the commit that they were stored with shows', async () => {
    await send(120)
    await judge()
    await createCountersRepair({ log, counters, snapshot, now })()
    const before = await spends()
    counters.loseTo(0)
    const hidden = new Set(['judged-events'])
    const late: RecountDeps['log'] = {
      ...log,
      settled: async (topic) => void hidden.delete(topic),
      async bounds(topic) {
        const bounds = await log.bounds(topic)
        return hidden.has(topic) ? bounds.map((each) => ({ ...each, end: each.start })) : bounds
      },
    }
    await createCountersRepair({ log: late, counters, snapshot, now })()
    expect(await spends()).toEqual(before)
  })

  test('counts again what was lost since any moment, once, whoever else does so', async () => {
    await send(60)
    await judge()
    const keepers = [1, 2].map(() => createCountersRepair({ log, counters, snapshot, now }))
    await Promise.all(keepers.map((look) => look()))
    const middle = counters.moments - 1
    await send(60)
    await judge()
    const before = await spends()
    await Promise.all(keepers.map((look) => look()))
    counters.loseTo(middle)
    expect(await spends()).not.toEqual(before)
    await Promise.all(keepers.map((look) => look()))
    expect(await spends()).toEqual(before)
  })

  test('a judge that starts on emptied counters bills no budget twice', async () => {
    await send(240)
    await judge()
    counters.loseTo(0)
    await send(60)
    await judge()
    await createCountersRepair({ log, counters, snapshot, now })()
    expect(await spends()).toEqual(campaignIds.map(() => BUDGET))
    const judged = await Promise.all(
      (await log.bounds('judged-events')).map(({ partition }) => log.read('judged-events', partition, 0, 1_000)),
    )
    const billed = judged.flat().reduce((sum, { value }) => sum + decode('JudgedEvent', value!).billedMicros, 0)
    expect(billed).toBe(campaignIds.length * BUDGET)
  })
})
