import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { daysOf, previousOf, sameClock } from '../../../../services/panel/web/pages/reports/controls/periods.ts'
import {
  changedSearch,
  chartable,
  METRICS_DEFAULT,
  type ReportState,
  readReportState,
  toggled,
} from '../../../../services/panel/web/pages/reports/report-state.ts'
import { rowBefore, sortedRows } from '../../../../services/panel/web/pages/reports/table/rows.ts'
import {
  type Dimension,
  dimensionNames,
  filterNames,
  type Metric,
  metricNames,
  metricsFor,
  modelNames,
  type ReportRow,
} from '../../../../services/panel/web/pages/reports/vocabulary.ts'

const day = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))
const days = fc
  .tuple(day, day)
  .map((both) => both.toSorted())
  .map(([from, until]) => ({ from: from!, until: until! }))
const hours = fc.integer({ min: 0, max: 2_160 })
const text = fc.string({ minLength: 1, unit: 'grapheme' })

const states: fc.Arbitrary<ReportState> = fc
  .record({
    period: fc.oneof(days, fc.constantFrom('today' as const, '7-days' as const, 'last-month' as const)),
    shopId: fc.option(text.filter((id) => id !== 'all')),
    groupBy: fc.uniqueArray(fc.constantFrom(...dimensionNames), { minLength: 1, maxLength: 2 }),
    metrics: fc.uniqueArray(fc.constantFrom(...metricNames), { minLength: 1 }),
    compare: fc.boolean(),
    filters: fc.dictionary(fc.constantFrom(...filterNames), text) as fc.Arbitrary<ReportState['filters']>,
    whatIf: fc.record(
      { model: fc.constantFrom(...modelNames), clickWindowHours: hours, viewWindowHours: hours },
      { requiredKeys: [] },
    ),
    descending: fc.boolean(),
  })
  .map((state) => (state.shopId === null ? { ...state, whatIf: {} } : state))
  // Products that were bought have no views, clicks or spend.
  .map((state) => {
    const metrics = state.metrics.filter((metric) => metricsFor(state.groupBy).includes(metric))
    return { ...state, metrics: metrics.length > 0 ? metrics : (['units'] satisfies Metric[]) }
  })
  .chain(({ descending, ...rest }) =>
    fc.record({
      ...(Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, fc.constant(value)])) as {
        [K in keyof typeof rest]: fc.Arbitrary<(typeof rest)[K]>
      }),
      charted: fc.shuffledSubarray(rest.metrics, { minLength: 1 }).map((charted) => chartable(charted, rest.groupBy)),
      sort: fc
        .constantFrom<(Dimension | Metric)[]>(...rest.groupBy, ...rest.metrics)
        .map((column) => ({ column, descending })),
    }),
  )

describe('the address of a report', () => {
  it('holds all of it', () => {
    fc.assert(
      fc.property(states, (state) => {
        expect(readReportState(new URLSearchParams(String(changedSearch(new URLSearchParams(), state))))).toEqual(state)
      }),
    )
  })

  it('can be anything: what cannot be read is as by default', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('period', 'from', 'groupBy', 'metrics', 'sort', 'chart'), text)),
        (pairs) => {
          const { groupBy, metrics, charted } = readReportState(new URLSearchParams(pairs))
          expect(groupBy.length).toBeGreaterThan(0)
          expect(charted.length).toBeGreaterThan(0)
          expect(metrics).toEqual(expect.arrayContaining([...charted]))
        },
      ),
    )
    expect(
      readReportState(new URLSearchParams('from=2026-02-02&until=2026-02-01&groupBy=x&model=GUESS')),
    ).toMatchObject({
      ...{ period: '28-days', groupBy: ['day'], metrics: METRICS_DEFAULT, whatIf: {} },
    })
    for (const period of ['toString', 'constructor', '__proto__']) {
      expect(readReportState(new URLSearchParams({ period })).period).toBe('28-days')
    }
  })

  it('shows the sales of purchased products, and keeps the other metrics for another grouping', () => {
    const asked = new URLSearchParams('groupBy=purchasedProduct&metrics=views,revenue,roas')
    expect(readReportState(asked).metrics).toEqual(['revenue'])
    expect(readReportState(new URLSearchParams('groupBy=purchasedProduct')).metrics[0]).toBe('revenue')
    const regrouped = changedSearch(asked, { groupBy: ['product'] })
    expect(readReportState(regrouped).metrics).toEqual(['views', 'revenue', 'roas'])
  })
})

describe('the metrics in the chart', () => {
  it('are at most four of two units, hold the one that is pressed, and are never none', () => {
    fc.assert(
      fc.property(states, fc.constantFrom(...metricNames), (state, metric) => {
        const next = toggled(state, metric)
        expect(next).toEqual(chartable(next, state.groupBy))
        expect(next.length).toBeGreaterThan(0)
        if (!state.charted.includes(metric)) expect(next.at(-1)).toBe(metric)
        else if (state.charted.length > 1) expect(next).not.toContain(metric)
      }),
    )
  })
})

describe('the days of a report', () => {
  it('are as many before as in it, and end where it begins', () => {
    fc.assert(
      fc.property(days, (period) => {
        const before = previousOf(period)
        const length = ({ from, until }: typeof period) => Date.parse(until) - Date.parse(from)
        expect(length(before)).toBe(length(period))
        expect(Date.parse(period.from) - Date.parse(before.until)).toBe(86_400_000)
      }),
    )
  })

  it.each([
    ['yesterday', '2026-02-28', '2026-02-28'],
    ['7-days', '2026-02-23', '2026-03-01'],
    ['last-week', '2026-02-16', '2026-02-22'],
    ['month', '2026-03-01', '2026-03-01'],
    ['last-month', '2026-02-01', '2026-02-28'],
  ] as const)('of %s on the first of March', (preset, from, until) => {
    expect(daysOf(preset, '2026-03-01')).toEqual({ from, until })
  })

  it('of the last week end on the Sunday before, also on a Monday', () => {
    expect(daysOf('last-week', '2026-03-02')).toEqual({ from: '2026-02-23', until: '2026-03-01' })
  })
})

it('compares until the same time of day, also over a change of clocks', () => {
  const at = Date.parse('2026-10-26T13:05:30Z')
  expect(new Date(sameClock(at, 7, 'Europe/Madrid')).toISOString()).toBe('2026-10-19T12:05:30.000Z')
  expect(new Date(sameClock(at, 7, 'UTC')).toISOString()).toBe('2026-10-19T13:05:30.000Z')
})

describe('the rows of a report', () => {
  const row = (of: Partial<ReportRow> & { day?: string; hour?: string }) => ({ currency: 'EUR', ...of }) as ReportRow

  it('stand beside those of the days before, also by the hour when clocks were changed between', () => {
    const before = row({ hour: '2026-03-28T23:00:00+01:00', views: 3 })
    const beside = rowBefore([before], ['hour'], 1)
    expect(beside(row({ hour: '2026-03-29T23:00:00+02:00' }))).toMatchObject({ views: 3 })
    expect(beside(row({ hour: '2026-03-29T22:00:00+02:00' }))).toBeUndefined()
  })

  it('without a figure come last, whichever way they are sorted', () => {
    const rows = [row({ roas: null }), row({ roas: 2 }), row({ roas: 10 })]
    const sorted = (descending: boolean) =>
      sortedRows(rows, { column: 'roas', descending }, ['day']).map(({ roas }) => roas)
    expect(sorted(true)).toEqual([10, 2, null])
    expect(sorted(false)).toEqual([2, 10, null])
  })
})
