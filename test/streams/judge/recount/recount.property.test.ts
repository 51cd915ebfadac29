import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shardOf, shardsOf } from '../../../../infra/counters/shards.ts'
import type { JudgedEvent, Verdict } from '../../../../schemas/records/events.ts'
import { TRAFFIC_RULES } from '../../../../schemas/records/traffic-rules.ts'
import { encode } from '../../../../schemas/wire/codec.ts'
import { createCountersRepair } from '../../../../streams/judge/counters-repair.ts'
import { chargeOf } from '../../../../streams/judge/verdict.ts'
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
/** How long before now: within open windows, within days that are kept, and long ago. */
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

/** What each valid event is billed, in order: a micro more when the thousandths of its campaign complete one. */
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

test('a recount comes to what the steps that have judged the events would', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyJudged, { maxLength: 60 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (drawn, share) => {
        // The log takes events as they are received.
        const events = billed(drawn.toSorted((a, b) => a.receivedAt - b.receivedAt))
        const log = memoryLog(SHARDS)
        const inOrder: JudgedEvent[][] = shardsOf({ shards: SHARDS }).map(() => [])
        for (const event of events) {
          const partition = shardOf(event.claims.campaignId, SHARDS)
          const judged = { ...event, sourcePartition: partition, sourceOffset: inOrder[partition]!.length }
          inOrder[partition]!.push(judged)
          await log.append([
            { topic: 'judged-events', key: event.claims.campaignId, value: encode('JudgedEvent', judged) },
          ])
          log.commit({ topic: 'ad-events', partition, offset: judged.sourceOffset + 1 })
        }
        const counters = lossyCounters(SHARDS)
        const repair = () => createCountersRepair({ log, counters, snapshot, now: () => NOON })()
        await repair()
        // What is lost in part is completed, and what is held counts once.
        counters.loseTo(Math.floor(share * (counters.moments - 1)))
        await repair()
        expect(await counters.complete()).toEqual(inOrder.map(() => true))
        const held = Object.entries(counters.held()).filter(([, each]) => each !== 0)
        expect(Object.fromEntries(held)).toEqual(countBySteps(inOrder.flat(), { snapshot, shards: SHARDS, now: NOON }))
      },
    ),
    { numRuns: tries(150, 3_000) },
  )
})
