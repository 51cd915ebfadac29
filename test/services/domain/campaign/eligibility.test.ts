import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Account } from '../../../../schemas/records/accounts.ts'
import type { Campaign, Shop } from '../../../../schemas/records/entities.ts'
import { standing } from '../../../../services/domain/campaign/eligibility.ts'
import { whyNot } from '../../../../services/domain/campaign/why-not.ts'
import { sponsored } from '../../selection/world.ts'

const NOW = 1_000_000
const shop = { reserveCpcMicros: 100 } as Shop
const account = { kind: 'PUBLISHER' } as Account
const campaign = (changes: Partial<Campaign>): Campaign => ({
  ...sponsored('shop', 'account'),
  startAt: 0,
  endAt: null,
  cpcMicros: 500,
  budgetMicros: 1000,
  ...changes,
})
const at = (totalMicros: number, todayMicros = 0) => ({ now: NOW, spend: { totalMicros, todayMicros } })

describe('standing', () => {
  it('bids the cpc, and never more than is left of the budget or of the day', () => {
    expect(standing(campaign({}), shop, at(0))).toEqual({ out: null, bidMicros: 500 })
    expect(standing(campaign({}), shop, at(501))).toEqual({ out: null, bidMicros: 499 })
    expect(standing(campaign({ dailyBudgetMicros: 300 }), shop, at(0, 100))).toEqual({ out: null, bidMicros: 200 })
    expect(standing(campaign({}), shop, at(901))).toEqual({ out: 'BUDGET', bidMicros: 500 })
  })

  it('promotes for free whatever the money says', () => {
    const own = campaign({ autoPromo: true, cpcMicros: 0, budgetMicros: 0 })
    expect(standing(own, shop, at(0))).toEqual({ out: null, bidMicros: 0 })
  })

  it('agrees with what the panel says of why a product cannot be shown', () => {
    const amount = fc.integer({ min: 0, max: 1500 })
    const moment = fc.constantFrom(NOW - 1, NOW, NOW + 1)
    const any = fc.record({
      status: fc.constantFrom('DRAFT' as const, 'ACTIVE' as const, 'PAUSED' as const),
      startAt: moment,
      endAt: fc.option(moment),
      cpcMicros: fc.constantFrom(0, 99, 100, 500),
      budgetMicros: amount,
      dailyBudgetMicros: fc.option(amount),
      autoPromo: fc.boolean(),
    })
    fc.assert(
      fc.property(any, amount, amount, (changes, totalMicros, todayMicros) => {
        const body = campaign(changes)
        const spend = { totalMicros, todayMicros }
        const offer = { isAvailable: true, expiresAt: null, externalSellerId: null }
        const reasons = whyNot(offer, [{ id: 'c', body, account, spend }], { shop, now: NOW })
        expect(standing(body, shop, at(totalMicros, todayMicros)).out === null).toBe(reasons.length === 0)
      }),
      { numRuns: 2000 },
    )
  })
})
