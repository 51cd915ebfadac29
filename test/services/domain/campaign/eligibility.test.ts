import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Account } from '../../../../schemas/records/accounts.ts'
import type { Campaign, Shop } from '../../../../schemas/records/entities.ts'
import { eligibilityOf } from '../../../../services/domain/campaign/eligibility.ts'
import { whyNot } from '../../../../services/domain/campaign/why-not.ts'
import { tries } from '../../../effort.ts'
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

describe('the eligibility of a campaign', () => {
  it('includes a bid of the cpc, capped by what is left of the budget and of the day', () => {
    expect(eligibilityOf(campaign({}), shop, at(0))).toEqual({ reason: null, bidMicros: 500 })
    expect(eligibilityOf(campaign({}), shop, at(501))).toEqual({ reason: null, bidMicros: 499 })
    expect(eligibilityOf(campaign({ dailyBudgetMicros: 300 }), shop, at(0, 100))).toEqual({
      reason: null,
      bidMicros: 200,
    })
    expect(eligibilityOf(campaign({}), shop, at(901))).toEqual({ reason: 'BUDGET', bidMicros: 500 })
  })

  it('is free for self-promotion, whatever its budget', () => {
    const own = campaign({ autoPromo: true, cpcMicros: 0, budgetMicros: 0 })
    expect(eligibilityOf(own, shop, at(0))).toEqual({ reason: null, bidMicros: 0 })
  })

  it('agrees with the reasons that the panel gives for a product that cannot be shown', () => {
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
        expect(eligibilityOf(body, shop, at(totalMicros, todayMicros)).reason === null).toBe(reasons.length === 0)
      }),
      { numRuns: tries(2_000, 20_000) },
    )
  })
})
