import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FingerprintMap } from '../../../infra/counters/fingerprint-map.ts'

/** Some share a half, and so are the likelier to meet. */
const fingerprint = fc.record({
  low: fc.oneof(fc.constantFrom(0, 1, 16, -1), fc.integer()),
  high: fc.oneof(fc.constantFrom(0, -1), fc.integer()),
})

test('it holds for each fingerprint the value that was set last', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fingerprint, fc.integer()), { maxLength: 200 }), (entries) => {
      const map = new FingerprintMap<number>()
      const expected = new Map<string, number>()
      for (const [key, value] of entries) {
        expect(map.get(key)).toBe(expected.get(`${key.low} ${key.high}`))
        map.set(key, value)
        expected.set(`${key.low} ${key.high}`, value)
      }
      for (const [key] of entries) expect(map.get(key)).toBe(expected.get(`${key.low} ${key.high}`))
      expect(map.size).toBe(expected.size)
    }),
  )
})
