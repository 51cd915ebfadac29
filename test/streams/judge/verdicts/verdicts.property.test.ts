import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { NewRecord } from '../../../../infra/event-log/port.ts'
import type { AdEvent, JudgedEvent } from '../../../../schemas/records/events.ts'
import { UNKNOWN_CLIENT } from '../../../../services/domain/identity/client-hashes.ts'
import {
  crossClientKey,
  dailySpendKey,
  spendKey,
  thousandthsKey,
  viewsKey,
} from '../../../../services/domain/money/counter-keys.ts'
import { tries } from '../../../effort.ts'
import { eventOf, HOUR_MS, NOON, snapshotOf } from '../fixtures.ts'
import { campaigns, expectedOf, sum } from './expected-verdicts.ts'
import { openJudge } from './open-judge.ts'

const { judge, forget, recount, read } = openJudge()

const anyEvent = fc
  .record({
    campaignId: fc.constantFrom('tight', 'daily', 'banner', ...Array<'roomy'>(4).fill('roomy')),
    type: fc.constantFrom('VIEW', 'CLICK'),
    requestId: fc.nat(200).map((n) => `r${n < 70 ? n % 6 : n}`),
    cid: fc.constantFrom('a', 'a', 'a', 'b'),
    given: fc.constantFrom({ cid: 'b', uid: null }, { cid: 'b', uid: 'u' }),
    uid: fc.constantFrom(null, 'u', 'v'),
    bot: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    ageHours: fc.constantFrom(0, 0, 1, 1, 11, 13, 25),
    priceMicros: fc.integer({ min: 0, max: 1_500 }),
    autoPromo: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  })
  .map(({ campaignId, requestId, given, ageHours, priceMicros, autoPromo, ...event }) =>
    eventOf(
      { ...event, occurredAt: NOON + ageHours * HOUR_MS },
      {
        ...given,
        campaignId,
        requestId,
        priceMicros,
        autoPromo,
        kind: campaignId === 'banner' ? 'DISPLAY' : 'SPONSORED',
      },
    ),
  )

/** A run: how many events each poll returns, and whether a crash loses its commit. */
const anyRun = fc.record({
  events: fc.array(anyEvent, { minLength: 1, maxLength: 120, size: 'max' }),
  polls: fc.array(fc.record({ size: fc.integer({ min: 1, max: 20 }), crash: fc.boolean() }), {
    minLength: 1,
    maxLength: 9,
  }),
})

describe('any run of the judge, with crashes before the commit', () => {
  const snapshot = snapshotOf(campaigns)

  /** Judges all events, each batch until its commit succeeds. Batches have another size in each attempt. */
  async function run({ events, polls }: { events: AdEvent[]; polls: { size: number; crash: boolean }[] }) {
    const judged: JudgedEvent[] = []
    const outputs: NewRecord[] = []
    for (let turn = 0; judged.length < events.length; turn++) {
      const { size, crash } = polls[turn % polls.length]!
      const from = judged.length
      const batch = await judge(snapshot, events.slice(from, from + size), from)
      if (crash && turn < 2 * polls.length) continue
      judged.push(...batch.judged)
      outputs.push(...batch.outputs)
    }
    return { judged, outputs }
  }

  test('any run of the judge gives every event the verdict that its history asks for', async () => {
    await fc.assert(
      fc.asyncProperty(anyRun, async (drawn) => {
        await forget()
        const { judged } = await run(drawn)
        expect(judged.map(({ verdict, billedMicros }) => ({ verdict, billedMicros }))).toEqual(expectedOf(drawn.events))
        for (const [id, { budgetMicros }] of Object.entries(campaigns)) {
          const billed = sum(
            judged.filter((event) => event.claims.campaignId === id).map((event) => event.billedMicros),
          )
          expect(billed).toBeLessThanOrEqual(budgetMicros)
          expect((await read([spendKey(0, id)]))[0]).toBe(billed)
        }
      }),
      { numRuns: tries(40, 400) },
    )
  })

  test('any run of the judge can be counted again from what it wrote: same values', async () => {
    await fc.assert(
      fc.asyncProperty(anyRun, async (drawn) => {
        await forget()
        const { judged, outputs } = await run(drawn)
        const keys = judged.flatMap(({ claims, cid, uid }) =>
          ['2026-03-10', '2026-03-11'].flatMap((day) => [
            spendKey(0, claims.campaignId),
            thousandthsKey(0, claims.campaignId),
            dailySpendKey(0, claims.campaignId, day),
            viewsKey(0, 'cid', claims, day, cid),
            viewsKey(0, 'uid', claims, day, uid ?? ''),
            crossClientKey(0, claims.shopId, day, cid),
          ]),
        )
        const before = await read(keys)
        await recount(snapshot, outputs)
        expect(await read(keys)).toEqual(before)
      }),
      { numRuns: tries(20, 200) },
    )
  })
})

test('counters that were counted again judge what follows as those that were lost would have', async () => {
  const anyClient = fc.constantFrom(UNKNOWN_CLIENT, ...['x', 'y'].map((a) => ({ ...UNKNOWN_CLIENT, addressHash: a })))
  const located = fc.array(
    fc.tuple(anyEvent, anyClient).map(([event, client]) => ({ ...event, ...client, receivedAt: event.occurredAt })),
    { minLength: 10, maxLength: 60, size: 'max' },
  )
  const snapshot = snapshotOf(campaigns)
  await fc.assert(
    fc.asyncProperty(located, located, async (before, after) => {
      await forget()
      const { outputs } = await judge(snapshot, before)
      const { judged } = await judge(snapshot, after, before.length)
      await recount(snapshot, outputs)
      expect((await judge(snapshot, after, before.length)).judged).toEqual(judged)
    }),
    { numRuns: tries(20, 200) },
  )
})
