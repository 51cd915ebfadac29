import { beforeEach, describe, expect, test } from 'vitest'
import { shardOf } from '../../../infra/counters/shards.ts'
import type { AdEvent, EventCorrection, JudgedEvent } from '../../../schemas/records/events.ts'
import { topics } from '../../../schemas/topics.ts'
import { decode, encode } from '../../../schemas/wire/codec.ts'
import { dailySpendKey, spendKey } from '../../../services/domain/money/counter-keys.ts'
import { createCorrections } from '../../../streams/judge/corrections.ts'
import { createCountersRepair } from '../../../streams/judge/counters-repair.ts'
import { rebuildCounters } from '../../../streams/judge/recount.ts'
import { runToEnd } from '../../../streams/runtime/run-to-end.ts'
import { eventOf, NOON, snapshotOf } from './fixtures.ts'
import { emptyLogAndCounters } from './log-and-counters.ts'

const PRICE = 400_000
const shard = shardOf('c', topics['ad-events'].partitions)
/** Early enough that no counter of the tests' day is forgotten yet. */
const now = () => NOON
const snapshot = snapshotOf({ c: { budgetMicros: 5 * PRICE, dailyBudgetMicros: 4 * PRICE } })

describe('what is voided', () => {
  const its = emptyLogAndCounters(snapshot)
  const silent = { info() {}, warn() {}, error() {} }
  let clicks: AdEvent[]

  const take = (events: readonly AdEvent[]) =>
    its.log.append(events.map((event) => ({ topic: 'ad-events', key: 'c', value: encode('AdEvent', event) })))
  const voidAll = (events: readonly AdEvent[], correctionId = 'first') =>
    its.log.append(
      events.map(({ eventId, type, cid, occurredAt, claims: { shopId, campaignId, accountId } }) => {
        const of = { eventId, type, cid, occurredAt, shopId, campaignId, accountId }
        const why = { reason: 'farm', correctedBy: 'operator', correctedAt: NOON + 5_000 }
        const value: EventCorrection = { correctionId, ...of, ...why, creditedMicros: PRICE, currency: 'PLN' }
        return { topic: 'corrections' as const, key: 'c', value: encode('EventCorrection', value) }
      }),
    )
  const correct = () => {
    const { log, counters } = its
    return runToEnd(createCorrections({ log, counters, snapshot, now, logger: silent }))
  }
  async function spend() {
    await its.counters.markComplete(shard)
    return its.counters.read([spendKey(shard, 'c'), dailySpendKey(shard, 'c', '2026-03-10')])
  }
  async function verdicts() {
    const judged: JudgedEvent[] = []
    for (const { partition, start, end } of await its.log.bounds('judged-events')) {
      const records = await its.log.read('judged-events', partition, start, end - start)
      judged.push(...records.map(({ value }) => decode('JudgedEvent', value!)))
    }
    return judged.map(({ verdict }) => verdict)
  }

  beforeEach(async () => {
    clicks = Array.from({ length: 5 }, () => eventOf({ occurredAt: NOON }))
    await take(clicks)
    await its.judge()
  })

  test('gives the budget and the daily budget back what it cost, for clicks that come after', async () => {
    expect(await verdicts()).toEqual([...Array(4).fill('VALID'), 'OVER_BUDGET'])
    await voidAll(clicks.slice(0, 2))
    await correct()
    expect(await spend()).toEqual([2 * PRICE, 2 * PRICE])
    await take([eventOf(), eventOf(), eventOf()])
    await its.judge()
    expect((await verdicts()).slice(5)).toEqual(['VALID', 'VALID', 'OVER_BUDGET'])
  })

  test('is credited once, however often it is voided, and never below zero', async () => {
    for (const correctionId of ['first', 'second']) await voidAll(clicks.slice(0, 4), correctionId)
    await correct()
    expect(await spend()).toEqual([0, 0])
    await voidAll([eventOf({ eventId: 'never billed' })])
    await correct()
    expect(await spend()).toEqual([0, 0])
  })

  test('stays credited when counters that have lost everything are counted again, by whoever notices', async () => {
    await voidAll(clicks.slice(0, 1))
    await correct()
    its.counters.loseTo(0)
    await createCountersRepair({ ...its, snapshot, now })()
    expect(await spend()).toEqual([3 * PRICE, 3 * PRICE])
    its.counters.loseTo(0)
    await rebuildCounters({ ...its, snapshot, now })
    expect(await spend()).toEqual([3 * PRICE, 3 * PRICE])
  })

  test('is credited in full by counters that had lost the spend', async () => {
    await voidAll(clicks.slice(0, 1))
    its.counters.loseTo(0)
    await correct()
    expect(await spend()).toEqual([3 * PRICE, 3 * PRICE])
  })
})
