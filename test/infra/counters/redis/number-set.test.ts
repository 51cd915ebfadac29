import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NumberSet } from '../../../../infra/counters/redis/number-set.ts'

/** Some share the low bits, and so begin their search at the same slot. */
const number = fc.oneof(
  fc.constantFrom(0, 64, 2 ** 32, 2 ** 52 + 64, Number.MAX_SAFE_INTEGER),
  fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
)

test('it holds the numbers that were added, and no others', () => {
  fc.assert(
    fc.property(fc.array(number, { maxLength: 300 }), fc.array(number), (added, others) => {
      const set = new NumberSet()
      const expected = new Set<number>()
      for (const each of added) {
        expect(set.has(each)).toBe(expected.has(each))
        set.add(each)
        expected.add(each)
      }
      for (const each of [...added, ...others]) expect(set.has(each)).toBe(expected.has(each))
    }),
  )
})
