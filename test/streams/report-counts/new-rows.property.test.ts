import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Analytics } from '../../../infra/analytics/port.ts'
import { uncountedCellsQuery } from '../../../infra/analytics/queries/report-cells.ts'
import type { Commit } from '../../../infra/event-log/port.ts'
import { Snapshot } from '../../../services/domain/snapshot.ts'
import { createReportCounts } from '../../../streams/report-counts/report-counts.ts'
import { shopCells } from '../../../streams/report-counts/shop-cells.ts'
import { tries } from '../../effort.ts'
import { factsOf } from '../../services/registry/reports/facts/facts.ts'
import { rowsOf } from '../../services/registry/reports/facts/stored.ts'
import { apply, openWorld, type ShopId, shopIds, shops, type World } from '../../services/registry/reports/world.ts'

const HOUR_MS = 3_600_000
const [BEFORE, AFTERWARDS] = ['2025-12-01T00:00:00Z', '2027-01-01T00:00:00Z'].map(Date.parse) as [number, number]
const TOPICS = { judged_events: 'judged-events', event_corrections: 'corrections', emissions: 'emissions' } as const

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

/** What happens between two turns: some of a year's rows are stored. */
interface Step {
  /** The table, and the share of its remaining rows that is stored. */
  table: keyof typeof TOPICS
  share: number
  /** Whether the sink has already committed these rows. If not, it commits them later. */
  isTold: boolean
  /** Whether another shop appears in the registry. */
  isShopMade: boolean
  /** The new time zone of the first shop; null to keep it. */
  timeZone: string | null
  passedHours: number
}

it('a process that goes on counts every cell that has changed, in whatever steps rows and shops come and time passes', async () => {
  const step: fc.Arbitrary<Step> = fc.record({
    table: fc.constantFrom('emissions', 'judged_events', 'judged_events', 'event_corrections'),
    share: fc.double({ min: 0.05, max: 0.7, noNaN: true }),
    isTold: fc.boolean(),
    isShopMade: fc.boolean(),
    timeZone: fc.constantFrom(null, null, null, 'Asia/Kolkata', 'Europe/Madrid'),
    passedHours: fc.constantFrom(0, 1, 30, 2_000),
  })
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.array(step, { minLength: 3, maxLength: 6 }), async (seed, steps) => {
      await world.clear()
      const left = rowsOf(factsOf(seed))
      const snapshot = new Snapshot()
      const unmade = [...shopIds]
      const make = (shopId: ShopId | undefined) => shopId && apply(snapshot, 'Shop', shopId, shops[shopId])
      make(unmade.shift())
      const stored: Commit[] = Object.values(TOPICS).map((topic) => ({ topic, partition: 0, offset: 0, metadata: '' }))
      let told: Commit[] = []
      let at = BEFORE
      const log = { committed: async () => told }
      const turn = createReportCounts({ log, analytics: world.analytics, snapshot, now: () => at })
      const toEnd = async () => {
        while (await turn()) {
          // Each turn handles only part of the rows.
        }
      }
      for (const [i, { table, share, isTold, isShopMade, timeZone, passedHours }] of steps.entries()) {
        const commit = stored.find(({ topic }) => topic === TOPICS[table])!
        const rows = left[table].splice(0, Math.ceil(left[table].length * share))
        const placed = rows.map((row, n) => ({ ...row, _offset: commit.offset + n }))
        commit.offset += rows.length
        await world.analytics.insert(table, placed, { token: `${seed} ${i}` })
        if (isTold) told = structuredClone(stored)
        if (isShopMade) make(unmade.shift())
        if (timeZone !== null) {
          const [first] = shopIds
          const body = { ...shops[first!], timeZone }
          snapshot.apply({
            kind: 'Shop',
            id: first!,
            version: i + 2,
            updatedAt: 0,
            updatedBy: '',
            deletedAt: null,
            body,
          } as never)
        }
        await toEnd()
        at += passedHours * HOUR_MS
      }
      told = structuredClone(stored)
      for (const shopId of unmade) make(shopId)
      // Cells that have changed since they were counted are recounted within hours.
      for (at = AFTERWARDS; at <= AFTERWARDS + 24 * HOUR_MS; at += 6 * HOUR_MS) await toEnd()
      const all = shopCells(snapshot.allEver('Shop'), { start: BEFORE, end: AFTERWARDS })
      const { sql, params } = uncountedCellsQuery(['EVENTS', 'EMISSIONS'], all, Number.NEGATIVE_INFINITY)!
      expect(await world.analytics.query(sql, params)).toEqual([])
    }),
    { numRuns: tries(2, 60), endOnFailure: true },
  )
})

it('a turn looks at no cell before it may be counted, and at nothing while nothing is new', async () => {
  await world.clear()
  const snapshot = new Snapshot()
  apply(snapshot, 'Shop', 'warsaw', shops.warsaw)
  let offset = 0
  let asked: string[] = []
  const watched: Analytics = {
    ...world.analytics,
    query: (sql, params) => {
      asked.push(sql)
      return world.analytics.query(sql, params)
    },
  }
  const log = { committed: async () => [{ topic: 'judged-events', partition: 0, offset, metadata: '' } as const] }
  let at = Date.parse('2026-05-05T10:20:00Z')
  const turn = createReportCounts({ log, analytics: watched, snapshot, now: () => at })
  while (await turn()) {
    // The first turns check everything that is stored, which is nothing.
  }
  const store = async () => {
    const row = {
      _partition: 0,
      _offset: offset,
      eventId: `e${offset}`,
      verdict: 'VALID',
      shopId: 'warsaw',
      occurredAt: at,
    }
    await world.analytics.insert('judged_events', [row], { token: `${offset++}` })
  }
  const turnAsks = async (): Promise<number> => {
    asked = []
    await turn()
    return asked.length
  }
  await store()
  expect([await turnAsks(), await turnAsks()]).toEqual([1, 0])
  at = Date.parse('2026-05-05T11:04:00Z')
  expect(await turnAsks()).toBe(0)
  at = Date.parse('2026-05-05T11:05:00Z')
  expect([await turnAsks(), await turnAsks()]).toEqual([1, 0])
  const hours = `SELECT startAt, storedRows FROM report_cells FINAL WHERE grain = 'hour'`
  expect(await world.analytics.query(hours)).toEqual([{ startAt: Date.parse('2026-05-05T10:00:00Z'), storedRows: 1 }])
})
