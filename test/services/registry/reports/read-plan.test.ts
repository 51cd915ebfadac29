import { expect, it } from 'vitest'
import type { Analytics, QueryParams } from '../../../../infra/analytics/port.ts'
import type { ChangedCell } from '../../../../infra/analytics/queries/report-cells.ts'
import type { ReportSpec } from '../../../../infra/analytics/queries/report-spec.ts'
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
  limit: 1,
  plans: {},
}

it('asks for the hours of the days that do not hold, and of no others', async () => {
  const asked: QueryParams[] = []
  const query = async (_sql: string, params: QueryParams = {}) => {
    asked.push(params)
    const cell = (start: number, grain: 'day' | 'hour'): ChangedCell => ({ source: 'EVENTS', shops: 0, grain, start })
    if (params.dayStarts0) return changedDays.map((start) => cell(start, 'day'))
    // Between the two days there are rows, too.
    return [cell(changedHour, 'hour'), cell(from + DAY_MS, 'hour')]
  }
  const { EVENTS } = await planReads({ query } as unknown as Analytics, spec, Number.NEGATIVE_INFINITY)
  const hoursOf = (day: number) => Array.from({ length: 24 }, (_, n) => day + n * HOUR_MS)
  const hours = changedDays.flatMap(hoursOf)
  expect(asked[1]!.hourStarts0).toEqual([...hours, from + DAY_MS].sort((a, b) => a - b))
  const [plan] = EVENTS!
  expect(plan!.cells.day).toHaveLength(DAYS - changedDays.length)
  expect(plan!.cells.hour.map(({ start }) => start)).toEqual(hours.filter((start) => start !== changedHour))
  expect(plan!.stored).toEqual([{ start: changedHour, end: changedHour + HOUR_MS }])
})
