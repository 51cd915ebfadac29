import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkOf } from '../../../../services/selection/candidates/filter-check.ts'
import { tries } from '../../../effort.ts'
import { catalogue, filterLists } from '../../../ports/product-index/arbitraries.ts'
import { satisfies } from '../../../ports/product-index/oracle.ts'
import { makeOffer } from '../world.ts'

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

it('reads the paths of a page once, and those of a product once for each filter', () => {
  const paths = Array.from({ length: 100 }, (_, i) => `Home > Lamps ${i}`)
  let reads = 0
  const filters = [
    {
      kind: 'categoryPaths' as const,
      get paths() {
        reads++
        return paths
      },
    },
    {
      kind: 'categoryNodes' as const,
      get anyOf() {
        reads++
        return paths.map((path) => [path])
      },
    },
  ]
  const checks = filters.map((filter) => checkOf([filter])!)
  const offer = makeOffer('shop', { id: 'p' })
  const product = {
    offer: {
      ...offer,
      get productTypes() {
        reads++
        return ['Home > Desks']
      },
    },
    campaignIds: [],
    signals: null,
  }
  for (let i = 0; i < 10; i++) for (const check of checks) expect(check(product)).toBe(false)
  expect(reads).toBe(2 + 2 * 10)
})

it('cannot tell by words', () => {
  expect(checkOf([{ kind: 'text', text: 'lamp', lang: 'en', minShare: 1, in: 'TITLE' }])).toBeNull()
})
