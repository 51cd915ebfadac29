import { expect, it } from 'vitest'
import type { Analytics } from '../../../infra/analytics/port.ts'
import { AnalyticsGaveUp, AnalyticsUnavailable } from '../../../infra/analytics/port.ts'
import { commitsOf, type Progress, progressOf } from '../../../streams/attribution/progress.ts'
import { HOUR, T0 } from './events.ts'
import { type Happening, happened } from './happenings.ts'
import { attributedByHand } from './oracle.ts'
import { openWorlds, SMALL_PARTS } from './world.ts'

const done = [
  { topic: 'transactions' as const, partition: 0, offset: 7, metadata: '' },
  { topic: 'judged-events' as const, partition: 1, offset: 9, metadata: '' },
]

it.each<Progress>([
  { phase: 'COLLECTING', done },
  { phase: 'CREDITING', part: 3, parts: 12, done },
  { phase: 'FOLLOWING', done },
])('progress is kept in the commits of the group: $phase', (progress) => {
  const { done: found, ...told } = progressOf(commitsOf(progress))
  expect(told).toEqual((({ done: _, ...rest }) => rest)(progress))
  expect(found).toMatchObject(done.map(({ metadata: _, ...place }) => place))
})

it.each(['', '2', '2 collecting', '2 crediting 3/12', '3 crediting'])(
  'begins with nothing after commits of other rules: "%s"',
  (metadata) => {
    const committed = done.map((each) => ({ ...each, metadata }))
    expect(progressOf(committed)).toEqual({ phase: 'COLLECTING', done: [] })
  },
)

it('begins with nothing when the commits are of different runs', () => {
  const committed = [commitsOf({ phase: 'FOLLOWING', done })[0]!, commitsOf({ phase: 'COLLECTING', done })[1]!]
  expect(progressOf(committed)).toEqual({ phase: 'COLLECTING', done: [] })
})

const world = openWorlds()
const limits = {
  ...{ sliceTransactions: 3, partLines: 8, partSliceLines: 4, otherTouches: 100 },
  ...{ runOffsets: 4, unaskedTransactions: 2 },
}

/** Twelve purchases of two lines each. */
const happenings: Happening[] = Array.from({ length: 12 }, (_, i) => [
  happened.touch({ eventId: `e${i}`, cid: `phone${i}`, uid: `u${i % 9}`, at: T0 + i * HOUR, adId: 'p1' }),
  happened.pageView({ id: `v${i}`, cid: `laptop${i}`, uid: `u${i % 9}`, at: T0 }),
  happened.purchase({
    eventId: `o${i}`,
    cid: i % 2 ? `phone${i}` : `laptop${i}`,
    at: T0 + 20 * HOUR,
    products: ['p1', 'p2'],
  }),
]).flat()

it('the past is computed in parts of as many lines as a part may have', async () => {
  const { store, attribute, log, lines } = await world()
  await store(happenings)
  const parts: string[] = []
  const watched: typeof log = {
    ...log,
    reset: async (group, commits) => {
      const progress = progressOf(commits ?? [])
      if (progress.phase === 'CREDITING') parts.push(`${progress.part}/${progress.parts}`)
      await log.reset(group, commits)
    },
  }
  await attribute({ log: watched, limits })
  expect(parts).toEqual(['0/3', '1/3', '2/3'])
  expect(await lines()).toEqual(attributedByHand(happenings))
})

/** Twenty people with two cids, each of whom also claims the order of somebody else, who sent it first. */
const doublets: Happening[] = Array.from({ length: 20 }, (_, i) => [
  happened.touch({ eventId: `e${i}`, cid: `phone${i}`, uid: `u${i}`, at: T0 + i, adId: 'p1' }),
  happened.pageView({ id: `v${i}`, cid: `laptop${i}`, uid: `u${i}`, at: T0 }),
  ...[
    { eventId: `o${i}`, receivedAt: T0 + HOUR },
    { eventId: `o${(i + 7) % 20}`, receivedAt: T0 + 2 * HOUR },
  ].map((version) => happened.purchase({ ...version, cid: `laptop${i}`, at: T0 + HOUR, products: ['p1'] })),
]).flat()

it.each([
  { otherTouches: 0, gathered: 'NONE' },
  { otherTouches: 7, gathered: 'SOME' },
  { otherTouches: 100, gathered: 'ALL' },
  { otherTouches: 100, gathered: 'TOO_MUCH' },
])('touches of other cids count, whether a part of the past gathers $gathered of them', async (of) => {
  const { store, attribute, analytics, lines } = await world()
  await store(doublets)
  const counts: number[] = []
  const watched: Analytics = {
    ...analytics,
    command: async (sql, params) => {
      const table = sql.match(/INSERT INTO (\w+_other_touches)/)?.[1]
      if (table !== undefined && of.gathered === 'TOO_MUCH') throw new AnalyticsGaveUp('Query memory limit exceeded')
      await analytics.command(sql, params)
      if (table === undefined) return
      const [counted] = await analytics.query<{ touches: number }>(`SELECT toInt64(count()) AS touches FROM ${table}`)
      counts.push(counted!.touches)
    },
  }
  await attribute({ analytics: watched, limits: { ...SMALL_PARTS, otherTouches: of.otherTouches } })
  if (of.gathered !== 'TOO_MUCH') {
    expect(counts).toHaveLength(2)
    const count = counts[0]! + counts[1]!
    expect(count === 0 ? 'NONE' : count === 20 ? 'ALL' : 'SOME').toBe(of.gathered)
  }
  const stored = await lines()
  expect(stored).toEqual(attributedByHand(doublets))
  expect(stored.filter(({ outcome }) => outcome === 'CREDITED')).toHaveLength(20)
})

it.each([
  { isTooMuch: false, readers: 'the part', readings: { parts: 2, slices: 0 } },
  {
    isTooMuch: true,
    readers: 'each slice, where it is too much at once',
    readings: { parts: 2, slices: expect.toSatisfy((slices: number) => slices > 2) },
  },
])('transactions of the past are read by $readers', async (of) => {
  const { store, attribute, analytics, lines } = await world()
  await store(doublets)
  const readings = { parts: 0, slices: 0 }
  const watched: Analytics = {
    ...analytics,
    command: async (sql, params) => {
      const table = sql.includes('FROM transactions_by_id') && sql.match(/INSERT INTO \w+_(versions|lines)\b/)?.[1]
      if (table === 'versions') readings.parts++
      if (table === 'lines') readings.slices++
      if (table === 'versions' && of.isTooMuch) throw new AnalyticsGaveUp('Query memory limit exceeded')
      await analytics.command(sql, params)
    },
  }
  await attribute({ analytics: watched, limits: SMALL_PARTS })
  expect(readings).toEqual(of.readings)
  expect(await lines()).toEqual(attributedByHand(doublets))
})

it('pairs of cid and uid of the past are stored without looking up which are known, and are known afterwards', async () => {
  const { store, attribute, analytics } = await world()
  const steps = new Set<string>()
  const watched: Analytics = {
    ...analytics,
    command: async (sql, params) => {
      if (sql.includes('LEFT JOIN') && sql.includes('FROM links_by_cid')) steps.add('look-up')
      if (sql.includes('INSERT INTO links_by_cid')) steps.add('store')
      await analytics.command(sql, params)
    },
  }
  await store(happenings.slice(0, 2))
  await attribute({ analytics: watched })
  expect([...steps]).toEqual(['store'])
  steps.clear()
  await store(happenings.slice(0, 2))
  await attribute({ analytics: watched })
  expect([...steps]).toEqual(['look-up'])
})

it('what a repeated run copies again is one row once parts are merged', async () => {
  const { store, attribute, analytics, rewind } = await world()
  const tables = ['touches', 'transactions_by_person', 'transactions_by_id', 'links_by_cid', 'links_by_uid']
  const rowsOfTables = async () => {
    for (const table of tables) await analytics.command(`OPTIMIZE TABLE ${table} FINAL`)
    const counts = tables.map((table) =>
      analytics.query<{ rows: number }>(`SELECT toInt64(count()) AS rows FROM ${table}`),
    )
    return (await Promise.all(counts)).map(([counted]) => counted!.rows)
  }
  await store(happenings)
  await attribute()
  await rewind([])
  await attribute()
  expect(await rowsOfTables()).toEqual([12, 12, 12, 24, 24])
})

it.each([1, 4, 9])(
  'attribution of the past goes on after it was killed at statement %i of each step',
  async (killedAt) => {
    const { store, attribute, analytics, log, committed, lines } = await world()
    await store(happenings)
    let statements = 0
    let kills = 0
    const killed: Analytics = {
      ...analytics,
      command: async (sql, params) => {
        if (!sql.startsWith('DROP') && ++statements === killedAt) {
          kills++
          throw new AnalyticsUnavailable('killed')
        }
        return analytics.command(sql, params)
      },
    }
    const steps: string[] = []
    const counting: typeof log = {
      ...log,
      async reset(group, commits) {
        await log.reset(group, commits)
        const progress = progressOf(await committed())
        steps.push(progress.phase === 'CREDITING' ? `${progress.part}/${progress.parts}` : progress.phase)
        statements = 0
      },
    }
    for (let isDone = false; !isDone; ) {
      isDone = await attribute({ analytics: killed, log: counting, limits }).then(
        () => true,
        () => false,
      )
    }
    const collected = steps.lastIndexOf('COLLECTING') + 1
    // Rows that were collected twice count twice until they are merged, so there may be more than three parts.
    const parts = steps.length - collected - 1
    expect(collected).toBeGreaterThan(1)
    expect(parts).toBeGreaterThanOrEqual(3)
    expect(steps).toEqual([
      ...Array<string>(collected).fill('COLLECTING'),
      ...Array.from({ length: parts }, (_, part) => `${part}/${parts}`),
      'FOLLOWING',
    ])
    expect(kills).toBeGreaterThan(3)
    expect(await lines()).toEqual(attributedByHand(happenings))
  },
)
