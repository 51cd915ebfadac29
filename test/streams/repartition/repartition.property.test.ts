import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AdEvent } from '../../../schemas/records/events.ts'
import { tries } from '../../effort.ts'
import { eventOf, snapshotOf } from '../judge/fixtures.ts'
import { openHistory } from './history.ts'

const BUDGET = 5_000
/** Enough campaigns that with every number of partitions some stay and some move. */
const ids = ['clicked', 'viewed', 'voided', 'daily', 'capped', 'd', 'e', 'f', 'g']
const isViewed = (id: string) => id === 'viewed' || id === 'capped'
const snapshot = snapshotOf({
  ...Object.fromEntries(ids.map((id) => [id, { budgetMicros: BUDGET }])),
  viewed: { kind: 'DISPLAY', budgetMicros: BUDGET },
  daily: { budgetMicros: BUDGET, dailyBudgetMicros: 2_000 },
  capped: { kind: 'DISPLAY', budgetMicros: BUDGET, capping: 2 },
})

const anyEvents = fc.array(
  fc.record({
    id: fc.constantFrom(...ids),
    requestId: fc.nat(30).map((n) => `r${n}`),
    /** Few people, because people are counted over all campaigns. */
    cid: fc.constantFrom('cid', 'other'),
    priceMicros: fc.integer({ min: 1, max: 1_500 }),
  }),
  { minLength: 1, maxLength: 6 },
)
const anyHappening = fc.oneof(
  { weight: 6, arbitrary: fc.record({ what: fc.constant('EVENTS' as const), events: anyEvents }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('VOID' as const), which: fc.nat(100) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('CHECKPOINTS' as const) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('RETENTION' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ what: fc.constant('LOSS' as const), share: fc.double({ max: 1, min: 0, noNaN: true }) }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('REPAIR' as const) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('LATE' as const), events: anyEvents }) },
)
type Happening = typeof anyHappening extends fc.Arbitrary<infer H> ? H : never

const anyGrowth = fc.record({
  at: fc.nat(30),
  by: fc.constantFrom(2, 3),
  crashes: fc.array(fc.nat(8), { maxLength: 3 }),
  loses: fc.boolean(),
})
type Growth = typeof anyGrowth extends fc.Arbitrary<infer G> ? G : never

const FROM = 2

/** @param growths null to have all partitions from the start, and to lose, forget and delay nothing. */
async function play(happenings: readonly Happening[], events: readonly AdEvent[][], growths: readonly Growth[] | null) {
  const most = (growths ?? []).reduce((partitions, { by }) => partitions * by, FROM)
  const history = openHistory(snapshot, growths ? FROM : most)
  const turns = events.values()
  let before = FROM
  for (const [i, happening] of happenings.entries()) {
    for (const { by, crashes, loses } of (growths ?? []).filter(({ at }) => at % happenings.length === i)) {
      before = history.partitions
      await history.repartition(before * by, crashes, () => loses && history.lose(0))
    }
    const { what } = happening
    if (what === 'EVENTS') await history.takeIn(turns.next().value!)
    if (what === 'LATE') {
      for (const event of turns.next().value!) await history.takeInLate(event, growths ? before : most)
    }
    if (what === 'VOID') await history.voidEvent(happening.which)
    if (!growths) continue
    if (what === 'CHECKPOINTS') await history.writeCheckpoints()
    if (what === 'RETENTION') history.forget()
    if (what === 'LOSS') history.lose(happening.share ** 2)
    if (what === 'REPAIR') await history.repair()
  }
  return history.outcome(ids)
}

const eventsIn = (happenings: readonly Happening[]) =>
  happenings.flatMap((happening) =>
    happening.what === 'EVENTS' || happening.what === 'LATE' ? [happening.events.map(eventFor)] : [],
  )

function eventFor({
  id,
  requestId,
  cid,
  priceMicros,
}: {
  id: string
  requestId: string
  cid: string
  priceMicros: number
}) {
  return eventOf(
    { type: isViewed(id) ? 'VIEW' : 'CLICK', cid },
    {
      ...{ campaignId: id, requestId, kind: isViewed(id) ? 'DISPLAY' : 'SPONSORED' },
      priceMicros: isViewed(id) ? priceMicros * 500 : priceMicros,
    },
  )
}

const anyHistory = fc.array(anyHappening, { minLength: 1, maxLength: 20, size: 'max' })

test('more partitions in the middle of a history change no verdict, no spend and no cap, whatever crashes and is lost', async () => {
  await fc.assert(
    fc.asyncProperty(anyHistory, fc.array(anyGrowth, { minLength: 1, maxLength: 2 }), async (drawn, growths) => {
      const happenings = drawn.filter(({ what }) => what !== 'RETENTION')
      if (happenings.length === 0) return
      const events = eventsIn(happenings)
      const grown = await play(happenings, events, growths)
      expect(grown.spend).toEqual(grown.owed)
      const has = (what: Happening['what']) => happenings.some((each) => each.what === what)
      // A lost refund is restored only when the counters are next checked, and a click may be judged before that.
      if (has('VOID') && has('LOSS')) return
      expect(grown).toEqual(await play(happenings, events, null))
    }),
    { numRuns: tries(100, 2_000) },
  )
})

const clickOf = (id: string, requestId: string) => ({ id, requestId, cid: 'cid' as const, priceMicros: 1 })
/** When the counters are rebuilt, the last record of a partition has no verdict yet. Then the log forgets the records that have one. */
const refundedBeforeGrowth: Happening[] = [
  { what: 'EVENTS', events: [clickOf('daily', 'r0')] },
  { what: 'LATE', events: [clickOf('clicked', 'r1')] },
  { what: 'CHECKPOINTS' },
  { what: 'VOID', which: 0 },
  { what: 'RETENTION' },
  { what: 'REPAIR' },
]
const TWO_GROWTHS: Growth[] = [0, 4].map((at) => ({ at, by: 2, crashes: [], loses: false }))

test('no budget is exceeded when the log has also forgotten what was billed before there were more partitions', async () => {
  await fc.assert(
    fc.asyncProperty(anyHistory, fc.array(anyGrowth, { minLength: 1, maxLength: 2 }), async (happenings, growths) => {
      const { spend, owed } = await play(happenings, eventsIn(happenings), growths)
      expect(spend).toEqual(owed)
      for (const each of owed) expect(each).toBeLessThanOrEqual(BUDGET)
    }),
    { numRuns: tries(100, 2_000), examples: [[refundedBeforeGrowth, TWO_GROWTHS]] },
  )
})
