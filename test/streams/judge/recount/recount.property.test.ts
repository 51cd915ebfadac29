import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shardOf, shardsOf } from '../../../../infra/counters/shards.ts'
import type { JudgedEvent, Verdict } from '../../../../schemas/records/events.ts'
import { TRAFFIC_RULES } from '../../../../schemas/records/traffic-rules.ts'
import { encode } from '../../../../schemas/wire/codec.ts'
import { spendKey } from '../../../../services/domain/money/counter-keys.ts'
import { createCountersRepair } from '../../../../streams/judge/counters-repair.ts'
import { chargeOf } from '../../../../streams/judge/verdict.ts'
import { createSpendCheckpoints } from '../../../../streams/spend-checkpoints/spend-checkpoints.ts'
import { tries } from '../../../effort.ts'
import { memoryLog } from '../../spend-checkpoints/memory-log.ts'
import { DAY_MS, eventOf, HOUR_MS, NOON, snapshotOf } from '../fixtures.ts'
import { lossyCounters } from '../lossy-counters.ts'
import { countBySteps } from './by-steps.ts'

const SHARDS = 3
const campaigns = {
  clicks: {},
  capped: { kind: 'DISPLAY', capping: 3 },
  views: { kind: 'DISPLAY' },
  own: { kind: 'DISPLAY', autoPromo: true },
} as const
const snapshot = snapshotOf(campaigns)
const ids = Object.keys(campaigns) as (keyof typeof campaigns)[]

const name = (...names: string[]) => fc.constantFrom(...names)
/** How old an event is: within open windows, within days that are kept, or long ago. */
const anyAge = fc.oneof(
  fc.nat(2 * HOUR_MS),
  fc.nat(3 * DAY_MS),
  fc.nat(20 * DAY_MS),
  fc.integer({ min: 10 * DAY_MS, max: 60 * DAY_MS }),
)
const anyJudged = fc
  .record({
    campaignId: fc.constantFrom(...ids),
    type: fc.constantFrom('VIEW' as const, 'CLICK' as const),
    requestId: fc.nat(20).map((n) => `r${n}`),
    cid: name('a', 'b', 'zażółć'),
    claimedCid: name('a', 'b', 'zażółć'),
    uid: fc.constantFrom(null, 'u'),
    addressHash: fc.constantFrom(null, 'x', 'y'),
    agentHash: fc.constantFrom(null, 'agent'),
    networkHash: fc.constantFrom(null, 'net'),
    age: anyAge,
    lateMs: fc.oneof(fc.constant(0), fc.nat(7 * DAY_MS)),
    sinceEmittedMs: fc.oneof(fc.nat(60_000), fc.nat(2 * DAY_MS), fc.nat(31 * DAY_MS)),
    priceMicros: fc.integer({ min: 0, max: 3_500 }),
    verdict: fc.constantFrom<Verdict[]>(
      'VALID',
      'VALID',
      'VALID',
      'DUPLICATE',
      'CAPPED',
      'INVALID_TRAFFIC',
      'REPLAYED',
    ),
    marks: fc.subarray([...TRAFFIC_RULES], { maxLength: 2 }),
  })
  .map(({ campaignId, requestId, claimedCid, age, lateMs, sinceEmittedMs, priceMicros, ...drawn }) => {
    const receivedAt = NOON - age
    const { verdict, marks, ...fields } = drawn
    const kind = campaignId === 'clicks' ? 'SPONSORED' : 'DISPLAY'
    const occurredAt = receivedAt - lateMs
    const event = eventOf(
      { ...fields, receivedAt, occurredAt },
      {
        ...{ campaignId, requestId, kind, priceMicros, cid: claimedCid, autoPromo: campaignId === 'own' },
        ...{ adUnitId: `unit ${priceMicros % 3}`, emittedAt: occurredAt - sinceEmittedMs },
      },
    )
    const invalidReason = verdict === 'INVALID_TRAFFIC' ? 'TOO_FAST' : null
    return { ...event, verdict, invalidReason, marks: verdict === 'VALID' ? marks : [] }
  })
  .filter(({ claims, occurredAt, type }) => occurredAt - claims.emittedAt <= (type === 'VIEW' ? 1 : 30) * DAY_MS)

type Drawn = typeof anyJudged extends fc.Arbitrary<infer D> ? D : never

/** The events, in order, with what each valid one is billed: a micro more when its campaign's thousandths complete one. */
function billed(events: readonly Drawn[]): Omit<JudgedEvent, 'sourcePartition' | 'sourceOffset'>[] {
  const owed = new Map<string, number>()
  return events.map((event) => {
    if (event.verdict !== 'VALID') return { ...event, billedMicros: 0 }
    const { micros, thousandths } = chargeOf(event.type, event.claims)
    const sum = (owed.get(event.claims.campaignId) ?? 0) + thousandths
    owed.set(event.claims.campaignId, sum % 1_000)
    return { ...event, billedMicros: micros + Math.floor(sum / 1_000) }
  })
}

test('a recount comes to what the steps that have judged the events would, with and without checkpoints', async () => {
  const anyLoss = fc.oneof(
    fc.record({ checkpointsBefore: fc.constant<number[]>([]), kept: fc.double({ min: 0, max: 1, noNaN: true }) }),
    fc.record({ checkpointsBefore: fc.array(fc.nat(60), { minLength: 1, maxLength: 3 }), kept: fc.constant(0) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(anyJudged, { maxLength: 60 }), anyLoss, async (drawn, { checkpointsBefore, kept }) => {
      // The log contains events in the order in which they were received.
      const events = billed(drawn.toSorted((a, b) => a.receivedAt - b.receivedAt))
      let clock = NOON
      const log = memoryLog(SHARDS, () => clock)
      const counters = lossyCounters(SHARDS)
      const repair = () => createCountersRepair({ log, counters, snapshot, now: () => NOON })()
      const writeCheckpoints = createSpendCheckpoints({ log, counters, snapshot, now: () => clock })
      const inOrder: JudgedEvent[][] = shardsOf({ shards: SHARDS }).map(() => [])
      for (const [i, event] of events.entries()) {
        clock = event.receivedAt
        if (checkpointsBefore.includes(i)) {
          await repair()
          await writeCheckpoints()
        }
        const partition = shardOf(event.claims.campaignId, SHARDS)
        const judged = { ...event, sourcePartition: partition, sourceOffset: inOrder[partition]!.length }
        inOrder[partition]!.push(judged)
        const value = encode('JudgedEvent', judged)
        await log.append([{ topic: 'judged-events', key: event.claims.campaignId, value }])
        log.commit({ topic: 'ad-events', partition, offset: judged.sourceOffset + 1 })
      }
      await repair()
      // What is partly lost is completed, and what is still there counts once.
      counters.loseTo(Math.floor(kept * (counters.moments - 1)))
      await repair()
      expect(await counters.complete()).toEqual(inOrder.map(() => true))
      const held = Object.entries(counters.held()).filter(([, each]) => each !== 0)
      expect(Object.fromEntries(held)).toEqual(countBySteps(inOrder.flat(), { snapshot, shards: SHARDS, now: NOON }))
    }),
    { numRuns: tries(200, 3_000) },
  )
})

test('what was judged long ago is not read again once checkpoints hold what it has cost', async () => {
  const ages = [60, 55, 50, 45, 44, 43, 20, 10, 1]
  let clock = NOON
  const log = memoryLog(1, () => clock)
  const pagesFrom: number[] = []
  const read: typeof log.read = async (topic, partition, from, max) => {
    if (topic === 'judged-events' && max > 1) pagesFrom.push(from)
    return log.read(topic, partition, from, max)
  }
  const counters = lossyCounters(1)
  const deps = { log: { ...log, read }, counters, snapshot, now: () => clock }
  const writeCheckpoints = createSpendCheckpoints(deps)
  for (const [sourceOffset, age] of ages.entries()) {
    clock = NOON - age * DAY_MS
    const event = eventOf({ occurredAt: clock }, { campaignId: 'clicks', priceMicros: 7, emittedAt: clock })
    const verdict = { verdict: 'VALID' as const, billedMicros: 7, invalidReason: null, marks: [] }
    const value = encode('JudgedEvent', { ...event, ...verdict, sourcePartition: 0, sourceOffset })
    await log.append([{ topic: 'judged-events', key: 'clicks', value }])
    log.commit({ topic: 'ad-events', partition: 0, offset: sourceOffset + 1 })
  }
  clock = NOON
  await createCountersRepair(deps)()
  expect(pagesFrom).toEqual([0])
  await writeCheckpoints()
  counters.loseTo(0)
  await createCountersRepair(deps)()
  expect(pagesFrom).toEqual([0, 6])
  expect(await counters.read([spendKey(0, 'clicks')])).toEqual([ages.length * 7])
})
