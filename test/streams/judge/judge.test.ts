import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import type { CounterKey } from '../../../infra/counters/port.ts'
import type { EventLog, NewRecord } from '../../../infra/event-log/port.ts'
import type { Campaign } from '../../../schemas/records/entities.ts'
import type { AdEvent, JudgedEvent } from '../../../schemas/records/events.ts'
import { decode } from '../../../schemas/wire/codec.ts'
import { UNKNOWN_CLIENT } from '../../../services/domain/identity/client-hashes.ts'
import {
  crossClientKey,
  dailySpendKey,
  spendKey,
  thousandthsKey,
  viewsKey,
} from '../../../services/domain/money/counter-keys.ts'
import type { Snapshot } from '../../../services/domain/snapshot.ts'
import { createJudgeStep } from '../../../streams/judge/judge.ts'
import { rebuildCounters } from '../../../streams/judge/recount.ts'
import { FOREIGN_MAX_PER_DAY } from '../../../streams/judge/verdict.ts'
import { tries } from '../../effort.ts'
import { campaignBody, DAY_MS, eventOf, HOUR_MS, NOON, recordsOf, snapshotOf } from './fixtures.ts'
import { lossyCounters } from './lossy-counters.ts'

const counters = lossyCounters()
async function emptyCounters() {
  await counters.clear()
  await counters.markComplete(0)
}
beforeEach(emptyCounters)

/** A log that has these judged events in one partition. */
const fakeLog = (outputs: readonly NewRecord[]): Pick<EventLog, 'bounds' | 'read' | 'committed'> => ({
  bounds: async (topic) => [{ partition: 0, start: 0, end: topic === 'judged-events' ? outputs.length : 0 }],
  committed: async () => [],
  read: async (_, partition, from, max) =>
    outputs.slice(from, from + max).map((output, i) => ({ ...output, partition, offset: from + i, appendedAt: NOON })),
})
/** Early enough that no counter of the tests' day is forgotten yet. */
const now = () => NOON

async function judgeBatch(snapshot: Snapshot, events: readonly AdEvent[], firstOffset = 0) {
  const step = createJudgeStep({ log: fakeLog([]), counters, snapshot, now })
  const records = recordsOf(events, firstOffset)
  const lastOffset = firstOffset + events.length - 1
  const { outputs, dead } = await step({ topic: 'ad-events', partition: 0, records, committed: null, lastOffset })
  return { judged: outputs!.map((output) => decode('JudgedEvent', output.value!)), outputs: outputs!, dead: dead! }
}
async function verdicts(campaign: Partial<Campaign>, events: readonly AdEvent[]) {
  const { judged } = await judgeBatch(snapshotOf({ c: campaign }), events)
  return judged.map(({ verdict, billedMicros }) => [verdict, billedMicros])
}
const read = async (key: CounterKey) => (await counters.read([key]))[0]

test('the judge passes an event on whole, with its verdict and where it lay, under its campaign', async () => {
  const event = eventOf({ uid: 'u' })
  const { outputs, judged } = await judgeBatch(snapshotOf({ c: {} }), [event], 7)
  expect(outputs[0]).toMatchObject({ topic: 'judged-events', key: 'c' })
  const judgement = { verdict: 'VALID', billedMicros: 400_000, invalidReason: null, marks: ['TOO_FAST'] }
  expect(judged).toEqual([{ ...event, ...judgement, sourcePartition: 0, sourceOffset: 7 }])
})

test('the judge bills a sponsored click its price, and a view nothing', async () => {
  expect(await verdicts({}, [eventOf({ type: 'VIEW' }), eventOf(), eventOf()])).toEqual([
    ['VALID', 0],
    ['VALID', 400_000],
    ['VALID', 400_000],
  ])
  expect(await read(spendKey(0, 'c'))).toBe(800_000)
  expect(await read(dailySpendKey(0, 'c', '2026-03-10'))).toBe(800_000)
})

test('the judge bills auto-promotion nothing, whatever is left of the budget', async () => {
  expect(await verdicts({ budgetMicros: 0 }, [eventOf({}, { autoPromo: true })])).toEqual([['VALID', 0]])
})

test.each([1_234_567, 999, 5_000, 1])('bills 1,000 display views exactly their price of %i', async (priceMicros) => {
  const views = Array.from({ length: 1_000 }, () => eventOf({ type: 'VIEW' }, { kind: 'DISPLAY', priceMicros }))
  const billed = (await verdicts({ kind: 'DISPLAY' }, views)).map(([, micros]) => micros as number)
  expect(billed.reduce((sum, micros) => sum + micros)).toBe(priceMicros)
  expect(Math.max(...billed) - Math.min(...billed)).toBeLessThanOrEqual(1)
  expect(await read(spendKey(0, 'c'))).toBe(priceMicros)
})

test('the judge bills a display click nothing', async () => {
  expect(await verdicts({ kind: 'DISPLAY' }, [eventOf({}, { kind: 'DISPLAY' })])).toEqual([['VALID', 0]])
})

test('the judge counts nothing for a bot, whose view leaves room for a person', async () => {
  const bot = eventOf({ type: 'VIEW', bot: true }, { requestId: 'r' })
  const person = eventOf({ type: 'VIEW' }, { requestId: 'r' })
  expect(await verdicts({ capping: 1 }, [bot, person])).toEqual([
    ['BOT', 0],
    ['VALID', 0],
  ])
})

test('the judge knows a view for 24 hours after the emission and a click for 30 days', async () => {
  const at = (type: AdEvent['type'], age: number) => eventOf({ type, occurredAt: NOON + age })
  const events = [at('VIEW', DAY_MS), at('VIEW', DAY_MS + 1), at('CLICK', 30 * DAY_MS), at('CLICK', 30 * DAY_MS + 1)]
  const judged = await verdicts({}, events)
  expect(judged.map(([verdict]) => verdict)).toEqual(['VALID', 'EXPIRED', 'VALID', 'EXPIRED'])
})

test('the judge takes one view and one click of a showId, whoever sends them', async () => {
  const same = { requestId: 'r' }
  const events = [
    eventOf({ type: 'VIEW' }, same),
    eventOf({ type: 'CLICK' }, same),
    eventOf({ type: 'CLICK' }, same),
    eventOf({ type: 'VIEW', cid: 'other' }, same),
    eventOf({ type: 'CLICK', receivedAt: NOON + 7 * DAY_MS }, same),
  ]
  const judged = await verdicts({}, events)
  expect(judged.map(([verdict]) => verdict)).toEqual(['VALID', 'VALID', 'DUPLICATE', 'DUPLICATE', 'DUPLICATE'])
  expect(await read(spendKey(0, 'c'))).toBe(400_000)
})

test('the judge caps views of one ad by cid and by uid, whichever is reached first', async () => {
  const view = (cid: string, uid: string | null, adId = 'p1') => eventOf({ type: 'VIEW', cid, uid }, { adId })
  const events = [
    view('a', 'u'),
    view('b', 'u'),
    view('d', 'u'),
    view('a', null),
    view('a', null),
    view('a', 'u', 'p2'),
  ]
  const judged = await verdicts({ capping: 2 }, events)
  expect(judged.map(([verdict]) => verdict)).toEqual(['VALID', 'VALID', 'CAPPED', 'VALID', 'CAPPED', 'VALID'])
})

test('the judge caps anew on the next day of the shop', async () => {
  // 23:00 UTC is midnight in Warsaw in winter.
  const midnight = Date.UTC(2026, 2, 10, 23)
  const at = (occurredAt: number) => eventOf({ type: 'VIEW', occurredAt })
  const judged = await verdicts({ capping: 1 }, [
    at(midnight - 2),
    at(midnight - 1),
    at(midnight),
    at(midnight + HOUR_MS),
  ])
  expect(judged.map(([verdict]) => verdict)).toEqual(['VALID', 'CAPPED', 'VALID', 'CAPPED'])
  expect(await read(viewsKey(0, 'cid', { campaignId: 'c', adId: 'p1' }, '2026-03-11', 'cid'))).toBe(1)
})

describe('an event for an ad that another browser was given', () => {
  const foreign = (change: Partial<AdEvent> = {}) => eventOf({ cid: 'thief', ...change }, { uid: 'u' })
  const many = (count: number, change: Partial<AdEvent> = {}) => Array.from({ length: count }, () => foreign(change))
  const ofVerdict = async (events: readonly AdEvent[], wanted: string) =>
    (await verdicts({ capping: 100 }, events)).filter(([verdict]) => verdict === wanted).length

  test('an ad that another browser reports counts, up to a number of events per browser and day of the shop', async () => {
    const views = many(FOREIGN_MAX_PER_DAY, { type: 'VIEW' })
    const judged = await verdicts({}, [
      ...views,
      foreign(),
      foreign({ cid: 'other' }),
      eventOf({ cid: 'thief' }, { cid: 'thief' }),
      foreign({ occurredAt: NOON + DAY_MS }),
    ])
    expect(judged.slice(FOREIGN_MAX_PER_DAY)).toEqual([
      ['REPLAYED', 0],
      ['VALID', 400_000],
      ['VALID', 400_000],
      ['VALID', 400_000],
    ])
  })

  test('an ad that another browser of the same person reports is no replay', async () => {
    const [known, unknown] = ['u', 'v'].map((uid) => many(FOREIGN_MAX_PER_DAY + 5, { uid }))
    expect(await ofVerdict([...known!, ...unknown!], 'REPLAYED')).toBe(5)
  })

  test('an empty uid on both sides does not make two browsers one person', async () => {
    const events = many(FOREIGN_MAX_PER_DAY + 5).map((event) => ({ ...event, claims: { ...event.claims, uid: '' } }))
    expect(
      await ofVerdict(
        events.map((event) => ({ ...event, uid: '' })),
        'REPLAYED',
      ),
    ).toBe(5)
  })

  test('a replayed ad leaves the caps and budget of the campaign to others', async () => {
    const clicks = many(FOREIGN_MAX_PER_DAY + 9)
    const price = clicks[0]!.claims.priceMicros
    const judged = await verdicts({ budgetMicros: (FOREIGN_MAX_PER_DAY + 1) * price }, [...clicks, eventOf()])
    expect(judged.at(-1)).toEqual(['VALID', price])
  })
})

test('the judge does not cap clicks', async () => {
  const judged = await verdicts({ capping: 1 }, [eventOf(), eventOf()])
  expect(judged.map(([verdict]) => verdict)).toEqual(['VALID', 'VALID'])
})

test('the judge bills up to the budget and not one micro more', async () => {
  const clicks = [500, 499, 2, 1, 1].map((priceMicros) => eventOf({}, { priceMicros }))
  expect(await verdicts({ budgetMicros: 1_000 }, clicks)).toEqual([
    ['VALID', 500],
    ['VALID', 499],
    ['OVER_BUDGET', 0],
    ['VALID', 1],
    ['OVER_BUDGET', 0],
  ])
})

test('the judge bills up to the daily budget on each day of the shop', async () => {
  const clicks = [0, 1, DAY_MS, DAY_MS + 1].map((age) => eventOf({ occurredAt: NOON + age }))
  const judged = await verdicts({ dailyBudgetMicros: 500_000 }, clicks)
  expect(judged.map(([verdict]) => verdict)).toEqual(['VALID', 'OVER_BUDGET', 'VALID', 'OVER_BUDGET'])
})

test('the judge holds a deleted campaign to its last terms', async () => {
  const snapshot = snapshotOf({ c: {} })
  const body = campaignBody({ budgetMicros: 400_000 })
  snapshot.apply({ kind: 'Campaign', id: 'c', version: 2, updatedAt: 1, updatedBy: 'a', deletedAt: 1, body })
  const { judged } = await judgeBatch(snapshot, [eventOf(), eventOf()])
  expect(judged.map(({ verdict }) => verdict)).toEqual(['VALID', 'OVER_BUDGET'])
})

test('the judge puts events of a campaign never known aside, and keeps to it when the batch comes again', async () => {
  const events = [eventOf({}, { campaignId: 'new' }), eventOf()]
  const first = await judgeBatch(snapshotOf({ c: {} }), events)
  expect(first.dead).toMatchObject([{ offset: 0, code: 'UNKNOWN_CAMPAIGN' }])
  expect(first.judged).toHaveLength(1)
  const again = await judgeBatch(snapshotOf({ c: {}, new: {} }), events)
  expect(again).toEqual(first)
  expect(await read(spendKey(0, 'new'))).toBe(0)
})

test('the judge judges an event that was put aside when it is sent in again, once the campaign is known', async () => {
  const event = eventOf({}, { campaignId: 'new' })
  await judgeBatch(snapshotOf({}), [event])
  const { judged } = await judgeBatch(snapshotOf({ new: {} }), [event, event], 1)
  expect(judged.map(({ verdict }) => verdict)).toEqual(['VALID', 'DUPLICATE'])
})

test('the judge keeps its verdicts when a batch comes again after the budget has changed', async () => {
  const events = [eventOf(), eventOf()]
  const first = await judgeBatch(snapshotOf({ c: { budgetMicros: 400_000 } }), events)
  expect(first.judged.map(({ verdict }) => verdict)).toEqual(['VALID', 'OVER_BUDGET'])
  expect(await judgeBatch(snapshotOf({ c: {} }), events)).toEqual(first)
})

const campaigns = {
  tight: { budgetMicros: 3_000, capping: 1 },
  daily: { budgetMicros: 9_000, dailyBudgetMicros: 2_000, capping: 2 },
  banner: { kind: 'DISPLAY', budgetMicros: 7, capping: 3 },
  roomy: { budgetMicros: 1_000_000_000, capping: 100 },
} as const satisfies Record<string, Partial<Campaign>>

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
      const batch = await judgeBatch(snapshot, events.slice(from, from + size), from)
      if (crash && turn < 2 * polls.length) continue
      judged.push(...batch.judged)
      outputs.push(...batch.outputs)
    }
    return { judged, outputs }
  }

  test('any run of the judge gives every event the verdict that its history asks for', async () => {
    await fc.assert(
      fc.asyncProperty(anyRun, async (drawn) => {
        await emptyCounters()
        const { judged } = await run(drawn)
        expect(judged.map(({ verdict, billedMicros }) => ({ verdict, billedMicros }))).toEqual(expectedOf(drawn.events))
        for (const [id, { budgetMicros }] of Object.entries(campaigns)) {
          const billed = sum(
            judged.filter((event) => event.claims.campaignId === id).map((event) => event.billedMicros),
          )
          expect(billed).toBeLessThanOrEqual(budgetMicros)
          expect(await read(spendKey(0, id))).toBe(billed)
        }
      }),
      { numRuns: tries(40, 400) },
    )
  })

  test('any run of the judge can be counted again from what it wrote: same values', async () => {
    await fc.assert(
      fc.asyncProperty(anyRun, async (drawn) => {
        await emptyCounters()
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
        const before = await counters.read(keys)
        await rebuildCounters({ log: fakeLog(outputs), counters, snapshot, now })
        expect(await counters.read(keys)).toEqual(before)
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
      await emptyCounters()
      const { outputs } = await judgeBatch(snapshot, before)
      const { judged } = await judgeBatch(snapshot, after, before.length)
      await rebuildCounters({ log: fakeLog(outputs), counters, snapshot, now })
      expect((await judgeBatch(snapshot, after, before.length)).judged).toEqual(judged)
    }),
    { numRuns: tries(20, 200) },
  )
})

const sum = (numbers: readonly number[]) => numbers.reduce((total, n) => total + n, 0)

/** The expected verdicts, computed by looking back over the list for each event. */
function expectedOf(events: readonly AdEvent[]) {
  const judged: { event: AdEvent; verdict: string; billedMicros: number }[] = []
  const warsawDay = (at: number) => new Date(at + HOUR_MS).toISOString().slice(0, 10)
  for (const event of events) {
    const { claims, type, cid, uid, occurredAt } = event
    const terms: Partial<Campaign> = campaigns[claims.campaignId as keyof typeof campaigns]
    const earlier = judged.filter((each) => each.event.claims.campaignId === claims.campaignId)
    const valid = earlier.filter((each) => each.verdict === 'VALID')
    const isSameDay = (each: AdEvent) => warsawDay(each.occurredAt) === warsawDay(occurredAt)
    const sameDay = valid.filter((each) => isSameDay(each.event))
    const isForeign = (each: AdEvent) =>
      each.cid !== each.claims.cid && (each.uid === null || each.uid !== each.claims.uid)
    const foreign = judged.filter(
      (each) => each.verdict === 'VALID' && each.event.cid === cid && isForeign(each.event) && isSameDay(each.event),
    )
    const views = sameDay.filter((each) => each.event.type === 'VIEW')
    const paid = valid.filter((each) => each.event.type === 'VIEW' && !each.event.claims.autoPromo)

    const perView = claims.kind === 'DISPLAY' && type === 'VIEW' && !claims.autoPromo
    const owedThousandths = sum(paid.map((each) => each.event.claims.priceMicros)) + claims.priceMicros
    const billedMicros = perView
      ? Math.floor(owedThousandths / 1_000) - sum(valid.map((each) => each.billedMicros))
      : claims.kind === 'SPONSORED' && type === 'CLICK' && !claims.autoPromo
        ? claims.priceMicros
        : 0
    const overBudget =
      (perView ? claims.priceMicros > 0 : billedMicros > 0) &&
      (sum(valid.map((each) => each.billedMicros)) + billedMicros > terms.budgetMicros! ||
        sum(sameDay.map((each) => each.billedMicros)) + billedMicros >
          (terms.dailyBudgetMicros ?? Number.POSITIVE_INFINITY))

    const verdict = event.bot
      ? 'BOT'
      : type === 'VIEW' && occurredAt - claims.emittedAt > DAY_MS
        ? 'EXPIRED'
        : earlier.some(
              (each) =>
                !['BOT', 'EXPIRED'].includes(each.verdict) &&
                each.event.type === type &&
                each.event.claims.requestId === claims.requestId,
            )
          ? 'DUPLICATE'
          : isForeign(event) && foreign.length >= FOREIGN_MAX_PER_DAY
            ? 'REPLAYED'
            : type === 'VIEW' &&
                (views.filter((each) => each.event.cid === cid).length >= terms.capping! ||
                  (uid !== null && views.filter((each) => each.event.uid === uid).length >= terms.capping!))
              ? 'CAPPED'
              : overBudget
                ? 'OVER_BUDGET'
                : 'VALID'
    judged.push({ event, verdict, billedMicros: verdict === 'VALID' ? billedMicros : 0 })
  }
  return judged.map(({ verdict, billedMicros }) => ({ verdict, billedMicros }))
}
