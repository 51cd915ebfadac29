import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { views } from '../../../infra/analytics/views.ts'
import type { ReportMetric } from '../../../schemas/http/panel/reports/reports.ts'
import { tries } from '../../effort.ts'
import { factsOf } from '../../services/registry/reports/facts/facts.ts'
import { store } from '../../services/registry/reports/facts/stored.ts'
import { expected } from '../../services/registry/reports/oracle.ts'
import { openWorld, shops, type World } from '../../services/registry/reports/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
  const versions = Object.entries(shops).flatMap(([shopId, { timeZone }], i) => [
    { ...at(2 * i), shopId, version: 1, updatedAt: 0, clickWindowHours: 1, viewWindowHours: 1, timeZone: 'Asia/Tokyo' },
    { ...at(2 * i + 1), shopId, version: 2, updatedAt: 0, clickWindowHours: 1, viewWindowHours: 1, timeZone },
  ])
  await world.analytics.insert('shop_versions', versions, { token: 'shops' })
})
beforeEach(() => world.clear())
afterAll(() => world.close())

const at = (offset: number) => ({ _topic: 't', _partition: 0, _offset: offset })

const METRICS: ReportMetric[] = ['views', 'clicks', 'spend', 'purchases', 'revenue', 'returnedRevenue', 'netRevenue']
const YEAR = { from: '2026-01-01', to: '2026-12-31' }

const decimal = (micros: number | string) => {
  const digits = String(BigInt(micros)).padStart(7, '0')
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0+$/, '')
}

let datasets = 0
async function stored(seed: number) {
  const facts = factsOf(seed)
  await world.clear()
  await store(world, facts, `dataset ${datasets++}`)
  return facts
}

test('days of campaigns are those of the reports, by a plain reading of every record', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const facts = await stored(seed)
      const question = { ...YEAR, groupBy: ['shop' as const, 'day' as const, 'campaign' as const], filters: {} }
      const wanted = expected(facts, { ...question, metrics: METRICS }).rows.map(({ all: _, ...row }) => row)
      const rows = await world.analytics.query<Record<string, string | number>>(
        `SELECT shopId AS shop, toString(shopDay) AS day, campaignId AS campaign, currency, toInt64(impressions) AS views,
           toInt64(clicks) AS clicks, toString(spendMicros) AS spend, toInt64(orders) AS purchases,
           toString(revenueMicros) AS revenue, toString(returnedMicros) AS returnedRevenue,
           toString(netRevenueMicros) AS netRevenue
         FROM v_campaign_days`,
      )
      const money = ['spend', 'revenue', 'returnedRevenue', 'netRevenue']
      const shown = rows.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [name, money.includes(name) ? decimal(value) : value]),
        ),
      )
      expect(sorted(shown)).toEqual(sorted(wanted))
    }),
    { numRuns: tries(3, 20), endOnFailure: true },
  )
})

const sorted = (rows: readonly object[]) =>
  rows.map((row) => JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)))).sort()

test('a sum of a day that has no room in its column is the largest number that has', async () => {
  await stored(7)
  await world.analytics.command(
    `INSERT INTO credited_lines
     SELECT one.* REPLACE (toInt64('5000000000000000000') AS priceMicros, concat('huge', toString(numbers.number)) AS eventId)
     FROM (SELECT * FROM credited_lines FINAL WHERE kind = 'PURCHASE' LIMIT 1) AS one
     CROSS JOIN numbers(2) AS numbers`,
  )
  const rows = await world.analytics.query(
    `SELECT toString(max(revenueMicros)) AS most, min(revenueMicros) >= 0 AS isSum, toTypeName(any(revenueMicros)) AS type
     FROM v_campaign_days`,
  )
  expect(rows).toEqual([{ most: '9223372036854775807', isSum: 1, type: 'Int64' }])
})

test('an event is one row, whatever was stored of it', async () => {
  const { events } = await stored(7)
  const rows = await world.analytics.query<{ eventId: string; verdict: string; billedMicros: number; back: number }>(
    'SELECT eventId, verdict, billedMicros, creditedBackMicros AS back FROM v_events ORDER BY eventId',
  )
  const wanted = events.map(({ eventId, verdicts, voids, billedMicros }) => {
    const isBilled = verdicts.includes('VALID')
    const verdict = !isBilled ? verdicts[0] : voids > 0 ? 'VOIDED' : 'VALID'
    return { eventId, verdict, ...{ billedMicros: 0, back: 0 }, ...billed(verdict, billedMicros) }
  })
  expect(rows).toEqual(wanted.sort((a, b) => (a.eventId < b.eventId ? -1 : 1)))
})

function billed(verdict: string | undefined, micros: number) {
  if (verdict === 'VALID') return { billedMicros: micros }
  return verdict === 'VOIDED' ? { back: micros } : {}
}

test('an order is the version of it that counts, less what came back', async () => {
  const noon = Date.UTC(2026, 2, 1, 12)
  const order = {
    ...{ kind: 'PURCHASE', shopId: 'warsaw', cid: 'me', uid: null, currency: 'PLN', locale: null, imported: false },
    ...{ occurredAt: noon, receivedAt: noon, proof: 'SIGNED' },
  }
  const line = (shopProductId: string, priceMicros: number, quantity: number) => {
    return { shopProductId, priceMicros, quantity, productTitle: null, brand: null, sellerId: null }
  }
  const orders = [
    { ...order, eventId: 'kept', lines: [line('shoe', 10_000_000, 3), line('sock', 2_000_000, 1)] },
    { ...order, eventId: 'kept', receivedAt: noon - 5, proof: 'ANONYMOUS', lines: [line('fake', 1, 1)] },
    { ...order, eventId: 'kept', receivedAt: noon - 9, imported: true, lines: [line('old', 1, 1)] },
    // The order is before midnight in UTC, and after it in Warsaw.
    { ...order, eventId: 'late', occurredAt: Date.UTC(2026, 2, 1, 23, 30), lines: [line('shoe', 5_000_000, 1)] },
    // Of two that came at one moment, the one of the earlier time counts, then the one with the lesser lines.
    { ...order, eventId: 'late', occurredAt: Date.UTC(2026, 2, 1, 23, 31), lines: [line('boot', 1, 1)] },
    { ...order, eventId: 'late', occurredAt: Date.UTC(2026, 2, 1, 23, 30), lines: [line('shof', 1, 1)] },
    { ...order, eventId: 'cart', kind: 'CART', lines: [line('shoe', 5_000_000, 1)] },
    { ...order, eventId: 'once', shopId: 'newYork', currency: 'USD', lines: [line('shoe', 5_000_000, 1)] },
    { ...order, eventId: 'kept', shopId: 'newYork', currency: 'USD', lines: [line('hat', 7_000_000, 2)] },
  ]
  orders.push(...orders.filter(({ eventId }) => eventId === 'late'))
  await world.analytics.insert(
    'transactions',
    orders.map((row, i) => ({ ...at(i), ...row })),
    { token: 'orders' },
  )
  const back = { shopId: 'warsaw', reason: null, returnedBy: 'x', occurredAt: noon, receivedAt: noon }
  const returns = [
    { ...back, returnId: 'r1', eventId: 'kept', lines: [{ shopProductId: 'shoe', quantity: 1 }] },
    { ...back, returnId: 'r1', eventId: 'kept', receivedAt: noon + 1, lines: [] },
    { ...back, returnId: 'r2', eventId: 'late', lines: [] },
  ]
  await world.analytics.insert(
    'transaction_returns',
    returns.map((row, i) => ({ ...at(i), ...row })),
    { token: 'back' },
  )
  const rows = await world.analytics.query(
    `SELECT shopId, orderId, toString(shopDay) AS day, currency, units, revenueMicros, returnedUnits, returnedMicros, netRevenueMicros,
       isImported, proof FROM v_orders ORDER BY shopId DESC, orderId`,
  )
  await world.analytics.command('TRUNCATE TABLE transaction_returns')
  const common = { shopId: 'warsaw', currency: 'PLN', isImported: false, proof: 'SIGNED' }
  const kept = { returnedUnits: 0, returnedMicros: 0 }
  expect(rows).toEqual([
    {
      ...{ ...common, orderId: 'kept', day: '2026-03-01', units: 4, revenueMicros: 12_000_000 },
      ...{ returnedUnits: 1, returnedMicros: 3_333_333, netRevenueMicros: 8_666_667 },
    },
    {
      ...{ ...common, orderId: 'late', day: '2026-03-02', units: 1, revenueMicros: 5_000_000 },
      ...{ returnedUnits: 1, returnedMicros: 5_000_000, netRevenueMicros: 0 },
    },
    {
      ...{ ...common, ...kept, shopId: 'newYork', currency: 'USD', orderId: 'kept', day: '2026-03-01' },
      ...{ units: 2, revenueMicros: 7_000_000, netRevenueMicros: 7_000_000 },
    },
    {
      ...{ ...common, ...kept, shopId: 'newYork', currency: 'USD', orderId: 'once', day: '2026-03-01' },
      ...{ units: 1, revenueMicros: 5_000_000, netRevenueMicros: 5_000_000 },
    },
  ])
})

test('a filter reads that shop and time alone', async () => {
  await stored(3)
  const order = { shopId: 'warsaw', kind: 'PURCHASE', eventId: 'order', occurredAt: Date.UTC(2026, 4, 1) }
  await world.analytics.insert('transactions', [order], { token: 'order' })
  const filter = "shopId = 'warsaw' AND occurredAt >= '2026-04-01 00:00:00'"
  const conditionsOf = async (view: string) => {
    const plan = await world.analytics.query<{ explain: string }>(
      `EXPLAIN indexes = 1 SELECT count() FROM ${view} WHERE ${filter}`,
    )
    return plan.flatMap(({ explain }) => /Condition: (.*)/.exec(explain)?.[1] ?? []).join('\n')
  }
  const ofShop = "shopId in ['warsaw', 'warsaw']"
  const since = "toIntervalMillisecond(occurredAt)) in ['1775001600', +Inf)"
  for (const view of ['v_events', 'v_impressions', 'v_clicks', 'v_orders', 'v_attributed_sales']) {
    expect(await conditionsOf(view)).toContain(ofShop)
    expect(await conditionsOf(view)).toContain(since)
  }
})

const docs = readFileSync(new URL('../../../docs/data.md', import.meta.url), 'utf8')
const columnsListed = /^\| View \| Columns \|\n.*\n((?:\|.*\n)+)/m.exec(docs)![1]!

test('the documentation lists the columns of every view, and which may be NULL', async () => {
  const listed = [...columnsListed.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, view, columns]) => [
    view,
    columns!.replaceAll('`', '').split(' ').sort(),
  ])
  const described = Object.keys(views).map(async (view) => {
    const columns = await world.analytics.query<{ name: string; type: string }>(`DESCRIBE ${view}`)
    return [view, columns.map(({ name, type }) => `${name}${type.startsWith('Nullable') ? '?' : ''}`).sort()]
  })
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(await Promise.all(described)))
})

const queries = [...docs.matchAll(/```sql\n(.*?)```/gs)]

test('every query of the documentation answers', async () => {
  await stored(4)
  expect(queries.length).toBeGreaterThanOrEqual(10)
  const answers = await Promise.all(queries.map(([, sql]) => world.analytics.query(sql!)))
  expect(answers.map((rows) => rows.length > 0)).toEqual(answers.map(() => true))
})
