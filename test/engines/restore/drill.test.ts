import { randomBytes, randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { shardOf } from '../../../infra/counters/shards.ts'
import type { JudgedEvent } from '../../../schemas/records/events.ts'
import { topicNames } from '../../../schemas/topics.ts'
import { type Ad, type JourneyShop, openShop, type Selection } from '../../journey/shop.ts'
import { must, type Program, startProgram } from '../../program.ts'
import { onceAnswered } from '../../wait-for.ts'
import { PARTITIONS, testNamespace } from '../addresses.ts'
import { removeNamespace, settingsIn } from '../namespace.ts'
import { ageTopics, type Mirror, startMirror } from './mirror.ts'
import { type Ended, runToEnd } from './scripts.ts'
import { judgedIn, verdictsOf } from './verdicts.ts'

/**
 * The restore drill. The program works on a first log while that log is mirrored, and then the first log is lost. The mirror is
 * restored, and the program starts on it with empty projections. docs/restore.md promises what holds then.
 */

const [first, second] = [testNamespace(), testNamespace()]
/** More than the copy will hold, so that every offset in the first log is greater than those in the second. */
const EXPIRED_RECORDS = 300
/** The shop's reserve, which a campaign pays for a click when it is alone in its auction. */
const PRICE = 0.05
const BUDGET = 10 * PRICE
const SHOPPERS = 14
const CLICKED_BEFORE = 5
const CAP = 2
/** The clicks per shop that are voided. */
const VOIDED = 1
const DAY_MS = 86_400_000
const STARTED_AT = Date.now()
const WAIT = { timeout: 60_000, interval: 200 }
const METRICS = 'views,clicks,grossClicks,spend,creditedBack,purchases,revenue,netRevenue,returnedRevenue'
const keys = `1:${randomBytes(32).toString('base64url')}`
// Ads must not be left out because an answer comes late.
const settings = { SHOW_ID_KEYS: keys, SESSION_KEYS: keys, SELECTION_DEADLINE_MS: '5000' }

interface Shopper {
  cid: string
  ad: Ad
}
interface Answers {
  reports: unknown
  spent: unknown
  credit: unknown
}

let program: Program
let mirror: Mirror
/** Two shops whose campaigns are in different partitions. */
let shops: [JourneyShop, JourneyShop]
let shoppers: [Shopper[], Shopper[]]
let before: Answers
let verdictsBefore: Map<string, string[]>
let refused: Ended
let unrestored: Ended
let restored: Ended
/** The event that was mirrored without its verdict, and the event whose verdict was mirrored without it. */
let eventAlone: string
let verdictAlone: string

beforeAll(async () => {
  await ageTopics(first, ['ad-events', 'judged-events', 'corrections'], EXPIRED_RECORDS, PARTITIONS)
  mirror = await startMirror(first, second, PARTITIONS)
  program = await startProgram({ env: { ...settingsIn(first), ...settings } })
  shops = await openShops()
  shoppers = [await showAds(shops[0]), await showAds(shops[1])]
  for (const [at, shop] of shops.entries()) {
    await work(shop, shoppers[at]!)
    await mirror.copy()
  }
  await vi.waitFor(
    async () => expect(await reportOf(shops[1])).toMatchObject({ purchases: 1, creditedBack: PRICE }),
    WAIT,
  )
  await settled()
  await mirror.copy()

  eventAlone = await clickJudged(shoppers[0][CLICKED_BEFORE]!)
  await mirror.copy(['ad-events'])
  verdictAlone = await clickJudged(shoppers[1][CLICKED_BEFORE]!)
  await mirror.copy(topicNames.filter((topic) => topic !== 'ad-events' && topic !== 'judged-events'))
  await mirror.copy(['judged-events'], partitionOf(shops[1]))

  refused = await runToEnd('restore-log', settingsIn(first))
  await settled()
  before = await onceAnswered(answers)
  verdictsBefore = verdictsOf(await judgedIn(settingsIn(first)))
  await program.kill('SIGKILL')
  await rm(program.folder, { recursive: true })
  unrestored = await runToEnd('main', settingsIn(second))
  restored = await runToEnd('restore-log', settingsIn(second))
  process.stdout.write(restored.output)
  program = await startProgram({ env: { ...settingsIn(second), ...settings } })
  shops = [onProgram(shops[0]), onProgram(shops[1])]
})
afterAll(async () => {
  await mirror?.close()
  await program?.stop()
  await Promise.all([first, second].map(removeNamespace))
})

test('a log that processes work on is not restored, and a copy without any is', () => {
  expect(refused.code).toBe(1)
  expect(refused.output).toMatch(/end them all first. Groups with members: .*judge \(1\)/)
  expect(restored.code).toBe(0)
  expect(restored.output).toMatch(/The log is in epoch 1/)
})

test('nothing starts on a copy that was not restored', () => {
  expect(unrestored.code).toBe(1)
  expect(unrestored.output).toMatch(/was written in of-the-first-log\. Run `make restore-log` first/)
})

test('reports, spend and credit are as before', async () => {
  await settled()
  await vi.waitFor(async () => expect(await answers()).toEqual(before), WAIT)
  // In each shop one click was voided, and one came at the end.
  const clicks = CLICKED_BEFORE - VOIDED + 1
  const each = { clicks, spend: expect.closeTo(clicks * PRICE), purchases: 1 }
  expect(before.reports).toMatchObject([each, each])
})

test('each event has the verdict that it had, once; the one that came without is judged', async () => {
  const judged = await judgedIn(settingsIn(second))
  expect(verdictsOf(judged)).toEqual(verdictsBefore)
  expect(judged.filter(({ eventId }) => eventId === verdictAlone)).toHaveLength(1)
  const firstOffset = 2 ** 40
  expect(judged.filter(({ sourceOffset }) => sourceOffset >= firstOffset).map(({ eventId }) => eventId)).toEqual([
    eventAlone,
  ])
})

test('what was billed before is a repetition, caps and budgets go on, and what is new counts', async () => {
  const known = (await judgedIn(settingsIn(second))).length
  const [open, limited] = shoppers
  // Send these again, as a page does that got no answer. One of them was mirrored only as a verdict, without its event.
  for (const shopper of [open[0]!, open[CLICKED_BEFORE]!, limited[CLICKED_BEFORE]!]) await act('click-event', shopper)
  // Clicks on ads that were shown before the restore: more than the rest of the budget pays for.
  const late = limited.slice(CLICKED_BEFORE + 1)
  for (const shopper of late) await act('click-event', shopper)
  // The first shopper has seen this ad as often as the cap allows.
  await vi.waitFor(async () => expect(await shops[0].askForAds(randomUUID(), 'desk lamp', 1)).toHaveLength(1), WAIT)
  expect(await shops[0].askForAds(open[0]!.cid, 'desk lamp', 1)).toEqual([])
  const [newcomer] = await showAds(shops[0], 1)
  await act('view-event', newcomer!)
  await act('click-event', newcomer!)
  await buy(shops[0], newcomer!, 'order-after')

  const sent = 3 + late.length + 2
  await vi.waitFor(async () => expect(await judgedIn(settingsIn(second))).toHaveLength(known + sent), WAIT)
  const verdicts = (await judgedIn(settingsIn(second)))
    .filter(({ eventId }) => !verdictsBefore.has(eventId))
    .map(({ verdict }) => verdict)
  const count = (verdict: JudgedEvent['verdict']) => verdicts.filter((each) => each === verdict).length
  const left = BUDGET / PRICE - CLICKED_BEFORE - 1 + VOIDED
  expect({ repeated: count('DUPLICATE'), valid: count('VALID'), over: count('OVER_BUDGET') }).toEqual({
    repeated: 3,
    valid: 2 + left,
    over: late.length - left,
  })
  await vi.waitFor(async () => {
    const [one, two] = (await answers()).reports as { clicks: number; purchases: number; spend: number }[]
    expect(one).toMatchObject({ clicks: CLICKED_BEFORE - VOIDED + 2, purchases: 2 })
    expect(two!.spend).toBeCloseTo(BUDGET)
  }, WAIT)
})

test('every record that the log holds is accounted for', async () => {
  await settled()
  expect(await shops[0].get('/v1/panel/audit')).toMatchObject({ duplicates: 0, deadLetters: 0, lagMs: 0 })
})

const partitionOf = ({ campaignId }: JourneyShop) => shardOf(campaignId, PARTITIONS)

/** Opens a shop with a lasting budget and one with a small budget, in different partitions of `ad-events`. */
async function openShops(): Promise<[JourneyShop, JourneyShop]> {
  const open = await openShop(program, { lamps: ['red'] })
  await must(program.call('PATCH', `/v1/panel/campaigns/${open.campaignId}`, { capping: CAP }))
  for (;;) {
    const limited = await openShop(program, { lamps: ['red'], budget: BUDGET })
    if (partitionOf(limited) !== partitionOf(open)) return [open, limited]
  }
}

/** The same shop in the program that is running now. */
function onProgram(shop: JourneyShop): JourneyShop {
  return {
    ...shop,
    get: (path) => must(program.call('GET', path)),
    post: (path, body, headers) => must(program.call('POST', path, body, headers)),
    async askForAds(cid, searchData, adCount = 2) {
      const targeting = [{ slotHash: shop.slotHash, adCount, searchData }]
      const { data } = await must(program.call<Selection>('POST', '/v1/dsa/raw/batch', { targeting }, { cid }))
      return data[0]!.ads
    },
  }
}

async function showAds(shop: JourneyShop, people = SHOPPERS): Promise<Shopper[]> {
  const shown: Shopper[] = []
  for (let i = 0; i < people; i++) {
    const cid = randomUUID()
    const ad = await vi.waitFor(async () => {
      const [first] = await shop.askForAds(cid, 'desk lamp', 1)
      expect(first).toBeDefined()
      return first!
    }, WAIT)
    shown.push({ cid, ad })
  }
  return shown
}

const act = (path: 'view-event' | 'click-event', { cid, ad: { showId } }: Shopper) =>
  must(program.call('POST', `/v1/dsa/${path}`, { showId }, { cid }))

async function buy(shop: JourneyShop, { cid, ad }: Shopper, eventId: string): Promise<void> {
  const products = [{ shopProductId: ad.shopProductId, price: ad.productPrice, quantity: 2 }]
  const order = { eventId, kind: 'PURCHASE', shopId: shop.shopId, currency: 'EUR', products }
  await shop.post('/v1/ev/transaction', order, { cid })
}

/** Views and clicks, two purchases of which one loses its click, and a return. */
async function work(shop: JourneyShop, people: readonly Shopper[]): Promise<void> {
  for (const shopper of people) await act('view-event', shopper)
  for (const shopper of people.slice(0, CLICKED_BEFORE)) await act('click-event', shopper)
  await act('click-event', people[0]!)
  // Reach the cap of the first shopper.
  const [again] = await shop.askForAds(people[0]!.cid, 'desk lamp', 1)
  if (again) await act('view-event', { cid: people[0]!.cid, ad: again })
  await buy(shop, people[0]!, 'order-kept')
  await buy(shop, people[1]!, 'order-lost')
  await vi.waitFor(async () => expect(await reportOf(shop)).toMatchObject({ purchases: 2 }), WAIT)
  await shop.post('/v1/panel/transactions/order-kept/returns', {
    returnId: 'return',
    shopId: shop.shopId,
    lines: [{ shopProductId: people[0]!.ad.shopProductId, quantity: 1 }],
  })
  await shop.post('/v1/panel/invalid-traffic/voids', { shopId: shop.shopId, cid: people[1]!.cid, reason: 'A drill' })
  await vi.waitFor(async () => expect(await reportOf(shop)).toMatchObject({ purchases: 1 }), WAIT)
}

async function reportOf({ shopId }: JourneyShop): Promise<Record<string, number>> {
  const range = `from=${new Date(STARTED_AT - DAY_MS).toISOString()}&to=${new Date(STARTED_AT + DAY_MS).toISOString()}`
  const path = `/v1/panel/reports?shopId=${shopId}&${range}&metrics=${METRICS}`
  return (await must(program.call<{ totals: Record<string, number> }>('GET', path))).totals
}

async function answers(): Promise<Answers> {
  const get = (path: string) => must(program.call<Record<string, unknown>>('GET', path))
  return {
    reports: await Promise.all(shops.map(reportOf)),
    spent: await Promise.all(
      shops.map(async ({ campaignId }) => (await get(`/v1/panel/campaigns/${campaignId}`)).spent),
    ),
    credit: await Promise.all(
      shops.flatMap(({ shopId }) =>
        ['order-kept', 'order-lost'].map((order) => get(`/v1/panel/explain/attribution/${order}?shopId=${shopId}`)),
      ),
    ),
  }
}

interface AuditedTopic {
  topic: string
  logged: number
  stored: number
  deadLetters: number
}

/** Waits until everything in the log is stored. */
const settled = () =>
  vi.waitFor(async () => {
    const { topics } = await must(program.call<{ topics: AuditedTopic[] }>('GET', '/v1/panel/audit'))
    expect(topics.filter(({ logged, stored, deadLetters }) => stored + deadLetters !== logged)).toEqual([])
  }, WAIT)

/** Clicks and waits for the verdict. @returns the event's id. */
async function clickJudged(shopper: Shopper): Promise<string> {
  const known = new Set((await judgedIn(settingsIn(first))).map(({ eventId }) => eventId))
  await act('click-event', shopper)
  return vi.waitFor(async () => {
    const found = (await judgedIn(settingsIn(first))).find(({ eventId }) => !known.has(eventId))
    return found!.eventId
  }, WAIT)
}
