import { describe, expect, test } from 'vitest'
import { liftsOf, placeRates, strengthsOf } from '../../../streams/phrase-lifts/lift-model.ts'
import { clicksPerRequest, type Learning } from './simulated-shop.ts'

const product = (id: string, responses: number, expected: number) => ({ id, responses, expected })
const lifts = (...args: Parameters<typeof liftsOf>) => new Map(liftsOf(...args).map(({ id, lift }) => [id, lift]))

describe('lifts', () => {
  test('say how much better a product is after the words than elsewhere, within bounds', () => {
    const found = lifts([product('up', 600, 200), product('down', 10, 200), product('usual', 200, 200)], new Map())
    expect(found.get('up')).toBeGreaterThan(1.8)
    expect(found.get('down')).toBe(1 / 3)
    expect(found.get('usual')).toBeLessThan(1)
    expect(lifts([product('up', 9_000, 200), product('other', 10, 9_000)], new Map()).get('up')).toBe(3)
  })

  test('leave out what is good everywhere, and what is as good as all others after the words', () => {
    const everywhere = strengthsOf([product('good', 4_000, 2_000), product('usual', 1_000, 1_000)])
    expect(lifts([product('good', 400, 200), product('usual', 100, 100)], everywhere).size).toBe(0)
    expect(lifts([product('a', 300, 100), product('b', 300, 100)], new Map()).size).toBe(0)
  })

  test('need evidence', () => {
    expect(lifts([product('one', 1, 0.1), product('other', 9, 9.9)], new Map()).get('one')).toBeLessThan(1.4)
    expect(liftsOf([], new Map())).toEqual([])
    expect(liftsOf([product('never', 0, 0)], new Map())).toEqual([])
  })

  test('take the place on the page out of the comparison', () => {
    const rates = placeRates([
      { position: 1, views: 10_000, responses: 1_000 },
      { position: 4, views: 10_000, responses: 100 },
    ])
    expect(rates[0]).toBeCloseTo(0.1, 2)
    expect(rates[3]).toBeCloseTo(0.01, 2)
    // Nothing is known about this place, so it gets the mean of all.
    expect(rates[1]).toBeCloseTo(0.055, 3)
    expect(placeRates([])).toEqual(Array(20).fill(0))
  })
})

/** The mean gain of several shops, because one may be chance. */
function gain(preference: number): number {
  const shops = [1, 2, 3, 4].map((seed) => ({ seed, requestsPerDay: 1_500, days: 16, preference }))
  const clicks = (learning: Learning) => shops.reduce((sum, shop) => sum + clicksPerRequest(shop, learning), 0)
  return clicks('MODEL') / clicks('NONE')
}

test('shoppers with preferences click more often in a shop that learns, and others no less often', () => {
  expect(gain(0.7)).toBeGreaterThan(1.03)
  expect(gain(0)).toBeGreaterThan(0.99)
})
