import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Analytics } from '../../../infra/analytics/port.ts'
import { reportQuery } from '../../../infra/analytics/queries/report.ts'
import type { ReportSpec } from '../../../infra/analytics/queries/report-spec.ts'
import { type ReportQuery, reportDimensions, reportMetrics } from '../../../schemas/http/panel/reports/reports.ts'
import { planReads } from '../../../services/registry/reports/read-plan.ts'
import { readReportRequest } from '../../../services/registry/reports/request.ts'
import { scopeOf } from '../../../services/registry/reports/scope.ts'
import { specOf } from '../../../services/registry/reports/spec.ts'
import { createReportCounts } from '../../../streams/report-counts/report-counts.ts'
import { tries } from '../../effort.ts'
import { factsOf } from '../../services/registry/reports/facts/facts.ts'
import { rowsOf } from '../../services/registry/reports/facts/stored.ts'
import { AFTERWARDS, openWorld, shopIds, type World } from '../../services/registry/reports/world.ts'
import { faultyStore, Killed } from './faulty-store.ts'

const HOUR_MS = 3_600_000
/** No month is closed. */
const OPEN = { closedUntil: Number.NEGATIVE_INFINITY }
const OPERATOR = { role: 'OPERATOR', accountId: 'operator' } as Parameters<typeof scopeOf>[1]

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

type Step =
  | { do: 'STORE'; table: 'emissions' | 'judged_events' | 'event_corrections'; share: number }
  | { do: 'COUNT' }
  | { do: 'DIE'; at: number; late: boolean }
  | { do: 'LAND' }
  | { do: 'MERGE' }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('STORE' as const),
      table: fc.constantFrom('emissions', 'judged_events', 'judged_events', 'event_corrections'),
      share: fc.double({ min: 0.05, max: 0.7, noNaN: true }),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ do: 'COUNT' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('DIE' as const),
      at: fc.integer({ min: 1, max: 40 }),
      late: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'LAND' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'MERGE' as const }) },
)

const question: fc.Arbitrary<ReportQuery> = fc
  .record({
    from: fc.constantFrom('2026-01-01', '2026-03-08', '2026-04-05', '2026-03-29T00:45:00Z', '2026-04-04T15:00:00.001Z'),
    to: fc.constantFrom('2026-12-31', '2026-11-01', '2026-10-25T01:10:00Z', '2026-07-15'),
    groupBy: fc.subarray([...reportDimensions], { maxLength: 4 }),
    filters: fc.constantFrom(
      {},
      { shopId: 'lordHowe' },
      { country: 'PL' },
      { productId: 'sku-2' },
      { accountId: 'adv-1' },
    ),
    verdict: fc.constantFrom({}, { verdict: 'VOIDED' as const }, { verdict: 'BOT' as const }),
  })
  .map(({ from, to, groupBy, filters, verdict }) => ({
    ...{ from, to, ...filters, ...verdict, metrics: reportMetrics.join(',') },
    ...(groupBy.length > 0 && { groupBy: groupBy.join(',') }),
  }))

/** When a report is asked for: by the clock of the process that plans it, some cells that are counted may not be over. */
const moment = fc.constantFrom(AFTERWARDS, ...['2026-07-15T12:20:00Z', '2026-03-29T01:10:00Z'].map(Date.parse))

function specFor(asked: ReportQuery): ReportSpec {
  const request = readReportRequest(asked)
  return specOf(world.snapshot, request, scopeOf(world.snapshot, OPERATOR, request.filters), 100_000)
}

async function rowsFor(spec: ReportSpec): Promise<object[]> {
  const { sql, params } = reportQuery(spec)
  return world.analytics.query(sql, params)
}

/** Takes a process's turns until nothing is left to do. */
async function count(analytics: Analytics, now: () => number): Promise<void> {
  const turn = createReportCounts({ log: { committed: async () => [] }, analytics, snapshot: world.snapshot, now })
  while (await turn()) {
    // Each turn handles only part of the rows.
  }
}

describe('reports from counts', () => {
  it('answer as the stored rows do, whatever has been stored, counted, interrupted, delayed or merged', async () => {
    const questions = fc.array(fc.record({ query: question, askedAt: moment }), { minLength: 3, maxLength: 3 })
    const steps = fc.array(step, { minLength: 5, maxLength: 7, size: 'max' })
    await fc.assert(
      fc.asyncProperty(fc.integer(), steps, questions, async (seed, taken, asked) => {
        await world.clear()
        const left = rowsOf(factsOf(seed))
        let at = AFTERWARDS
        const landings: (() => Promise<void>)[] = []
        const now = () => {
          at += HOUR_MS * 24
          return at
        }
        for (const [i, each] of [{ do: 'STORE', table: 'judged_events', share: 0.5 } as const, ...taken].entries()) {
          switch (each.do) {
            case 'STORE': {
              const rows = left[each.table].splice(0, Math.ceil(left[each.table].length * each.share))
              if (rows.length > 0) await world.analytics.insert(each.table, rows, { token: `${seed} ${i}` })
              break
            }
            case 'COUNT':
              await count(world.analytics, now)
              break
            case 'DIE': {
              const { store, held } = faultyStore(
                world.analytics,
                each.late ? { dies: 0, late: each.at } : { dies: each.at, late: 0 },
              )
              await count(store, now).catch((error) => expect(error).toBeInstanceOf(Killed))
              landings.push(...held)
              break
            }
            case 'LAND':
              for (const land of landings.splice(0)) await land()
              break
            case 'MERGE':
              for (const table of ['report_counts', 'report_cells', 'judged_events'])
                await world.analytics.command(`OPTIMIZE TABLE ${table} FINAL`)
          }
          const { query, askedAt } = asked[i % asked.length]!
          const spec = specFor(query)
          const plans = await planReads(world.analytics, spec, { ...OPEN, now: askedAt })
          expect(await rowsFor({ ...spec, plans })).toEqual(await rowsFor(spec))
        }
      }),
      { numRuns: tries(1, 60), endOnFailure: true },
    )
  })

  it('answer as the stored rows do when a count of fewer rows lands after one of more', async () => {
    await world.clear()
    const { analytics } = world
    const { judged_events } = rowsOf(factsOf(7))
    await analytics.insert('judged_events', judged_events, { token: 'earlier' })
    await count(analytics, () => AFTERWARDS)
    const tables = ['report_counts', 'report_cells']
    for (const table of tables)
      await analytics.command(`CREATE TABLE late_${table} ENGINE = Memory AS SELECT * FROM ${table}`)
    const others = (judged_events as { eventId?: string }[]).map((row) => ({ ...row, eventId: `${row.eventId} again` }))
    await analytics.insert('judged_events', others, { token: 'later' })
    await count(analytics, () => AFTERWARDS + 24 * HOUR_MS)
    for (const table of tables) {
      await analytics.command(`INSERT INTO ${table} SELECT * FROM late_${table}`)
      await analytics.command(`DROP TABLE late_${table} SYNC`)
    }
    const spec = specFor({
      from: '2026-01-01',
      to: '2026-12-31',
      metrics: 'views,clicks,spend',
      groupBy: 'day,campaign',
    })
    const plans = await planReads(analytics, spec, { ...OPEN, now: AFTERWARDS })
    expect(plans.EVENTS!.flatMap(({ stored }) => stored)).toEqual([])
    expect(await rowsFor({ ...spec, plans })).toEqual(await rowsFor(spec))
  })

  it('read nothing but counts of what is counted, and the stored rows of hours that have changed since', async () => {
    await world.clear()
    const { judged_events, emissions } = rowsOf(factsOf(7))
    const [late, ...others] = judged_events as unknown as { shopId: string; occurredAt: number }[]
    await world.analytics.insert('emissions', emissions, { token: 'some' })
    await world.analytics.insert('judged_events', others, { token: 'some' })
    await count(world.analytics, () => AFTERWARDS)
    const asked = {
      from: '2026-01-01',
      to: '2026-12-31',
      metrics: 'views,clicks,spend,requests',
      groupBy: 'day,campaign',
    }
    const spec = specFor(asked)
    const stretches = async () => {
      const { EVENTS, EMISSIONS } = await planReads(world.analytics, spec, { ...OPEN, now: AFTERWARDS })
      return [EVENTS, EMISSIONS].map((plans) => plans!.flatMap(({ stored }) => stored))
    }
    expect(await stretches()).toEqual([[], []])
    await world.analytics.insert('judged_events', [late!], { token: 'late' })
    const [events, requests] = await stretches()
    expect(events).toHaveLength(1)
    const [{ start, end }] = events as [{ start: number; end: number }]
    expect(late!.occurredAt >= start && late!.occurredAt < end && end - start <= HOUR_MS).toBe(true)
    expect(requests).toEqual([])
    expect(shopIds).toContain(late!.shopId)
  })
})
