import { beforeEach, expect, test } from 'vitest'
import type { NewRecord } from '../../../infra/event-log/port.ts'
import { DAY_MS } from '../../../schemas/durations.ts'
import type { Shop } from '../../../schemas/records/entities.ts'
import type { Emission, JudgedEvent } from '../../../schemas/records/events.ts'
import { Snapshot } from '../../../services/domain/snapshot.ts'
import { followLifts } from '../../../services/replicas/lifts-follower.ts'
import { createPhraseLifts } from '../../../streams/phrase-lifts/phrase-lifts.ts'
import { correction, emission, purchase, touch } from '../attribution/events.ts'
import { openWorlds } from '../attribution/world.ts'
import { fakeTopic } from '../runtime/fake-log.ts'

const TODAY = 20_600
const NOW = TODAY * DAY_MS + 3_600_000
const RED = 11
const BLUE = 22

const opened = openWorlds()
let world: Awaited<ReturnType<typeof opened>>
let topic: ReturnType<typeof fakeTopic>
let appended: NewRecord[]
let now: number
let count = 0
beforeEach(async () => {
  world = await opened()
  topic = fakeTopic()
  appended = topic.appended
  now = NOW
})

const log = () => ({ ...world.log, ...topic })

function newLeader(shopIds = ['shop'], append = log().append) {
  const snapshot = new Snapshot()
  for (const id of shopIds) {
    const body = { timeZone: 'UTC' } as Shop
    snapshot.apply({ kind: 'Shop', id, version: 1, updatedAt: 0, updatedBy: '', deletedAt: null, body })
  }
  return createPhraseLifts({ log: { ...log(), append }, analytics: world.analytics, snapshot, now: () => now })
}

const lifts = async () => {
  const followed = await followLifts({ log: log(), logger: { error() {} } })
  return (phrase: number, id: string) => followed.of('shop', phrase)?.get(id) ?? 1
}

interface Search {
  phrase: number
  /** Products in the order in which they were shown. */
  shown: readonly string[]
  clicked?: string | null
  day?: number
  cid?: string
  shopId?: string
}

/** An ad request after some words, all of whose ads were viewed. */
function search({ phrase, shown, clicked = null, day = 1, cid = `c${count}`, shopId = 'shop' }: Search) {
  const requestId = `r${count++}`
  const at = (TODAY - day) * DAY_MS + 40_000_000
  const slot = {
    slotHash: 'slot',
    adUnitId: 'unit',
    algorithm: 'CONTEXT_MATCH' as const,
    candidates: 1,
    shortfall: null,
  }
  const request: Emission = {
    ...emission({ id: requestId, cid, uid: null, at, shopId }),
    slots: [{ ...slot, ads: [], dropped: [] }],
    phrases: [phrase],
  }
  const event = (type: JudgedEvent['type'], adId: string, position: number): JudgedEvent => {
    const judged = touch({ eventId: `e${count++}`, cid, at: at + 1_000, adId, type, shopId })
    return { ...judged, claims: { ...judged.claims, requestId, position, emittedAt: at } }
  }
  const views = shown.map((id, place) => event('VIEW', id, place + 1))
  const clicks = clicked === null ? [] : [event('CLICK', clicked, shown.indexOf(clicked) + 1)]
  return [
    { topic: 'emissions' as const, value: request },
    ...[...views, ...clicks].map((value) => ({ topic: 'judged-events' as const, value })),
  ]
}

/** Searches for either colour, with each product first in turn. After each colour, its own product is clicked three times as often. */
function season({ days = 5, each = 120, shopId = 'shop' } = {}) {
  return Array.from({ length: days * each * 2 }, (_, i) => {
    const phrase = i % 2 === 0 ? RED : BLUE
    const own = phrase === RED ? 'red' : 'blue'
    const other = phrase === RED ? 'blue' : 'red'
    const turn = Math.floor(i / 2)
    const clicked = turn % 4 < 3 ? (turn % 4 === 2 ? other : own) : null
    return search({
      phrase,
      shown: turn % 8 < 4 ? ['red', 'blue'] : ['blue', 'red'],
      clicked,
      day: 1 + (i % days),
      shopId,
    })
  }).flat()
}

test('what is clicked after which words is learnt, and written when it changes', async () => {
  await world.store(season())
  const run = newLeader()
  await run()
  await run()
  await newLeader()()
  expect(appended.map(({ key }) => key).sort()).toEqual([`shop/${RED}`, `shop/${BLUE}`])
  const lift = await lifts()
  expect(lift(RED, 'red')).toBeGreaterThan(1.2)
  expect(lift(RED, 'blue')).toBeLessThan(0.8)
  expect(lift(BLUE, 'red')).toBeLessThan(0.8)
  expect(lift(BLUE, 'blue')).toBeGreaterThan(1.2)
})

test('each day is counted as its events tell, each person’s clicks on a product once', async () => {
  const shown = ['red', 'blue']
  await world.store(
    [
      search({ phrase: RED, shown, clicked: 'blue', cid: 'me' }),
      search({ phrase: RED, shown, clicked: 'blue', cid: 'me' }),
      search({ phrase: RED, shown, clicked: 'red' }),
      search({ phrase: RED, shown }),
      search({ phrase: RED, shown, clicked: 'red', day: 3 }),
      // Nobody clicked after these words on that day.
      search({ phrase: BLUE, shown }),
      // Today is not over, so these do not count yet.
      search({ phrase: RED, shown, clicked: 'red', day: 0 }),
      search({ phrase: 0, shown, clicked: 'red' }),
      search({ phrase: RED, shown, clicked: 'red', shopId: 'another' }),
    ].flat(),
  )
  await newLeader()()
  const rows = await world.analytics.query(
    'SELECT day, phrase, id, position, views, clicks FROM phrase_days FINAL WHERE phrase != 0 ORDER BY day, position',
  )
  expect(rows).toEqual([
    { day: TODAY - 3, phrase: RED, id: 'red', position: 1, views: 1, clicks: 1 },
    { day: TODAY - 3, phrase: RED, id: 'blue', position: 2, views: 1, clicks: 0 },
    { day: TODAY - 1, phrase: RED, id: 'red', position: 1, views: 4, clicks: 1 },
    { day: TODAY - 1, phrase: RED, id: 'blue', position: 2, views: 4, clicks: 1 },
  ])
})

test('of a shop with few clicks nothing is learnt, nor of one that is gone', async () => {
  await world.store([...season({ each: 20 }), ...season({ shopId: 'gone' })])
  await newLeader()()
  expect(appended).toEqual([])
})

test('a purchase after a click tells more than the click', async () => {
  const colours = ['red', 'blue']
  const shownTo = (i: number) => (Math.floor(i / 4) % 2 === 0 ? colours : colours.toReversed())
  const searches = Array.from({ length: 400 }, (_, i) =>
    search({
      phrase: i % 2 === 0 ? RED : BLUE,
      shown: shownTo(i),
      clicked: colours[Math.floor(i / 2) % 2]!,
      cid: `p${i}`,
    }),
  )
  await world.store(searches.flat())
  await newLeader()()
  const before = (await lifts())(RED, 'red')
  const bought = Array.from({ length: 400 }, (_, i) => i).filter((i) => i % 2 === 0 && Math.floor(i / 2) % 2 === 0)
  await world.store(
    bought.map((i) => ({
      topic: 'transactions' as const,
      value: purchase({
        eventId: `t${i}`,
        cid: `p${i}`,
        uid: null,
        at: (TODAY - 1) * DAY_MS + 50_000_000,
        products: ['red'],
      }),
    })),
  )
  await world.attribute()
  // Purchases alone do not make a day due. Eight days later the day is recounted together with others that are due.
  now = NOW + 7 * DAY_MS
  await world.store(search({ phrase: RED, shown: colours, clicked: 'red', day: -6 }))
  await newLeader()()
  expect((await lifts())(RED, 'red')).toBeGreaterThan(before * 1.1)
})

test('late events and voided clicks are counted the next day, and an import at once', async () => {
  const run = newLeader()
  await run()
  await world.store(season())
  await run()
  expect(appended).toHaveLength(2)
  const late = search({ phrase: RED, shown: ['green', 'red'], clicked: 'green' })
  await world.store(late)
  const counted = () => world.analytics.query("SELECT sum(clicks) AS clicks FROM phrase_days FINAL WHERE id = 'green'")
  await run()
  expect(await counted()).toEqual([{ clicks: 0 }])
  now += DAY_MS
  await run()
  expect(await counted()).toEqual([{ clicks: 1 }])
})

test('what a former leader appends late is put right at the next turn that learns', async () => {
  const run = newLeader()
  await world.store(season())
  await run()
  const lift = (await lifts())(RED, 'red')
  await log().append([{ topic: 'phrase-lifts', key: `shop/${RED}`, value: null }])
  await world.store(search({ phrase: BLUE, shown: ['blue', 'red'], clicked: 'blue' }))
  now += DAY_MS
  await run()
  expect((await lifts())(RED, 'red')).toBeCloseTo(lift, 1)
})

test('what could not be appended is learnt again at the next turn', async () => {
  await world.store(season())
  const { append } = log()
  let fails = true
  const run = newLeader(['shop'], async (records) => {
    if (fails) throw new Error('away')
    return append(records)
  })
  await expect(run()).rejects.toThrow('away')
  fails = false
  await run()
  expect(appended).toHaveLength(2)
})

/** The clicks after each phrase on all days, by the last count of each day. */
async function clicksAfter(): Promise<Record<number, number>> {
  const rows = await world.analytics.query<{ phrase: number; clicks: number }>(
    `SELECT phrase, toInt64(sum(clicks)) AS clicks FROM phrase_days FINAL
     WHERE phrase != 0 AND (day, countedOn) IN (SELECT day, max(countedOn) FROM phrase_days WHERE phrase = 0 GROUP BY day)
     GROUP BY phrase HAVING clicks > 0`,
  )
  return Object.fromEntries(rows.map(({ phrase, clicks }) => [phrase, clicks]))
}

/** The corrections that void the views and clicks of a search. */
function voided(happened: ReturnType<typeof search>) {
  const events = happened.filter(({ topic }) => topic === 'judged-events').map(({ value }) => value as JudgedEvent)
  return events.map(({ eventId, type, cid, occurredAt: at, claims: { adId } }) => {
    return { topic: 'corrections' as const, value: correction({ eventId, type, cid, at, adId }) }
  })
}

test('clicks that are voided before a restart no longer count, even if they were all of their day', async () => {
  const [first, second] = [1, 2].map((day) => search({ phrase: day * RED, shown: ['red'], clicked: 'red', day }))
  await world.store([...first!, ...second!])
  await newLeader()()
  expect(await clicksAfter()).toEqual({ [RED]: 1, [BLUE]: 1 })
  await world.store(voided(second!))
  now += DAY_MS
  await newLeader()()
  expect(await clicksAfter()).toEqual({ [RED]: 1 })
})

test('a day that is counted twice on one day keeps nothing of the first count', async () => {
  const [first, second] = [RED, BLUE].map((phrase) => search({ phrase, shown: ['red'], clicked: 'red' }))
  await world.store([...first!, ...second!])
  await newLeader()()
  await world.store(voided(second!))
  await newLeader()()
  expect(await clicksAfter()).toEqual({ [RED]: 1 })
})
