import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openEmbeddedProductIndex } from '../../../../infra/product-index/embedded/product-index.ts'
import type { IndexWrite, ProductIndex, ProductQuery } from '../../../../infra/product-index/port.ts'
import { tries } from '../../../effort.ts'
import { signalsOf } from '../../../ports/product-index/world.ts'
import { anOffer } from '../offer.fixture.ts'

const WORDS = ['lamp', 'chair', 'desk']

let folder: string
let index: ProductIndex
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'revision-'))
  index = await openEmbeddedProductIndex({ folder })
})
afterAll(async () => {
  await index.close()
  rmSync(folder, { recursive: true })
})

const common: ProductQuery = {
  ...{ shopId: 'a', filters: [], rank: { by: 'none' }, limit: 100, tieSeed: 1, priorClickRate: 0.004 },
  campaigns: [
    { campaignIds: ['c'], weight: 1 },
    { campaignIds: ['d'], weight: 2 },
  ],
}
const queries: ProductQuery[] = [
  common,
  { ...common, filters: [{ kind: 'available' }], rank: { by: 'popularity' } },
  { ...common, rank: { by: 'categories', paths: ['Home > Light'] } },
  { ...common, filters: [{ kind: 'ids', ids: ['1', '2'] }] },
  { ...common, filters: [{ kind: 'excludeIds', ids: ['1'] }] },
  ...WORDS.map((text): ProductQuery => {
    return { ...common, filters: [{ kind: 'text', text, lang: null, minShare: 1, in: 'ALL_FIELDS' }] }
  }),
]

interface Change {
  shopId: string
  id: string
  what: 'offer' | 'remove' | 'promotions' | 'signals'
  words: string[]
  number: number
}
const change: fc.Arbitrary<Change> = fc.record({
  shopId: fc.constantFrom('a', 'b'),
  id: fc.constantFrom('1', '2', '3'),
  what: fc.constantFrom('offer', 'remove', 'promotions', 'signals'),
  words: fc.subarray(WORDS),
  number: fc.integer({ min: 0, max: 3 }),
})

function writeOf({ shopId, id, what, words, number }: Change, version: number): IndexWrite {
  const key = { shopId, feedId: 'feed', id, version }
  switch (what) {
    case 'offer': {
      const productTypes = number > 1 ? ['Home > Light'] : []
      const fields = { title: words.join(' '), isAvailable: number > 0, productTypes }
      return { kind: 'offer', version, offer: anOffer({ shopId, id, ...fields }) }
    }
    case 'remove':
      return { kind: 'remove', ...key }
    case 'promotions':
      return { kind: 'promotions', ...key, offerVersion: version, campaignIds: ['c', 'd', 'e'].slice(0, number) }
    case 'signals':
      return { kind: 'signals', version, signals: { ...signalsOf(id, { popularity: number }), shopId } }
  }
}

test('while the revision of a shop stays the same, every search of the shop finds the same', async () => {
  // Words that no offer of any shop has would be understood as others.
  const always = anOffer({ shopId: 'b', id: 'always', title: WORDS.join(' ') })
  await index.write([{ kind: 'offer', version: 0, offer: always }])
  let version = 0
  const look = async () => {
    const found = await index.search(queries)
    return found.map(({ hits }) => hits.map(({ product, relevance }) => ({ ...product, relevance })))
  }
  let same = 0
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(change, { minLength: 1, maxLength: 3 }), { maxLength: 8 }), async (batches) => {
      await index.refresh()
      for (const batch of batches) {
        const before = { revision: index.revision('a'), found: await look() }
        await index.write(batch.map((each) => writeOf(each, ++version)))
        await index.refresh()
        if (index.revision('a') !== before.revision) continue
        same++
        expect(await look()).toEqual(before.found)
      }
    }),
    { numRuns: tries(60, 2_000) },
  )
  expect(same).toBeGreaterThan(0)
})
