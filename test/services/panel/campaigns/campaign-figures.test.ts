import { describe, expect, it } from 'vitest'
import { figuresOf, sumOf } from '../../../../services/panel/web/pages/campaigns/list/campaign-figures.ts'

const returned = { currency: 'EUR', views: 1_000, clicks: 10, spend: 5, revenue: 100, netRevenue: 40 }

describe('the figures in the list of campaigns', () => {
  it('compute ROAS from sales without returns, as reports do', () => {
    expect(figuresOf([returned], 'EUR')).toMatchObject({ sales: 100, roas: 8, ctr: 0.01, cpc: 0.5 })
  })

  it('compute the ratios of several campaigns from their sums', () => {
    const kept = { currency: 'EUR', views: 1_000, clicks: 30, spend: 15, revenue: 60, netRevenue: 60 }
    expect(sumOf([figuresOf([returned], 'EUR'), figuresOf([kept], 'EUR')])).toMatchObject({
      sales: 160,
      roas: 5,
      ctr: 0.02,
      cpc: 0.5,
    })
  })

  it('show amounts in the currency of the shop, also where orders came in others', () => {
    const abroad = { currency: 'USD', views: 0, clicks: 0, spend: 0, revenue: 70, netRevenue: 70 }
    for (const rows of [
      [returned, abroad],
      [abroad, returned],
    ])
      expect(figuresOf(rows, 'EUR')).toEqual(figuresOf([returned], 'EUR'))
  })

  it('have no ratios without anything to divide by', () => {
    expect(figuresOf([], 'EUR')).toEqual({
      ...{ impressions: 0, clicks: 0, spend: 0, sales: 0, netSales: 0 },
      ...{ ctr: null, cpc: null, roas: null },
    })
  })
})
