import { describe, expect, it } from 'vitest'
import type { ProductOffer } from '../../../../schemas/records/records.ts'
import { dedupeKey, digest, offerKey, withDigest } from '../../../../services/domain/catalogue/offer.ts'
import { readEntries } from '../../../../services/registry/products/product-entries.ts'
import { shippingTo } from '../../../infra/product-index/offer.fixture.ts'

const feed = { shopId: 's', currency: 'EUR', lang: 'de' }
const product = {
  feedId: 'f',
  id: 'p',
  title: 't',
  price: 1,
  isAvailable: true,
  link: 'https://a.example',
  imageLink: 'https://a.example',
}
const { taken } = readEntries([{ batchId: 'b', method: 'UPSERT', product }], new Map([['f', feed]]), 5)
const offer: ProductOffer = {
  ...taken[0]!.offer!,
  shipping: [shippingTo('DE', '1 EUR')],
  certification: [
    { certificationAuthority: 'EC', certificationName: null, certificationCode: null, certificationValue: null },
  ],
  productDetails: [{ sectionName: null, attributeName: 'a', attributeValue: 'v' }],
  customParameters: { a: '1', b: '2' },
}

/** Versions of the value with one part changed at a time. */
function variants(value: unknown): unknown[] {
  if (Array.isArray(value))
    return [[...value, 'x'], ...value.flatMap((item, i) => variants(item).map((v) => value.with(i, v)))]
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, part]) =>
      variants(part).map((variant) => ({ ...value, [name]: variant })),
    )
  }
  return [typeof value === 'number' ? value + 1 : typeof value === 'boolean' ? !value : `${value}x`]
}

describe('offers', () => {
  it('have keys that no two offers share', () => {
    expect(offerKey('s', 'f', 'a/b')).toBe('s/f/a/b')
  })

  it('have another digest when anything that they say is another', () => {
    const { digest: _digest, updatedAt: _updatedAt, ...content } = offer
    const changed = variants(content) as ProductOffer[]
    expect(changed.length).toBeGreaterThan(45)
    expect(new Set(changed.map(digest))).not.toContain(digest(offer))
  })

  it('have the same digest in any order of properties, and at any time', () => {
    const reversed = (value: object) => Object.fromEntries(Object.entries(value).toReversed())
    const again = {
      ...reversed(offer),
      shipping: offer.shipping.map(reversed),
      customParameters: reversed(offer.customParameters),
    }
    expect(withDigest({ ...(again as unknown as ProductOffer), updatedAt: 9 }).digest).toBe(digest(offer))
  })
})

it.each([
  [{ itemGroupId: 'group', productId: 'product', gtin: 'gtin', id: 'id' }, 'group'],
  [{ itemGroupId: null, productId: 'product', gtin: 'gtin', id: 'id' }, 'product'],
  [{ itemGroupId: '', productId: '', gtin: 'gtin', id: 'id' }, 'gtin'],
  [{ itemGroupId: null, productId: null, gtin: null, id: 'id' }, 'id'],
])('the dedupe key of %j is %s', (offer, key) => {
  expect(dedupeKey(offer)).toBe(key)
})
