import { beforeEach, describe, expect, test } from 'vitest'
import type { CounterKey } from '../../../../infra/counters/port.ts'
import type { Campaign } from '../../../../schemas/records/entities.ts'
import type { AdEvent } from '../../../../schemas/records/events.ts'
import { dailySpendKey, spendKey, viewsKey } from '../../../../services/domain/money/counter-keys.ts'
import { FOREIGN_MAX_PER_DAY } from '../../../../streams/judge/verdict.ts'
import { memoryLog } from '../../spend-checkpoints/memory-log.ts'
import { campaignBody, DAY_MS, eventOf, HOUR_MS, NOON, snapshotOf } from '../fixtures.ts'
import { openJudge } from './open-judge.ts'

const { judge, forget, ...counters } = openJudge()
beforeEach(forget)

async function verdicts(campaign: Partial<Campaign>, events: readonly AdEvent[]) {
  const { judged } = await judge(snapshotOf({ c: campaign }), events)
  return judged.map(({ verdict, billedMicros }) => [verdict, billedMicros])
}
const read = async (key: CounterKey) => (await counters.read([key]))[0]

test('the judge passes an event on whole, with its verdict and where it lay, under its campaign', async () => {
  const event = eventOf({ uid: 'u' })
  const { outputs, judged } = await judge(snapshotOf({ c: {} }), [event], 7)
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
  const { judged } = await judge(snapshot, [eventOf(), eventOf()])
  expect(judged.map(({ verdict }) => verdict)).toEqual(['VALID', 'OVER_BUDGET'])
})

test('the judge puts events of a campaign never known aside, and keeps to it when the batch comes again', async () => {
  const events = [eventOf({}, { campaignId: 'new' }), eventOf()]
  const first = await judge(snapshotOf({ c: {} }), events)
  expect(first.dead).toMatchObject([{ offset: 0, code: 'UNKNOWN_CAMPAIGN' }])
  expect(first.judged).toHaveLength(1)
  const again = await judge(snapshotOf({ c: {}, new: {} }), events)
  expect(again).toEqual(first)
  expect(await read(spendKey(0, 'new'))).toBe(0)
})

test('the judge puts no event aside while this process has not read all of the registry', async () => {
  const log = memoryLog()
  const snapshot = snapshotOf({})
  const { judge, forget } = openJudge(log)
  await forget()
  const events = [eventOf({}, { campaignId: 'new' })]
  await log.append([{ topic: 'registry', key: 'Campaign/new/1', value: Buffer.of() }])
  await expect(judge(snapshot, events)).rejects.toThrow(/registry is read up to 0/)
  const body = campaignBody()
  snapshot.apply({ kind: 'Campaign', id: 'new', version: 1, updatedAt: 1, updatedBy: 'a', deletedAt: null, body })
  snapshot.readTo(1)
  expect(await judge(snapshot, events)).toMatchObject({ judged: [{ verdict: 'VALID' }], dead: [] })
})

test('the judge judges an event that was put aside when it is sent in again, once the campaign is known', async () => {
  const event = eventOf({}, { campaignId: 'new' })
  await judge(snapshotOf({}), [event])
  const { judged } = await judge(snapshotOf({ new: {} }), [event, event], 1)
  expect(judged.map(({ verdict }) => verdict)).toEqual(['VALID', 'DUPLICATE'])
})

test('the judge keeps its verdicts when a batch comes again after the budget has changed', async () => {
  const events = [eventOf(), eventOf()]
  const first = await judge(snapshotOf({ c: { budgetMicros: 400_000 } }), events)
  expect(first.judged.map(({ verdict }) => verdict)).toEqual(['VALID', 'OVER_BUDGET'])
  expect(await judge(snapshotOf({ c: {} }), events)).toEqual(first)
})
