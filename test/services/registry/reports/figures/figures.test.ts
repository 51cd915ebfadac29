import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decimalText, figuresToJson } from '../../../../../services/registry/reports/figures.ts'

it('decimalText writes every micro-unit, and none that are not there', () => {
  expect([0n, 1n, 10n, 1_500_000n, 90_000_000n, -1_000_001n].map(decimalText)).toEqual([
    '0',
    '0.000001',
    '0.00001',
    '1.5',
    '90',
    '-1.000001',
  ])
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), (micros) => {
      const [whole = '', fraction = ''] = decimalText(micros).split('.')
      expect(BigInt(whole + fraction.padEnd(6, '0'))).toBe(micros)
    }),
  )
})

it('figuresToJson keeps the digits that a double would lose', () => {
  expect(figuresToJson({ revenue: 9_007_199_254_740_993_000_001n, views: 3, name: 'x' })).toBe(
    '{"revenue":9007199254740993.000001,"views":3,"name":"x"}',
  )
})
