import { expect, it } from 'vitest'
import type { Analytics, QueryParams } from '../../../../infra/analytics/port.ts'
import type { CellGrain, ChangedCell } from '../../../../infra/analytics/queries/report-cells.ts'
import type { ReportSpec } from '../../../../infra/analytics/queries/report-spec.ts'
import { CELL_STEP_MS } from '../../../../services/domain/time/local-cells.ts'
import { planReads } from '../../../../services/registry/reports/read-plan.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const DAYS = 365
const from = Date.parse('2026-01-01T00:00:00Z')
const to = from + DAYS * DAY_MS
const changedDays = [from, to - DAY_MS]
const changedHour = from + HOUR_MS

const spec: ReportSpec = {
  zones: [{ timeZone: 'UTC', shopIds: ['shop'], from, to, spans: [{ start: from, offsetMs: 0, text: 'Z' }] }],
  currencies: new Map([['shop', 'EUR']]),
  placements: new Map(),
  filters: {},
  dimensions: ['day'],
  measures: ['views'],
  requestFact: null,
  credits: null,
  order: [],
  limit: 1,
  plans: {},
}

const GAP = 0
const CLOSED_UNTIL = Number.NEGATIVE_INFINITY
const hoursOf = (day: number, hours = 24) => Array.from({ length: hours }, (_, n) => day + n * HOUR_MS)

/** A store in which the counts of these cells do not hold, and what it is asked for. */
function storeWith(changed: Readonly<Record<CellGrain, readonly number[]>>) {
  const asked: number[][] = []
  const query = async (_sql: string, { edges, ends }: QueryParams = {}) => {
    const cells = (edges as number[]).flatMap((edge, i) => {
      const end = (ends as number[])[i]!
      const grain: CellGrain = end % 2 === 0 ? 'hour' : 'day'
      return end === GAP ? [] : [{ start: edge * CELL_STEP_MS, grain }]
    })
    asked.push(cells.map(({ start }) => start))
    const others = cells.filter(({ start, grain }) => changed[grain].includes(start))
    return others.map(({ start }): ChangedCell => ({ source: 'EVENTS', shopGroup: 0, start }))
  }
  return { analytics: { query } as unknown as Analytics, asked }
}

it('asks for the hours of the days that do not hold, and of no others', async () => {
  const { analytics, asked } = storeWith({ day: changedDays, hour: [changedHour] })
  const { EVENTS } = await planReads(analytics, spec, { closedUntil: CLOSED_UNTIL, now: to })
  const hours = changedDays.flatMap((day) => hoursOf(day))
  expect(asked.map((starts) => starts.length)).toEqual([DAYS, hours.length])
  expect(asked[1]).toEqual(hours)
  const [plan] = EVENTS!
  expect(plan!.cells.day).toHaveLength(DAYS - changedDays.length)
  expect(plan!.cells.hour.map(({ start }) => start)).toEqual(hours.filter((start) => start !== changedHour))
  expect(plan!.stored).toEqual([{ start: changedHour, end: changedHour + HOUR_MS }])
})

it('asks once for the days that are over and the hours of the day that is not, when all of them hold', async () => {
  const { analytics, asked } = storeWith({ day: [], hour: [] })
  const today = from + 30 * DAY_MS
  const now = today + 13 * HOUR_MS + 1
  const { EVENTS } = await planReads(analytics, spec, { closedUntil: CLOSED_UNTIL, now })
  const days = Array.from({ length: 30 }, (_, n) => from + n * DAY_MS)
  expect(asked).toEqual([[...days, ...hoursOf(today, 13)]])
  expect(EVENTS![0]!.stored).toEqual([{ start: today + 13 * HOUR_MS, end: to }])
})
