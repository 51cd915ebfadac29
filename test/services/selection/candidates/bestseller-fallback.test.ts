import { expect, test } from 'vitest'
import type { ProductQuery, SearchResult } from '../../../../infra/product-index/port.ts'
import { createBestsellerFallback } from '../../../../services/selection/candidates/bestseller-fallback.ts'

const NOTHING: SearchResult = { hits: [], bestFit: 0, truncated: false, runnerUp: null }

/** The bestsellers of three shops, and the shops that the index was asked for. @param before runs before each answer. */
function ofThreeShops(before: (shopId: string) => Promise<void>) {
  const asked: string[] = []
  const fallback = createBestsellerFallback({
    async search([query]: readonly ProductQuery[]) {
      asked.push(query!.shopId)
      await before(query!.shopId)
      return [NOTHING]
    },
    campaigns: { running: () => ({ groups: [{ campaignIds: ['c'], weight: 1 }] }) as never },
    traffic: { clickRate: () => 0.01 },
    candidatesOf: () => [],
  })
  for (const shopId of ['a', 'b', 'c']) fallback.note(shopId)
  return { fallback, asked }
}

test('a shop whose bestsellers cannot be fetched holds up no other, and is tried again', async () => {
  let failing = ['a']
  const { fallback, asked } = ofThreeShops(async (shopId) => {
    if (failing.includes(shopId)) throw new Error('away')
  })
  await expect(fallback.refresh()).rejects.toThrow('away')
  await expect(fallback.refresh()).rejects.toThrow('away')
  failing = []
  await fallback.refresh()
  await fallback.refresh()
  expect(asked).toEqual(['a', 'b', 'c', 'a', 'a'])
})

test('an index that takes longer than the time between two refreshes is asked for each shop once', async () => {
  const answers = Promise.withResolvers<void>()
  const { fallback, asked } = ofThreeShops(() => answers.promise)
  const refreshes = Array.from({ length: 3 }, () => fallback.refresh())
  answers.resolve()
  await Promise.all(refreshes)
  expect(asked).toEqual(['a', 'b', 'c'])
})
