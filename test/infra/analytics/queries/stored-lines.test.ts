import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Analytics, QueryParams } from '../../../../infra/analytics/port.ts'
import { creditedOrdersQuery } from '../../../../infra/analytics/queries/explain/transaction.ts'
import { transactionListQuery } from '../../../../infra/analytics/queries/explain/transactions.ts'
import { personalDataQuery } from '../../../../infra/analytics/queries/people/personal-data.ts'
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
})
afterAll(() => analytics.close())

const listOf = (from: number, to: number) => {
  const { kind, accountId, campaignId, credited } = {} as Record<string, undefined>
  const spec = { shopIds: [shopId], from, to, kind, accountId, campaignId, credited, after: null, limit: 10 }
  return transactionListQuery(spec, { isOfFew: true })
}
const creditsOf = (identifier: 'cid' | 'uid', value: string) =>
  personalDataQuery('credits', { shopId, identifier, value }, { after: null, limit: 10 })

it.each<{ of: string; sql: string; params: QueryParams }>([
  { of: 'a cid', ...creditsOf('cid', 'person-50000') },
  { of: 'a uid', ...creditsOf('uid', 'user-50000') },
  {
    of: 'a moment',
    ...creditedOrdersQuery({ accountId: 'account', occurredAt: 50_000, shopIds: ['another', shopId] }),
  },
  { of: 'few transactions', ...listOf(50_000, 50_001) },
])('the credits of $of are not looked for among all lines of the shop', async ({ sql, params }) => {
  const found = await analytics.query<{ eventId: string }>(sql, params)
  const [order] = await analytics.query<{ eventId: string }>('SELECT toString(cityHash64(toUInt64(50000))) AS eventId')
  expect(found.map(({ eventId }) => eventId)).toEqual([order!.eventId])
  const read = await analytics.query<{ table: string; rows: number }>(`EXPLAIN ESTIMATE ${sql}`, params)
  expect(read.find(({ table }) => table === 'attributed_lines')!.rows).toBeLessThan(ORDERS / 4)
})
