import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CountTable, NumberSet } from '../../../../infra/counters/redis/number-tables.ts'

/** Some numbers share bits, which makes collisions more likely. */
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

/** Some fingerprints share a half, which makes collisions more likely. */
const fingerprint = fc.record({
  low: fc.oneof(fc.constantFrom(0, 1, 16, -1), fc.integer()),
  high: fc.oneof(fc.constantFrom(0, -1), fc.integer()),
})

test('it holds for each fingerprint the counters that were set last', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 8 }),
      fc.array(fc.tuple(fingerprint, fc.nat()), { maxLength: 200 }),
      (width, entries) => {
        const table = new CountTable(width)
        const expected = new Map<string, number[]>()
        const held = (key: { low: number; high: number }) => {
          const at = table.find(key)
          return at < 0 ? undefined : [...table.counts.subarray(at, at + width)]
        }
        for (const [key, value] of entries) {
          expect(held(key)).toEqual(expected.get(`${key.low} ${key.high}`))
          const counters = Array.from({ length: width }, (_, i) => value + i)
          expect(table.set(key, Float64Array.from([-1, ...counters]), 1)).toBe(table.find(key))
          expected.set(`${key.low} ${key.high}`, counters)
        }
        for (const [key] of entries) expect(held(key)).toEqual(expected.get(`${key.low} ${key.high}`))
        expect(table.size).toBe(expected.size)
      },
    ),
  )
})
