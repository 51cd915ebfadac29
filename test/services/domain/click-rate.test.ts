import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { predictClickRate } from '../../../services/domain/click-rate.ts'

describe('predicted click rate', () => {
  it('is the prior for a product that nobody has seen', () => {
    expect(predictClickRate(null)).toBe(0.004)
    expect(predictClickRate({ views: 0, clicks: 0 })).toBe(0.004)
  })

  it('comes to what is observed as views grow', () => {
    expect(predictClickRate({ views: 1_000_000, clicks: 20_000 })).toBeCloseTo(0.02, 4)
    expect(predictClickRate({ views: 10, clicks: 1 })).toBeLessThan(0.01)
  })

  it('lies between prior and observation, and within (0, 1)', () => {
    fc.assert(
      fc.property(fc.nat(1e6), fc.nat(1e6), (views, clicks) => {
        const rate = predictClickRate({ views, clicks })
        expect(rate).toBeGreaterThan(0)
        expect(rate).toBeLessThan(1)
        const observed = views === 0 ? 0.004 : Math.min(clicks / views, 1)
        expect(rate).toBeGreaterThanOrEqual(Math.min(observed, 0.004) - 1e-12)
        expect(rate).toBeLessThanOrEqual(Math.max(observed, 0.004) + 1e-12)
      }),
    )
  })
})
