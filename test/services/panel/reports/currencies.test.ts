import { describe, expect, it } from 'vitest'
import { figureBefore, sumIn, totalsIn } from '../../../../services/panel/web/pages/reports/figures/currencies.ts'

const euros = { currency: 'EUR', views: 10, spend: 5, purchases: 3, revenue: 100, roas: 20 }
const dollars = { currency: 'USD', views: 0, spend: 0, purchases: 1, revenue: 70, roas: null }
const both = {
  rows: [euros, dollars],
  totals: { currency: null, views: 10, spend: null, purchases: 4, revenue: null, roas: null },
  totalsByCurrency: [euros, dollars],
  truncated: false,
}

describe('the totals of a shop in which orders came in several currencies', () => {
  it('are amounts in the currency of the shop, and counts of everything', () => {
    expect(totalsIn(both, 'EUR')).toEqual({ ...both.totals, currency: 'EUR', spend: 5, revenue: 100, roas: 20 })
    expect(totalsIn(both, 'PLN')).toEqual({ ...both.totals, currency: 'PLN' })
  })

  it('are those of the report while the shop is not known', () => {
    expect(totalsIn(both, undefined)).toBe(both.totals)
  })

  it('never show an amount of another currency as one of the shop', () => {
    const abroad = { ...both, totals: dollars, totalsByCurrency: [dollars] }
    expect(totalsIn(abroad, 'EUR')).toEqual({ ...dollars, currency: 'EUR', spend: null, revenue: null })
  })

  it('add up over rows without amounts of other currencies', () => {
    expect(sumIn(both.rows, 'revenue', 'EUR')).toBe(100)
    expect(sumIn(both.rows, 'purchases', 'EUR')).toBe(4)
  })
})

describe('the total that one is compared with', () => {
  it('is an amount of the same currency, or a count', () => {
    const abroad = { ...both, totals: dollars, totalsByCurrency: [dollars] }
    expect(figureBefore(abroad, 'revenue', 'EUR')).toBeUndefined()
    expect(figureBefore(abroad, 'purchases', 'EUR')).toBe(1)
    expect(figureBefore(abroad, 'revenue', 'USD')).toBe(70)
    expect(figureBefore(both, 'revenue', 'EUR')).toBe(100)
  })
})
