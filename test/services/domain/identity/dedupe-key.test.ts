import { expect, it } from 'vitest'
import { dedupeKey } from '../../../../services/domain/identity/dedupe-key.ts'

it.each([
  [{ itemGroupId: 'group', productId: 'product', gtin: 'gtin', id: 'id' }, 'group'],
  [{ itemGroupId: null, productId: 'product', gtin: 'gtin', id: 'id' }, 'product'],
  [{ itemGroupId: '', productId: '', gtin: 'gtin', id: 'id' }, 'gtin'],
  [{ itemGroupId: null, productId: null, gtin: null, id: 'id' }, 'id'],
])('the dedupe key of %j is %s', (offer, key) => {
  expect(dedupeKey(offer)).toBe(key)
})
