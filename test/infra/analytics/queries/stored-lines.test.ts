import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Analytics, QueryParams } from '../../../../infra/analytics/port.ts'
import { creditedOrdersQuery } from '../../../../infra/analytics/queries/explain/transaction.ts'
import { transactionListQuery } from '../../../../infra/analytics/queries/explain/transactions.ts'
import { personalDataQuery } from '../../../../infra/analytics/queries/people/personal-data.ts'
import { type SaleRow, salesQuery, visitQuery } from '../../../../infra/analytics/queries/visits.ts'
import { openTemporaryAnalytics } from '../../../new-analytics.ts'

const ORDERS = 100_000
const shopId = 'shop'
let analytics: Analytics
beforeAll(async () => {
  analytics = await openTemporaryAnalytics()
  const columns = `'${shopId}' AS shopId, 'PURCHASE' AS kind, toString(cityHash64(number)) AS eventId, toInt64(number) AS occurredAt,
    concat('person-', toString(number)) AS cid, concat('user-', toString(number)) AS uid`
  const orders = `FROM numbers(${ORDERS})`
  await analytics.command(
    `INSERT INTO transactions (shopId, kind, eventId, occurredAt, cid, uid) SELECT ${columns} ${orders}`,
  )
  await analytics.command(
    `INSERT INTO attributed_lines (shopId, kind, eventId, occurredAt, cid, uid, outcome, accountId)
     SELECT ${columns}, 'CREDITED', 'account' ${orders}`,
  )
  await analytics.command(
    `INSERT INTO credited_lines (shopId, kind, eventId, occurredAt, cid, uid, accountId) SELECT ${columns}, 'account' ${orders}`,
  )
})
afterAll(() => analytics.close())

const listed = {
  shopIds: [shopId],
  to: 50_001,
  kind: undefined,
  campaignId: undefined,
  purchasedProductId: undefined,
  credited: undefined,
  after: null,
}
const range = { shopId, from: 50_000, to: 50_001 }
const EXPORT = `SELECT orderId AS eventId FROM v_attributed_sales WHERE shopId = {shopId:String}
  AND occurredAt >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND occurredAt < fromUnixTimestamp64Milli({to:Int64}, 'UTC')`
const creditsOf = (identifier: 'cid' | 'uid', value: string) =>
  personalDataQuery('credits', { shopId, identifier, value }, { after: null, limit: 10 })

const LINES = ['attributed_lines', 'credited_lines']

/** How many rows of some tables are read, by the plan. */
async function rowsRead({ sql, params }: { sql: string; params: QueryParams }, tables = LINES): Promise<number> {
  const read = await analytics.query<{ table: string; rows: number }>(`EXPLAIN ESTIMATE ${sql}`, params)
  const ofTables = read.filter(({ table }) => tables.includes(table))
  expect(ofTables.length).toBeGreaterThan(0)
  return ofTables.reduce((sum, { rows }) => sum + rows, 0)
}

it.each<{ of: string; sql: string; params: QueryParams }>([
  { of: 'a cid', ...creditsOf('cid', 'person-50000') },
  { of: 'a uid', ...creditsOf('uid', 'user-50000') },
  {
    of: 'a moment',
    ...creditedOrdersQuery({ accountId: 'account', occurredAt: 50_000, shopIds: ['another', shopId] }),
  },
  {
    of: 'few transactions',
    ...transactionListQuery({ ...listed, accountId: undefined, from: 50_000, limit: 10 }, 'TRANSACTIONS'),
  },
  {
    of: 'the latest transactions of an account',
    ...transactionListQuery({ ...listed, accountId: 'account', from: 45_000, limit: 1 }, 'CREDITED'),
  },
  { of: 'a page of sales', ...salesQuery({ ...range, from: 0 }, { after: [49_999, '~', 0], limit: 10 }) },
  { of: 'an export', sql: EXPORT, params: range },
])('the credits of $of are not looked for among all lines of the shop', async ({ sql, params }) => {
  const found = await analytics.query<{ eventId: string }>(sql, params)
  const [order] = await analytics.query<{ eventId: string }>('SELECT toString(cityHash64(toUInt64(50000))) AS eventId')
  expect(found.map(({ eventId }) => eventId)).toEqual([order!.eventId])
  expect(await rowsRead({ sql, params })).toBeLessThan(ORDERS / 4)
})

it('sales by visit of a moment are not looked for among all lines of the shop', async () => {
  const spans = [{ start: 0, offsetMs: 0 }]
  const asked = visitQuery({ ...range, dimensions: ['gclid'], currency: 'EUR', spans, limit: 10 })
  expect(await analytics.query(asked.sql, asked.params)).toMatchObject([
    { isTotal: 0, purchases: 1 },
    { isTotal: 1, purchases: 1 },
  ])
  expect(await rowsRead(asked)).toBeLessThan(ORDERS / 4)
})

it('the buyers of a page of sales are not looked for among later page views', async () => {
  await analytics.command(
    `INSERT INTO page_views (shopId, id, cid, occurredAt, gclid)
     SELECT '${shopId}', toString(number), 'person-0', number, toString(number) FROM numbers(${ORDERS})`,
  )
  const page = salesQuery({ shopId, from: 0, to: ORDERS }, { after: null, limit: 10 })
  const sales = await analytics.query<SaleRow>(page.sql, page.params)
  expect(sales.map(({ cid, gclid }) => [cid, gclid])).toEqual(
    Array.from({ length: 10 }, (_, order) => [`person-${order}`, order === 0 ? '0' : null]),
  )
  expect(await rowsRead(page, ['page_views'])).toBeLessThan(ORDERS / 4)
})
