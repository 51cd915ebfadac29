import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openEmbeddedAnalytics } from '../../../infra/analytics/embedded/analytics.ts'
import type { Analytics } from '../../../infra/analytics/port.ts'
import { type Activity, createActivity, DAY_MS } from '../../../streams/signals/activity.ts'
import { SINK_GROUP } from '../../../streams/sink/offset-metadata.ts'
import { tries } from '../../effort.ts'
import { type Happening, purchase, touch } from '../attribution/events.ts'
import { openWorld } from '../attribution/world.ts'

const TODAY = 20_000
const SINCE_DAY = TODAY - 30
const NOON_MS = DAY_MS / 2

let folder: string
let analytics: Analytics
let epoch = 5_000
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'activity-'))
  analytics = await openEmbeddedAnalytics({ folder })
})
afterAll(async () => {
  await analytics.close()
  await rm(folder, { recursive: true })
})

const at = (day: number) => day * DAY_MS + NOON_MS
const view = (eventId: string, adId: string, day: number): Happening => ({
  topic: 'judged-events',
  value: touch({ eventId, type: 'VIEW', cid: 'c', at: at(day), adId }),
})
const bought = (eventId: string, day: number, receivedAt: number, products: string[]): Happening => ({
  topic: 'transactions',
  value: purchase({ eventId, cid: 'c', at: at(day), receivedAt, products }),
})

/** Looks, and counts what was found. */
async function takeNew(activity: Activity, sinceDay: number): Promise<Map<string, number>> {
  const found = await activity.look(sinceDay)
  for (const shopId of ['shop', 'other']) await activity.count(shopId, sinceDay)
  await activity.remember()
  return found
}

/** `day id purchases views` of what is counted. */
async function counted(): Promise<string[]> {
  const rows = await analytics.query<{ day: number; id: string; purchases: number; views: number }>(
    'SELECT day, id, purchases, views FROM signal_days FINAL WHERE purchases + clicks + views > 0',
  )
  return rows.map(({ day, id, purchases, views }) => `${day} ${id} ${purchases} ${views}`).sort()
}

/** The same, counted from all that happened: of the versions of an order the one that was received first counts. */
function countedAtOnce(all: readonly Happening[]): string[] {
  const figures = new Map<string, { purchases: number; views: number }>()
  const add = (day: number, id: string, figure: 'purchases' | 'views') => {
    const key = `${day} ${id}`
    const known = figures.get(key) ?? { purchases: 0, views: 0 }
    known[figure] += 1
    figures.set(key, known)
  }
  const views = new Map(
    all.flatMap((each) => (each.topic === 'judged-events' ? [[each.value.eventId, each.value]] : [])),
  )
  for (const { occurredAt, claims } of views.values()) add(Math.floor(occurredAt / DAY_MS), claims.adId, 'views')
  const orders = all.flatMap((each) => (each.topic === 'transactions' ? [each.value] : []))
  for (const versions of Map.groupBy(orders, ({ eventId }) => eventId).values()) {
    const [first] = versions.toSorted((a, b) => a.receivedAt - b.receivedAt)
    const ids = new Set(first!.lines.map(({ shopProductId }) => shopProductId))
    for (const id of ids) add(Math.floor(first!.occurredAt / DAY_MS), id, 'purchases')
  }
  return [...figures].map(([key, { purchases, views }]) => `${key} ${purchases} ${views}`).sort()
}

test('counts by day are those of all rows together, in whatever steps they come', async () => {
  const day = fc.integer({ min: SINCE_DAY, max: SINCE_DAY + 3 })
  const product = fc.constantFrom('p', 'q', 'r')
  // A view that is repeated is the same view; a version of an order may be of another day.
  const viewed = fc.tuple(fc.nat(9), product).map(([n, adId]) => view(`v${n}${adId}`, adId, SINCE_DAY + (n % 4)))
  const ordered = fc.tuple(fc.nat(5), day, fc.uniqueArray(product, { minLength: 1 }))
  const steps = fc.array(fc.array(fc.oneof(viewed, ordered), { minLength: 1, maxLength: 6 }), {
    minLength: 1,
    maxLength: 4,
  })
  await fc.assert(
    fc.asyncProperty(steps, async (drawn) => {
      const world = await openWorld(analytics, epoch++)
      let received = 0
      /** Each another time, in no order. */
      const receivedAt = () => {
        received += 77
        return received % 97
      }
      const all: Happening[] = []
      let activity = createActivity({ log: world.log, analytics })
      for (const [n, step] of drawn.entries()) {
        const happenings = step.map((each) =>
          Array.isArray(each) ? bought(`o${each[0]}`, each[1], receivedAt(), each[2]) : each,
        )
        all.push(...happenings)
        await world.store(happenings)
        // A restart forgets nothing.
        if (n % 2 === 1) activity = createActivity({ log: world.log, analytics })
        // A look that nothing was counted after is looked again after a restart.
        if (n % 3 === 1) await activity.look(SINCE_DAY)
        else await takeNew(activity, SINCE_DAY)
      }
      await takeNew(activity, SINCE_DAY)
      expect(await counted()).toEqual(countedAtOnce(all))
    }),
    { numRuns: tries(15, 300) },
  )
})

test('tells the shops with anything new, and asks the tables nothing when there is none', async () => {
  const world = await openWorld(analytics, epoch++)
  let asked = 0
  const watched: Analytics = {
    ...analytics,
    query: (sql, params) => {
      asked += 1
      return analytics.query(sql, params)
    },
  }
  const activity = createActivity({ log: world.log, analytics: watched })
  await world.store([bought('old', TODAY - 300, 1, ['p']), bought('o', TODAY, 2, ['p']), view('v', 'p', TODAY)])
  expect(await takeNew(activity, SINCE_DAY)).toEqual(new Map([['shop', 2]]))
  expect(await counted()).toEqual([`${TODAY} p 1 1`])
  asked = 0
  expect(await takeNew(activity, SINCE_DAY)).toEqual(new Map())
  expect(asked).toBe(0)
})

test('takes back what was voided, and forgets months that no window reaches', async () => {
  const world = await openWorld(analytics, epoch++)
  const activity = createActivity({ log: world.log, analytics })
  await world.store([view('v', 'p', TODAY), view('w', 'p', TODAY)])
  await takeNew(activity, SINCE_DAY)
  const voided = {
    _topic: 'corrections',
    _partition: 0,
    _offset: 0,
    eventId: 'v',
    shopId: 'shop',
    occurredAt: at(TODAY),
  }
  await analytics.insert('event_corrections', [voided], { token: `voided ${epoch}` })
  const committed = await world.log.committed(SINK_GROUP)
  await world.log.reset(SINK_GROUP, [...committed, { topic: 'corrections', partition: 0, offset: 1, metadata: '' }])
  await takeNew(activity, SINCE_DAY)
  expect(await counted()).toEqual([`${TODAY} p 0 1`])
  await world.store([view('later', 'p', TODAY + 100)])
  await takeNew(activity, TODAY + 70)
  expect(await counted()).toEqual([`${TODAY + 100} p 0 1`])
})
