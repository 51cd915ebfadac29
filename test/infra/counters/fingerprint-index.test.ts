import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FingerprintIndex } from '../../../infra/counters/fingerprint-index.ts'

/** Some fingerprints share a half, which makes collisions more likely. */
const fingerprint = fc.record({
  low: fc.oneof(fc.constantFrom(0, 1, 16, -1), fc.integer()),
  high: fc.oneof(fc.constantFrom(0, -1), fc.integer()),
})

test('it numbers each fingerprint once, in the order in which they come', () => {
  fc.assert(
    fc.property(fc.array(fingerprint, { maxLength: 200 }), (fingerprints) => {
      const index = new FingerprintIndex()
      const expected = new Map<string, number>()
      for (const each of fingerprints) {
        const name = `${each.low} ${each.high}`
        expect(index.find(each.low, each.high)).toBe(expected.get(name) ?? -1)
        if (!expected.has(name)) expected.set(name, expected.size)
        const number = index.add(each.low, each.high)
        expect(number).toBe(expected.get(name))
        expect(index.fingerprint(number)).toEqual(each)
      }
      for (const { low, high } of fingerprints) expect(index.find(low, high)).toBe(expected.get(`${low} ${high}`))
      expect(index.size).toBe(expected.size)
    }),
  )
})
