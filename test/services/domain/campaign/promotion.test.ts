import { describe, expect, test } from 'vitest'
import type { Account } from '../../../../schemas/records/accounts.ts'
import type { Campaign } from '../../../../schemas/records/entities.ts'
import type { ProductOffer } from '../../../../schemas/records/records.ts'
import { promotes } from '../../../../services/domain/campaign/promotion.ts'
import { anOffer } from '../../../infra/product-index/offer.fixture.ts'
import { campaignBody } from '../../../streams/judge/fixtures.ts'

const publisher: Account = {
  kind: 'PUBLISHER',
  name: 'Shop',
  companyName: 'Shop',
  taxNumber: '1',
  sellerIds: [],
  displayEnabled: false,
}
const advertiser: Account = { ...publisher, kind: 'ADVERTISER', sellerIds: ['s1', 's2'] }
const rule = (fields: Partial<NonNullable<Campaign['productRule']>> = {}): Partial<Campaign> => ({
  productIds: null,
  productRule: {
    brands: [],
    categoryPaths: [],
    labels: [],
    sellerIds: [],
    priceMinMicros: null,
    priceMaxMicros: null,
    ...fields,
  },
})
const offer = (fields: Partial<ProductOffer> = {}) => anOffer({ shopId: 'shop', ...fields })
const holds = (campaign: Partial<Campaign>, of: ProductOffer, account: Account | null = publisher) =>
  promotes(campaignBody({ shopId: 'shop', ...campaign }), account, of)

describe('a campaign promotes', () => {
  test('the feed ids it lists, in its shop', () => {
    expect(holds({ productIds: ['p1', 'p2'] }, offer({ id: 'p2' }))).toBe(true)
    expect(holds({ productIds: ['p1', 'p2'] }, offer({ id: 'p3', productId: 'p1' }))).toBe(false)
    expect(holds({ productIds: ['p1'] }, offer({ id: 'p1', shopId: 'other' }))).toBe(false)
  })

  test('what satisfies everything its rule sets, with any value of a list', () => {
    const lamp = offer({
      brand: ' ACME',
      productTypes: ['Home > Light > Lamp'],
      labels: ['sale'],
      externalSellerId: 's1',
      priceMicros: 10,
      salePriceMicros: 5,
    })
    expect(holds(rule(), lamp)).toBe(true)
    expect(holds(rule({ brands: ['other', 'acme'] }), lamp)).toBe(true)
    expect(holds(rule({ categoryPaths: ['home>light'] }), lamp)).toBe(true)
    expect(holds(rule({ categoryPaths: ['light'] }), lamp)).toBe(false)
    expect(holds(rule({ labels: ['Sale'] }), lamp)).toBe(false)
    expect(holds(rule({ priceMinMicros: 5, priceMaxMicros: 5 }), lamp)).toBe(true)
    expect(holds(rule({ priceMinMicros: 6 }), lamp)).toBe(false)
    expect(holds(rule({ brands: ['acme'], sellerIds: ['s2'] }), lamp)).toBe(false)
    expect(holds(rule({ brands: ['acme'] }), offer())).toBe(false)
  })

  test('for an advertiser, only what its own sellers sell', () => {
    expect(holds({ productIds: ['p1'] }, offer({ externalSellerId: 's2' }), advertiser)).toBe(true)
    expect(holds({ productIds: ['p1'] }, offer({ externalSellerId: 's3' }), advertiser)).toBe(false)
    expect(holds({ productIds: ['p1'] }, offer(), advertiser)).toBe(false)
    expect(holds(rule(), offer({ externalSellerId: 's1' }), advertiser)).toBe(true)
    expect(holds(rule(), offer(), advertiser)).toBe(false)
  })

  test('nothing without its account, and no product as a display campaign', () => {
    expect(holds({ productIds: ['p1'] }, offer(), null)).toBe(false)
    expect(holds({ kind: 'DISPLAY', productIds: ['p1'] }, offer())).toBe(false)
    expect(holds({ productIds: null, productRule: null }, offer())).toBe(false)
  })
})
