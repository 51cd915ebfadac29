import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Account } from '../../../../schemas/records/accounts.ts'
import { type Promoter, PromoterIndex } from '../../../../services/domain/campaign/promoter-index.ts'
import { promotes } from '../../../../services/domain/campaign/promotion.ts'
import { tries } from '../../../effort.ts'
import { anOffer } from '../../../infra/product-index/offer.fixture.ts'
import { campaignBody } from '../../../streams/judge/fixtures.ts'

const some = (...values: string[]) => fc.subarray(values)
const price = fc.option(fc.integer({ min: 1, max: 4 }))
const account: fc.Arbitrary<Account | null> = fc.option(
  fc.record({
    kind: fc.constantFrom('PUBLISHER' as const, 'ADVERTISER' as const),
    name: fc.constant('a'),
    companyName: fc.constant('a'),
    taxNumber: fc.constant(''),
    sellerIds: some('s1', 's2'),
    displayEnabled: fc.constant(false),
  }),
)
const products = fc.oneof(
  fc.record({ productIds: fc.array(fc.constantFrom('p1', 'p2', 'p3')), productRule: fc.constant(null) }),
  fc.record({
    productIds: fc.constant(null),
    productRule: fc.record({
      brands: some('Acme', ' ACME', 'other'),
      categoryPaths: some('Home', 'home >light', 'Garden', ' > '),
      labels: some('sale', 'new'),
      sellerIds: some('s1', 's3'),
      priceMinMicros: price,
      priceMaxMicros: price,
    }),
  }),
  fc.constant({ productIds: null, productRule: null }),
)
const promoter: fc.Arbitrary<Promoter> = fc
  .record({
    id: fc.constantFrom('z', 'a', 'm', 'k', 'b'),
    shopId: fc.constantFrom('shop', 'other'),
    kind: fc.constantFrom('SPONSORED' as const, 'SPONSORED' as const, 'DISPLAY' as const),
    products,
    account,
  })
  .map(({ id, shopId, kind, products, account }) => ({
    id,
    campaign: campaignBody({ shopId, kind, ...products }),
    account,
  }))
const offer = fc
  .record({
    shopId: fc.constantFrom('shop', 'other'),
    id: fc.constantFrom('p1', 'p2', 'p3'),
    brand: fc.option(fc.constantFrom('ACME', 'Other')),
    productTypes: some('Home > Light > Lamp', 'home>garden', 'Garden'),
    labels: fc.array(fc.constantFrom('sale', 'new')),
    externalSellerId: fc.option(fc.constantFrom('s1', 's2', 's3')),
    priceMicros: fc.integer({ min: 1, max: 4 }),
  })
  .map(anOffer)

test('however campaigns came, changed and left, an offer is promoted by exactly those whose rules say so, in order', () => {
  const change = fc.oneof(promoter, promoter, promoter, fc.constantFrom('z', 'a', 'm', 'k', 'b'))
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), fc.array(offer, { maxLength: 10 }), (changes, offers) => {
      const index = new PromoterIndex()
      const present = new Map<string, Promoter>()
      for (const each of changes) {
        if (typeof each === 'string') {
          index.delete(each)
          present.delete(each)
        } else {
          index.set(each)
          present.set(each.id, each)
        }
      }
      for (const each of offers) {
        const expected = [...present.values()].filter(({ campaign, account }) => promotes(campaign, account, each))
        expect(index.promotersOf(each)).toEqual(expected.map(({ id }) => id).sort())
      }
    }),
    { numRuns: tries(300, 5_000) },
  )
})
