import { expect, test } from 'vitest'
import { shardOf } from '../../../../infra/counters/shards.ts'
import { decode, encode } from '../../../../schemas/wire/codec.ts'
import { spendKey } from '../../../../services/domain/money/counter-keys.ts'
import { createJudge } from '../../../../streams/judge/judge.ts'
import { runToEnd } from '../../../../streams/runtime/run-to-end.ts'
import { eventOf, NOON, snapshotOf } from '../fixtures.ts'
import { emptyLogAndCounters } from '../log-and-counters.ts'
import { lossyCounters } from '../lossy-counters.ts'

const PRICE = 7
const BUDGET = 40 * PRICE
const CLICKS_PER_TURN = 15
const TURNS = 4
const campaignIds = ['c', 'd', 'e', 'f', 'g', 'h']
const snapshot = snapshotOf(Object.fromEntries(campaignIds.map((id) => [id, { budgetMicros: BUDGET }])))
const its = emptyLogAndCounters(snapshot)
const silent = { info() {}, warn() {}, error() {} }

test('judges of one log with different counters, as two Redis, take over from each other and bill no budget twice', async () => {
  const { log } = its
  const sides = [its.counters, lossyCounters(its.counters.shards)]
  for (let turn = 0; turn < TURNS; turn++) {
    const clicks = campaignIds.flatMap((campaignId) =>
      Array.from({ length: CLICKS_PER_TURN }, () => eventOf({ type: 'CLICK' }, { campaignId, priceMicros: PRICE })),
    )
    await log.append(
      clicks.map((event) => ({ topic: 'ad-events', key: event.claims.campaignId, value: encode('AdEvent', event) })),
    )
    const counters = sides[turn % 2]!
    await runToEnd(createJudge({ log, counters, snapshot, now: () => NOON, logger: silent }))
    const spends = campaignIds.map((id) => spendKey(shardOf(id, counters.shards), id))
    const spent = Math.min(BUDGET, (turn + 1) * CLICKS_PER_TURN * PRICE)
    expect(await counters.read(spends)).toEqual(campaignIds.map(() => spent))
  }
  const bounds = await log.bounds('judged-events')
  const records = await Promise.all(bounds.map(({ partition }) => log.read('judged-events', partition, 0, 10_000)))
  const judged = records.flat().map(({ value }) => decode('JudgedEvent', value!))
  expect(judged).toHaveLength(TURNS * CLICKS_PER_TURN * campaignIds.length)
  expect(judged.reduce((sum, { billedMicros }) => sum + billedMicros, 0)).toBe(BUDGET * campaignIds.length)
})
