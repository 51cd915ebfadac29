import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Analytics } from '../../../infra/analytics/port.ts'
import type { Commit } from '../../../infra/event-log/port.ts'
import { DAY_MS } from '../../../schemas/durations.ts'
import { type Activity, createActivity } from '../../../streams/signals/activity.ts'
import { SINK_GROUP } from '../../../streams/sink/offset-metadata.ts'
import { tries } from '../../effort.ts'
import { openTemporaryAnalytics } from '../../new-analytics.ts'
import { correction, purchase, touch } from '../attribution/events.ts'
import type { Happening } from '../attribution/happenings.ts'
import { openWorld } from '../attribution/world.ts'

const TODAY = 20_000
const SINCE_DAY = TODAY - 30
const NOON_MS = DAY_MS / 2

let analytics: Analytics
let epoch = 5_000
beforeAll(async () => {
  analytics = await openTemporaryAnalytics()
})
afterAll(() => analytics.close())

const at = (day: number) => day * DAY_MS + NOON_MS
const view = (eventId: string, adId: string, day: number): Happening => ({
  topic: 'judged-events',
  value: touch({ eventId, type: 'VIEW', cid: 'c', at: at(day), adId }),
})
const voiding = (eventId: string, adId: string, day: number): Happening => ({
  topic: 'corrections',
  value: correction({ eventId, type: 'VIEW', cid: 'c', at: at(day), adId }),
})
const bought = (eventId: string, day: number, receivedAt: number, products: string[]): Happening => ({
  topic: 'transactions',
  value: purchase({ eventId, cid: 'c', at: at(day), receivedAt, products }),
})

/** Looks for new rows, and counts what was found. */
async function takeNew(activity: Activity, sinceDay: number): Promise<Map<string, number>> {
  const found = await activity.look(sinceDay)
  await activity.count(sinceDay)
  return found
}

/** The counted activity as `day id purchases views`. */
async function counted(): Promise<string[]> {
  const rows = await analytics.query<{ day: number; id: string; purchases: number; views: number }>(
    'SELECT day, id, purchases, views FROM signal_days FINAL WHERE purchases != 0 OR clicks != 0 OR views != 0',
  )
  return rows.map(({ day, id, purchases, views }) => `${day} ${id} ${purchases} ${views}`).sort()
}

/** The same, counted directly from all events. Of the versions of an order, the first received counts. */
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
  const voided = all.flatMap((each) => (each.topic === 'corrections' ? [each.value.eventId] : []))
  for (const { eventId, occurredAt, claims } of views.values()) {
    if (!voided.includes(eventId)) add(Math.floor(occurredAt / DAY_MS), claims.adId, 'views')
  }
  const orders = all.flatMap((each) => (each.topic === 'transactions' ? [each.value] : []))
  for (const versions of Map.groupBy(orders, ({ eventId }) => eventId).values()) {
    const [first] = versions.toSorted((a, b) => a.receivedAt - b.receivedAt)
    const ids = new Set(first!.lines.map(({ shopProductId }) => shopProductId))
    for (const id of ids) add(Math.floor(first!.occurredAt / DAY_MS), id, 'purchases')
  }
  return [...figures].map(([key, { purchases, views }]) => `${key} ${purchases} ${views}`).sort()
}

const AWAY = 'The store is away'
/** A store that fails after so many statements that change something. The last of them may have been carried out. */
function failingAfter(statements: number): Analytics {
  let left = statements
  const change = async <T>(statement: () => Promise<T>): Promise<T> => {
    if (left === 0) throw new Error(AWAY)
    left -= 1
    const result = await statement()
    if (left === 0) throw new Error(AWAY)
    return result
  }
  return {
    ...analytics,
    command: (sql, params) => change(() => analytics.command(sql, params)),
    insert: (table, rows, by) => change(() => analytics.insert(table, rows, by)),
  }
}

const day = fc.integer({ min: SINCE_DAY, max: SINCE_DAY + 3 })
const product = fc.constantFrom('p', 'q', 'r')
interface Step {
  rows: Drawn[]
  /** Whether the sink commits these rows at once. If not, it commits them later. */
  isTold: boolean
  by: number
  does: 'LOOK' | 'COUNT' | 'START' | 'FAIL'
  failsAfter: number
}
/** A view (the same each time it comes), a void of a view, or a version of an order, which may be on another day. */
type Drawn = { view: [number, string] } | { voids: [number, string] } | { order: [number, number, string[]] }

test('counts by day are those of all rows together, in whatever steps they come, whoever counts, and where it stops', async () => {
  const drawn: fc.Arbitrary<Drawn> = fc.oneof(
    { weight: 3, arbitrary: fc.record({ view: fc.tuple(fc.nat(9), product) }) },
    { weight: 1, arbitrary: fc.record({ voids: fc.tuple(fc.nat(9), product) }) },
    {
      weight: 2,
      arbitrary: fc.record({ order: fc.tuple(fc.nat(5), day, fc.uniqueArray(product, { minLength: 1 })) }),
    },
  )
  const step: fc.Arbitrary<Step> = fc.record({
    rows: fc.array(drawn, { maxLength: 8 }),
    isTold: fc.boolean(),
    by: fc.nat(1),
    does: fc.constantFrom('COUNT', 'COUNT', 'LOOK', 'START', 'FAIL'),
    failsAfter: fc.nat(3),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 7 }), async (steps) => {
      const world = await openWorld(analytics, epoch++)
      let received = 0
      /** Different times, in no order. */
      const receivedAt = () => {
        received += 77
        return received % 97
      }
      const all: Happening[] = []
      const happeningOf = (row: Drawn): Happening => {
        if ('order' in row) return bought(`o${row.order[0]}`, row.order[1], receivedAt(), row.order[2])
        const [n, adId] = 'view' in row ? row.view : row.voids
        return ('view' in row ? view : voiding)(`v${n}${adId}`, adId, SINCE_DAY + (n % 4))
      }
      /** Two processes, each of which believes the other one is gone. */
      let told: readonly Commit[] = []
      const start = (store: Analytics) =>
        createActivity({ log: { committed: async () => [...told] }, analytics: store })
      const processes = [start(analytics), start(analytics)]
      for (const { rows, isTold, by, does, failsAfter } of steps) {
        const happenings = rows.map(happeningOf)
        all.push(...happenings)
        await world.store(happenings)
        if (isTold) told = await world.log.committed(SINK_GROUP)
        if (does === 'START') processes[by] = start(analytics)
        if (does === 'LOOK') await processes[by]!.look(SINCE_DAY)
        else if (does === 'COUNT') await takeNew(processes[by]!, SINCE_DAY)
        else if (does === 'FAIL') {
          await takeNew(start(failingAfter(failsAfter)), SINCE_DAY).catch((error) => expect(error.message).toBe(AWAY))
        }
      }
      told = await world.log.committed(SINK_GROUP)
      await takeNew(processes[0]!, SINCE_DAY)
      expect(await counted()).toEqual(countedAtOnce(all))
    }),
    { numRuns: tries(12, 300) },
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
  await world.store([voiding('v', 'p', TODAY)])
  await takeNew(activity, SINCE_DAY)
  expect(await counted()).toEqual([`${TODAY} p 0 1`])
  await world.store([view('later', 'p', TODAY + 100)])
  await takeNew(activity, TODAY + 70)
  expect(await counted()).toEqual([`${TODAY + 100} p 0 1`])
})
