import { describe, expect, test } from 'vitest'
import type { AdEvent } from '../../../schemas/records/events.ts'
import { TRAFFIC_RULES } from '../../../schemas/records/traffic-rules.ts'
import { trafficRulesOf } from '../../../services/domain/traffic-rules.ts'
import { eventOf, HOUR_MS, RULES_OFF } from './fixtures.ts'
import {
  addressOf,
  attack,
  fraudFigures,
  judgeAll,
  mostBilledInAnHour,
  START,
  touch,
  visitOf,
} from './traffic-simulation.ts'

const AT = START + 12 * HOUR_MS
const MINUTE_MS = 60_000
const here = visitOf('a', 'n')
let requests = 0

/** A shown ad, to be viewed and clicked. */
const shown = (cid: string, change: { emittedAt?: number; visit?: typeof here } = {}) => ({
  cid,
  requestId: `request ${++requests}`,
  adId: 'p',
  emittedAt: AT,
  visit: here,
  ...change,
})
const views = (count: number, cid: string, at = AT, visit = here) =>
  Array.from({ length: count }, () => touch('VIEW', at, shown(cid, { emittedAt: at - 2_000, visit })))
const clicks = (count: number, cid: (n: number) => string, at = AT, visit = here) =>
  Array.from({ length: count }, (_, n) => touch('CLICK', at + n, shown(cid(n), { emittedAt: at - 5_000, visit })))
const verdicts = (judged: ReturnType<typeof judgeAll>, type: AdEvent['type'] = 'CLICK') =>
  judged.filter((event) => event.type === type).map(({ verdict, invalidReason }) => invalidReason ?? verdict)
const only = (rule: string, mode: 'MARK' | 'REFUSE', max: number | null = null) =>
  trafficRulesOf([...RULES_OFF.filter((each) => each.rule !== rule), { rule, mode, max }])

describe('clicks of one address', () => {
  test('are billed twice an hour when nobody has viewed anything there', () => {
    const judged = judgeAll(clicks(5, (n) => `cid ${n}`))
    expect(verdicts(judged)).toEqual(['VALID', 'VALID', ...Array(3).fill('ADDRESS_CLICKS')])
    expect(judged.at(-1)).toMatchObject({ verdict: 'INVALID_TRAFFIC', billedMicros: 0, marks: [] })
  })

  test('are billed again after the hour, and never a third time within one', () => {
    const everyMinutes = 7
    const judged = judgeAll(
      attack({ visits: [here], clicks: 400, everyMs: everyMinutes * MINUTE_MS, views: 0, startAt: AT }),
    )
    expect(mostBilledInAnHour(judged, addressOf)).toBe(2)
    expect(verdicts(judged).filter((each) => each === 'VALID').length).toBeGreaterThan(40)
  })

  test('are held together over midnight, when the hash of the address changes', () => {
    const midnight = START + 24 * HOUR_MS
    const judged = judgeAll([
      ...clicks(2, String, midnight - 20 * MINUTE_MS),
      ...clicks(2, String, midnight + MINUTE_MS),
    ])
    expect(verdicts(judged)).toEqual(['VALID', 'VALID', 'ADDRESS_CLICKS', 'ADDRESS_CLICKS'])
  })

  test('are more where people view ads: one for five views, and beyond six one for 35 of newcomers', () => {
    expect(verdicts(judgeAll([...views(15, 'me', AT - 1), ...clicks(6, () => 'me')]))).toEqual([
      ...Array(5).fill('VALID'),
      'ADDRESS_CLICKS',
    ])
    const crowd = Array.from({ length: 70 }, (_, n) => views(2, `newcomer ${n}`, AT - 1)).flat()
    const billed = verdicts(judgeAll([...crowd, ...clicks(20, (n) => `newcomer ${n}`)])).filter(
      (each) => each === 'VALID',
    )
    expect(billed).toHaveLength(2 + 6 + 140 / 35)
  })

  test('are one for five and one for 35 views of people who were seen over an hour ago', () => {
    const before = views(1, 'regular', AT - HOUR_MS - MINUTE_MS)
    const judged = judgeAll(
      [...before, ...views(100, 'regular', AT - 1), ...clicks(30, () => 'regular')],
      only('ADDRESS_CLICKS', 'REFUSE'),
    )
    expect(verdicts(judged).filter((each) => each === 'VALID')).toHaveLength(2 + 100 / 5 + Math.floor(100 / 35))
  })

  test('are no more than of a crowd beyond thirty, however many people come back', () => {
    const people = Array.from({ length: 200 }, (_, n) => `regular ${n}`)
    const before = people.flatMap((cid) => views(1, cid, AT - HOUR_MS - MINUTE_MS))
    const now = people.flatMap((cid) => views(5, cid, AT - 1))
    const judged = judgeAll([...before, ...now, ...clicks(200, (n) => people[n]!)], only('ADDRESS_CLICKS', 'REFUSE'))
    expect(verdicts(judged).filter((each) => each === 'VALID')).toHaveLength(2 + 30 + Math.floor(1_000 / 35))
  })

  test('of one User-Agent and network are six an hour, of the network twenty', () => {
    const spread = (agents: number) =>
      Array.from({ length: 40 }, (_, n) =>
        clicks(1, () => `cid ${n}`, AT + n, visitOf(`a${n}`, 'n', n % agents)),
      ).flat()
    const ofAgent = verdicts(judgeAll(spread(1)))
    expect(ofAgent.filter((each) => each === 'VALID')).toHaveLength(6)
    expect(ofAgent.at(-1)).toBe('AGENT_CLICKS')
    const ofNetwork = verdicts(judgeAll(spread(40)))
    expect(ofNetwork.filter((each) => each === 'VALID')).toHaveLength(20)
    expect(ofNetwork.at(-1)).toBe('NETWORK_CLICKS')
  })

  test('of one shop take nothing from those of another', () => {
    const [first, second] = [clicks(2, String), clicks(2, String)]
    const elsewhere = second.map((event) => ({ ...event, claims: { ...event.claims, shopId: 'another shop' } }))
    expect(verdicts(judgeAll([...first, ...elsewhere]))).toEqual(Array(4).fill('VALID'))
  })
})

describe('what a cid does', () => {
  test('is no person when it clicks over sixty ads in an hour', () => {
    const judged = judgeAll(
      clicks(70, () => 'machine'),
      only('CID_CLICKS', 'REFUSE'),
    )
    expect(verdicts(judged).indexOf('CID_CLICKS')).toBe(60)
  })

  test('is marked when it clicks and never views', () => {
    const marksOf = (events: AdEvent[]) => judgeAll(events, only('CLICKS_ONLY', 'MARK')).at(-1)!.marks
    expect(marksOf(clicks(6, () => 'me'))).toEqual(['CLICKS_ONLY'])
    expect(marksOf(clicks(5, () => 'me'))).toEqual([])
    expect(marksOf([...views(1, 'me', AT - 1), ...clicks(6, () => 'me')])).toEqual([])
  })
})

describe('views of display ads, which are billed', () => {
  const display = (event: AdEvent): AdEvent => ({ ...event, claims: { ...event.claims, kind: 'DISPLAY' } })

  test('are of at most twenty newcomers of an address in an hour', () => {
    const newcomers = Array.from({ length: 30 }, (_, n) => views(2, `cid ${n}`, AT + n).map(display)).flat()
    const judged = verdicts(judgeAll(newcomers), 'VIEW')
    expect(judged.filter((each) => each === 'VALID')).toHaveLength(40)
    expect(new Set(judged)).toEqual(new Set(['VALID', 'ADDRESS_PEOPLE']))
  })

  test('are at most 200 of newcomers of an address, and 600 of a cid', () => {
    const many = views(700, 'cid').map(display)
    expect(verdicts(judgeAll(many), 'VIEW').indexOf('ADDRESS_VIEWS')).toBe(200)
    expect(verdicts(judgeAll(many, only('CID_VIEWS', 'REFUSE')), 'VIEW').indexOf('CID_VIEWS')).toBe(600)
  })
})

test.each([
  ['CONTEXT_MATCH_WIDE', 'SPONSORED', 500],
  ['SIMILAR_TITLES', 'SPONSORED', 700],
  ['DISPLAY', 'DISPLAY', 1_000],
] as const)('a click on %s is marked when it comes sooner than a person can', (algorithm, kind, leastMs) => {
  const after = (ms: number) => judgeAll([eventOf({ occurredAt: AT + ms }, { emittedAt: AT, algorithm, kind })])[0]!
  expect(after(leastMs - 1)).toMatchObject({ verdict: 'VALID', marks: ['TOO_FAST'] })
  expect(after(leastMs)).toMatchObject({ verdict: 'VALID', marks: [] })
})

test('a click without a view of the ad is marked where the ad unit reports views, and only there', () => {
  const rules = only('NO_VIEW', 'MARK')
  const unseen = clicks(1, () => 'me')
  const ad = shown('me')
  const seen = [touch('VIEW', AT - 1, ad), touch('CLICK', AT, ad)]
  expect(
    judgeAll([...views(100, 'x', AT - 2), ...unseen, ...seen], rules)
      .slice(-2)
      .map(({ marks }) => marks),
  ).toEqual(expect.arrayContaining([['NO_VIEW'], []]))
  expect(judgeAll([...views(99, 'x', AT - 2), ...unseen], rules).at(-1)!.marks).toEqual([])
})

describe('the settings of a shop', () => {
  const events = clicks(5, (n) => `cid ${n}`)

  test('switch a rule off, or let it mark', () => {
    expect(verdicts(judgeAll(events, trafficRulesOf(RULES_OFF)))).toEqual(Array(5).fill('VALID'))
    const judged = judgeAll(events, only('ADDRESS_CLICKS', 'MARK'))
    expect(judged.map(({ verdict, marks }) => [verdict, ...marks])).toEqual([
      ...Array(2).fill(['VALID']),
      ...Array(3).fill(['VALID', 'ADDRESS_CLICKS']),
    ])
  })

  test('say how much a rule allows', () => {
    expect(verdicts(judgeAll(events, only('ADDRESS_CLICKS', 'REFUSE', 4)))).toEqual([
      ...Array(4).fill('VALID'),
      'ADDRESS_CLICKS',
    ])
  })

  test('stand for every rule', () => {
    const settings = TRAFFIC_RULES.map((rule) => ({ rule, mode: 'REFUSE' as const, max: 1 }))
    expect(Object.keys(trafficRulesOf(settings))).toEqual([...TRAFFIC_RULES])
    expect(trafficRulesOf(settings).TOO_FAST).toEqual({ mode: 'REFUSE', max: null })
  })
})

test('a first integration test counts: on one machine, at once, without a view and always with one cid', () => {
  const events = Array.from({ length: 200 }, () => eventOf({ occurredAt: AT }, { emittedAt: AT }))
  expect(new Set(verdicts(judgeAll(events)))).toEqual(new Set(['VALID']))
})

test('the figures: an attacker is billed two clicks an hour, and people lose less than one of a hundred', () => {
  const { billed, honest, carrier } = fraudFigures({ visitsPerDay: 1_500, days: 1, seed: 3 })
  process.stdout.write(`${JSON.stringify({ billed, honest, carrier })}\n`)
  for (const { name, inAnHour } of billed.filter((each) => !each.name.includes('views')))
    expect([name, inAnHour]).toEqual([name, 2])
  expect(honest.share).toBeLessThan(0.01)
  expect(carrier.share).toBeLessThan(0.01)
})
