import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { predictClickRate } from '../../../../services/domain/auction/click-rate.ts'

describe('predicted click rate', () => {
  it('is what is believed of a product that nobody has seen', () => {
    expect(predictClickRate(null)).toBe(0.004)
    expect(predictClickRate({ views: 0, clicks: 0 })).toBe(0.004)
    expect(predictClickRate(null, 0.04)).toBe(0.04)
  })

  it('weighs a belief as the views in which two clicks are expected', () => {
    expect(predictClickRate({ views: 500, clicks: 6 })).toBe((0.004 + 0.012) / 2)
    expect(predictClickRate({ views: 50, clicks: 6 }, 0.04)).toBeCloseTo((0.04 + 0.12) / 2)
  })

  it('comes to what is observed as views grow', () => {
    expect(predictClickRate({ views: 1_000_000, clicks: 20_000 })).toBeCloseTo(0.02, 4)
    expect(predictClickRate({ views: 10, clicks: 1 })).toBeLessThan(0.01)
  })

  it('lies between belief and observation, and within (0, 1)', () => {
    const belief = fc.double({ min: 0.0001, max: 0.5, noNaN: true })
    fc.assert(
      fc.property(fc.nat(1e6), fc.nat(1e6), belief, (views, clicks, believed) => {
        const rate = predictClickRate({ views, clicks }, believed)
        expect(rate).toBeGreaterThan(0)
        expect(rate).toBeLessThan(1)
        const observed = views === 0 ? believed : Math.min(clicks / views, 1)
        expect(rate).toBeGreaterThanOrEqual(Math.min(observed, believed) - 1e-12)
        expect(rate).toBeLessThanOrEqual(Math.max(observed, believed) + 1e-12)
      }),
    )
  })
})
