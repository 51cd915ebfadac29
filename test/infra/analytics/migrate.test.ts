import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate, statementsIn } from '../../../infra/analytics/migrate.ts'
import type { Analytics } from '../../../infra/analytics/port.ts'
import { openTemporaryAnalytics } from '../../new-analytics.ts'

let analytics: Analytics
beforeAll(async () => {
  analytics = await openTemporaryAnalytics()
})
afterAll(() => analytics.close())

test('credited lines that an earlier version has stored get what they lack', async () => {
  const told = { cid: 'me', uid: 'user', shopProductId: 'sku', quantity: 3, returnedQuantity: 1, slotHash: 'slot' }
  const touch = { touchType: 'CLICK', touchEventId: 'touch', touchAt: 5 }
  const line = {
    shopId: 'shop',
    kind: 'PURCHASE',
    eventId: 'order',
    line: 0,
    occurredAt: 7,
    priceMicros: 9,
    version: 2,
  }
  const sale = { ...line, ...told, ...touch }
  await analytics.insert('attributed_lines', [{ ...sale, outcome: 'CREDITED' }], { token: 'lines' })
  await analytics.insert('attributed_lines', [{ ...sale, line: 1, outcome: 'NO_TOUCH' }], { token: 'not credited' })
  await analytics.insert('credited_lines', [line], { token: 'credited' })
  for (const statement of statementsIn('034_credited_sales.sql')) await analytics.command(statement)
  expect(await analytics.query('SELECT * FROM credited_lines FINAL')).toEqual([expect.objectContaining(sale)])
})

test('lines that an earlier version has stored are counted by their item groups', async () => {
  const product = { shopId: 'grouped', shopProductId: 'sku', itemGroups: ['group'] }
  const line = { ...product, kind: 'PURCHASE', eventId: 'order' }
  const inserted = (name: string, rows: object[]) => analytics.insert('attributed_lines', rows, { token: name })
  await analytics.command('ALTER TABLE attributed_lines DROP PROJECTION groups_of_products SETTINGS mutations_sync = 1')
  await inserted(
    'before',
    [0, 1].map((number) => ({ ...line, line: number })),
  )
  // A process that was killed begins again.
  for (const statement of [1, 2].flatMap(() => statementsIn('035_line_groups.sql'))) await analytics.command(statement)
  await expect.poll(() => analytics.unfinishedMutations(['attributed_lines'])).toBe(0)
  await inserted('after', [{ ...line, version: 1, itemGroups: ['other'] }])
  await analytics.command('OPTIMIZE TABLE attributed_lines FINAL')
  const counted = await analytics.query(
    `SELECT itemGroups, toInt64(count()) AS lines FROM attributed_lines WHERE shopId = 'grouped'
     GROUP BY shopId, shopProductId, itemGroups ORDER BY itemGroups SETTINGS force_optimize_projection = 1`,
  )
  expect(counted).toEqual([
    { itemGroups: ['group'], lines: 1 },
    { itemGroups: ['other'], lines: 1 },
  ])
})

test('what a later version has added is left alone; what this version would damage is refused', async () => {
  const apply = (name: string) => analytics.insert('migrations', [{ name }], { token: name })
  await apply('998_more.sql')
  expect(await migrate(analytics)).toEqual([])
  await apply('999_other_meaning.breaking.sql')
  await expect(migrate(analytics)).rejects.toThrow(
    /^A later version .* \(999_other_meaning.breaking.sql\) .* start the later version/,
  )
})
