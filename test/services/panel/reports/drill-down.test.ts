import { expect, it } from 'vitest'
import { readReportState } from '../../../../services/panel/web/pages/reports/report-state.ts'
import { salesOf } from '../../../../services/panel/web/pages/reports/table/drill-down.ts'

const row = { purchasedProduct: 'P 1', campaign: 'c-1', day: '2026-07-15', adUnit: 'u-1', currency: 'EUR' }

it.each([
  ['groupBy=purchasedProduct&period=7-days', 'period=7-days&shopId=shop-1'],
  [
    'groupBy=purchasedProduct&from=2026-07-01&until=2026-07-31&campaignId=c-2',
    'from=2026-07-01&until=2026-07-31&shopId=shop-1&campaignId=c-2',
  ],
  ['groupBy=purchasedProduct,campaign&period=7-days', 'period=7-days&shopId=shop-1&campaignId=c-1'],
  ['groupBy=purchasedProduct,day&period=7-days', 'from=2026-07-15&until=2026-07-15&shopId=shop-1'],
  ['groupBy=purchasedProduct&period=7-days&accountId=a-1', 'period=7-days&shopId=shop-1&accountId=a-1'],
  ['groupBy=purchasedProduct,adUnit', null],
  ['groupBy=purchasedProduct&country=PL', null],
  ['groupBy=purchasedProduct&model=LINEAR', null],
])('a row of the report ?%s leads to the sales ?%s', (report, sales) => {
  const address = salesOf(readReportState(new URLSearchParams(report)), row as never, 'shop-1')
  expect(address).toBe(sales === null ? null : `/sales?purchasedProductId=P+1&${sales}`)
})
