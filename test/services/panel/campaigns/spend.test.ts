import { describe, expect, it } from 'vitest'
import { whyNotShown } from '../../../../services/panel/web/pages/campaigns/spend.ts'

const shop = { reserveCpc: 0.32 }
const clicks = { cpc: 0.5, dailyBudget: 9, autoPromo: false }
const views = { cpm: 4, dailyBudget: 9, autoPromo: false }

describe('why a running campaign is not shown', () => {
  it('is its bid once the shop has raised its reserve above it', () => {
    expect(whyNotShown({ ...clicks, cpc: 0.32 }, shop, 0)).toBe(null)
    expect(whyNotShown({ ...clicks, cpc: 0.31 }, shop, undefined)).toBe('BID_BELOW_RESERVE')
    expect(whyNotShown({ ...clicks, cpc: 0, autoPromo: true }, shop, 9)).toBe(null)
  })

  it('is its daily budget once what is left pays for no click or view', () => {
    expect(whyNotShown(clicks, shop, 8.68)).toBe(null)
    expect(whyNotShown(clicks, shop, 8.680001)).toBe('DAILY_BUDGET_EXHAUSTED')
    expect(whyNotShown(views, shop, 8.996)).toBe(null)
    expect(whyNotShown(views, shop, 8.996001)).toBe('DAILY_BUDGET_EXHAUSTED')
    expect(whyNotShown({ ...views, cpm: 0 }, shop, 9)).toBe('DAILY_BUDGET_EXHAUSTED')
  })

  it('is nothing without a daily budget, or while the spend of the day is unknown', () => {
    expect(whyNotShown({ ...clicks, dailyBudget: null }, shop, 100)).toBe(null)
    expect(whyNotShown(clicks, shop, undefined)).toBe(null)
  })
})
