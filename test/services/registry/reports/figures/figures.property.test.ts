import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type ReportMetric,
  type ReportQuery,
  reportDimensions,
  reportMetrics,
} from '../../../../../schemas/http/panel/reports/reports.ts'
import { reportsApp } from '../../../../../services/registry/reports/app.ts'
import type { Figure } from '../../../../../services/registry/reports/figures.ts'
import { type Report, runReport } from '../../../../../services/registry/reports/report.ts'
import { readReportRequest } from '../../../../../services/registry/reports/request.ts'
import type { Principal } from '../../../../../services/registry/rights/auth.ts'
import { tries } from '../../../../effort.ts'
import { type Facts, factsOf } from '../facts/facts.ts'
import { store } from '../facts/stored.ts'
import { type Asked, expected, figures } from '../oracle.ts'
import { adUnits, campaigns, openWorld, shopIds, type World } from '../world.ts'

const DATASETS = tries(2, 12)
const QUESTIONS = 20

let world: World
beforeAll(async () => {
  world = await openWorld()
  world.server.register(reportsApp(world))
})
afterAll(() => world.close())

const days = [
  '2026-03-07',
  '2026-03-08',
  '2026-03-09',
  '2026-03-29',
  '2026-04-05',
  '2026-07-15',
  '2026-10-25',
  '2026-11-01',
]
const moments = [
  '2026-03-29T01:00:00Z',
  '2026-04-04T15:00:00Z',
  '2026-10-25T02:30:00+02:00',
  '2026-10-25T02:30:00+01:00',
]
const filters = fc.record(
  {
    shopId: fc.constantFrom<string>(...shopIds),
    accountId: fc.constantFrom('adv-1', 'adv-2', 'pub-a'),
    campaignId: fc.constantFrom(...Object.keys(campaigns)),
    productId: fc.constantFrom('shoe,"1"', 'sku-2'),
    bannerId: fc.constantFrom('banner-1', 'sku-2'),
    purchasedProductId: fc.constantFrom('sku-2', 'sku-3'),
    adUnitId: fc.constantFrom(...Object.keys(adUnits)),
    placementId: fc.constantFrom('p-warsaw-1', 'p-warsaw-2', 'p-newYork-1'),
    algorithm: fc.constantFrom('CONTEXT_MATCH', 'DISPLAY'),
    country: fc.constantFrom('PL', 'US'),
  },
  { requiredKeys: [] },
)
const fewFilters = fc
  .tuple(
    filters,
    fc.subarray(
      [
        ...(['shopId', 'country', 'accountId', 'campaignId', 'productId', 'bannerId', 'purchasedProductId'] as const),
        ...(['adUnitId', 'placementId', 'algorithm'] as const),
      ],
      { maxLength: 2 },
    ),
  )
  .map(([all, kept]) => Object.fromEntries(Object.entries(all).filter(([name]) => kept.includes(name as never))))
const asked: fc.Arbitrary<Asked> = fc.record({
  from: fc.constantFrom('2026-01-01', ...days, ...moments),
  to: fc.constantFrom('2026-12-31', ...days, ...moments),
  groupBy: fc.subarray([...reportDimensions], { maxLength: 4 }),
  metrics: fc.oneof(fc.constant<ReportMetric[]>([...reportMetrics]), fc.subarray([...reportMetrics], { minLength: 1 })),
  filters: fewFilters,
})

function addressOf({ from, to, groupBy, metrics, filters: given }: Asked): string {
  const query = new URLSearchParams({ from, to, metrics: metrics.join(','), ...given })
  if (groupBy.length > 0) query.set('groupBy', groupBy.join(','))
  return `/v1/panel/reports?${query}`
}

/** Removes the names that are shown next to ids and the oracle's own fields, and sorts, so that order does not matter. */
function comparable(rows: Record<string, unknown>[]): string[] {
  return rows
    .map((row) => {
      const kept = Object.entries(row).filter(([name]) => !name.endsWith('Name') && name !== 'all')
      return JSON.stringify(Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1))))
    })
    .sort()
}

async function check(facts: Facts, question: Asked) {
  const answer = await world.get(addressOf(question))
  if (answer.status === 400) {
    expect(Date.parse(question.to)).toBeLessThanOrEqual(Date.parse(question.from) + 86_400_000)
    return
  }
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  const wanted = expected(facts, question)
  expect(comparable(answer.body.rows), addressOf(question)).toEqual(comparable(wanted.rows))
  expect(comparable(answer.body.totalsByCurrency)).toEqual(comparable(wanted.totalsByCurrency))
  const { currency, ...totals } = answer.body.totals
  const counts = question.metrics.filter((each) => !MONEY.includes(each))
  const everything = figures(wanted.things, question.metrics, wanted.known) as Record<string, unknown>
  for (const metric of counts) expect(totals[metric], metric).toEqual(everything[metric])
  if (wanted.totalsByCurrency.length > 1)
    expect([currency, ...MONEY.map((metric) => totals[metric] ?? null)]).toEqual([null, ...MONEY.map(() => null)])
  if (wanted.totalsByCurrency.length === 1)
    expect(comparable([answer.body.totals])).toEqual(comparable(wanted.totalsByCurrency))
}

const MONEY: ReportMetric[] = ['spend', 'creditedBack', 'revenue', 'returnedRevenue', 'netRevenue', 'roas']

function microsOf(value: string | number): bigint {
  const [whole, fraction = ''] = String(value).split('.')
  return BigInt(whole + fraction.padEnd(6, '0'))
}

describe('reports', () => {
  let datasets = 0
  async function stored(seed: number): Promise<Facts> {
    const facts = factsOf(seed)
    await world.clear()
    await store(world, facts, `dataset ${datasets++}`)
    return facts
  }

  it('count, bill and attribute like a plain reading of every record, in any grouping, filter and time zone', async () => {
    const questions = fc.array(asked, { minLength: QUESTIONS, maxLength: QUESTIONS })
    await fc.assert(
      fc.asyncProperty(fc.integer(), questions, async (seed, each) => {
        const facts = await stored(seed)
        for (const question of each) await check(facts, question)
      }),
      { numRuns: DATASETS, endOnFailure: true },
    )
  })

  it('add up: rows sum to the totals, where a thing is in one row only', async () => {
    const groupBy = fc.subarray([...reportDimensions], { minLength: 1, maxLength: 4 })
    const ofSales: ReportMetric[] = ['units', 'revenue', 'netRevenue']
    const ofAds: ReportMetric[] = ['emissions', 'views', 'clicks', 'invalid', 'spend']
    await fc.assert(
      fc.asyncProperty(fc.integer(), groupBy, async (seed, dimensions) => {
        await stored(seed)
        const metrics = dimensions.includes('purchasedProduct') ? ofSales : [...ofSales, ...ofAds]
        const question = { from: '2026-01-01', to: '2026-12-31', groupBy: dimensions, metrics, filters: {} }
        const { body } = await world.get(addressOf(question))
        expect(body.totalsByCurrency.length).toBeGreaterThan(0)
        for (const total of body.totalsByCurrency) {
          const rows = body.rows.filter((row: { currency: string }) => row.currency === total.currency)
          for (const metric of metrics) {
            const sum = rows.reduce(
              (sum: bigint, row: Record<string, string | number>) => sum + microsOf(row[metric]!),
              0n,
            )
            expect(sum, metric).toBe(microsOf(total[metric]))
          }
        }
      }),
      { numRuns: tries(2, 12), endOnFailure: true },
    )
  })

  it('answer the rows with the most of any metric, where there are more rows than an answer may have', async () => {
    const operator = {
      ...{ actorId: 'operator', userId: null, accountId: 'operator', role: 'OPERATOR', scopes: ['panel'] },
      credential: { kind: 'token' },
    } as unknown as Principal
    const rowsOf = async (query: Partial<ReportQuery>, rowsMax: number) => {
      const request = readReportRequest({ from: '2026-01-01', to: '2026-12-31', ...query })
      return (await runReport(world, { principal: operator, request, rowsMax, beyond: 'CUT' })).rows
    }
    const groupBy = fc.subarray([...reportDimensions], { minLength: 1, maxLength: 4 }).map(String)
    const orderBy = fc.constantFrom(...reportMetrics)
    const asked = fc.array(fc.record({ groupBy, orderBy }), { minLength: QUESTIONS, maxLength: QUESTIONS })
    await fc.assert(
      fc.asyncProperty(fc.integer(), asked, fc.integer({ min: 1, max: 5 }), async (seed, questions, rowsMax) => {
        await stored(seed)
        for (const { orderBy, groupBy } of questions) {
          const all = await rowsOf({ groupBy, metrics: orderBy }, 10_000)
          const wanted = all.toSorted((a, b) => descending(a[orderBy], b[orderBy]))
          expect(await rowsOf({ groupBy, metrics: orderBy, orderBy }, rowsMax), `${groupBy} by ${orderBy}`).toEqual(
            wanted.slice(0, rowsMax),
          )
        }
      }),
      { numRuns: tries(1, 12), endOnFailure: true },
    )
  })
})

/** The greater first, and what has no figure last. */
function descending(a: Report['rows'][number][string] | undefined, b: typeof a): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return Number((b as Figure)! > (a as Figure)!) - Number((a as Figure)! > (b as Figure)!)
}
