import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkOf } from '../../../../services/selection/candidates/filter-check.ts'
import { tries } from '../../../effort.ts'
import { catalogue, filterLists } from '../../../ports/product-index/arbitraries.ts'
import { satisfies } from '../../../ports/product-index/oracle.ts'

it('a filter check passes the offers that the index finds, or leaves the decision to the index', () => {
  let told = 0
  fc.assert(
    fc.property(catalogue, filterLists, (products, filters) => {
      const check = checkOf(filters)
      if (check === null) return
      told += 1
      for (const product of products) {
        expect(check(product)).toBe(filters.every((filter) => satisfies(product, filter)))
      }
    }),
    { numRuns: tries(500, 5_000) },
  )
  expect(told).toBeGreaterThan(100)
})

it('cannot tell by words', () => {
  expect(checkOf([{ kind: 'text', text: 'lamp', lang: 'en', minShare: 1, in: 'TITLE' }])).toBeNull()
})
