import { expect, test } from 'vitest'
import type { ProductQuery, SearchResult } from '../../../../infra/product-index/port.ts'
import { createBestsellerFallback } from '../../../../services/selection/candidates/bestseller-fallback.ts'

const NOTHING: SearchResult = { hits: [], bestFit: 0, truncated: false, runnerUp: null }

test('a shop whose bestsellers cannot be fetched holds up no other, and is tried again', async () => {
  const asked: string[] = []
  let failing = ['a']
  const fallback = createBestsellerFallback({
    async search([query]: readonly ProductQuery[]) {
      asked.push(query!.shopId)
      if (failing.includes(query!.shopId)) throw new Error('away')
      return [NOTHING]
    },
    campaigns: { running: () => ({ groups: [{ campaignIds: ['c'], weight: 1 }] }) as never },
    traffic: { clickRate: () => 0.01 },
    candidatesOf: () => [],
  })
  for (const shopId of ['a', 'b', 'c']) fallback.note(shopId)
  await expect(fallback.refresh()).rejects.toThrow('away')
  await expect(fallback.refresh()).rejects.toThrow('away')
  failing = []
  await fallback.refresh()
  await fallback.refresh()
  expect(asked).toEqual(['a', 'b', 'c', 'a', 'a'])
})
