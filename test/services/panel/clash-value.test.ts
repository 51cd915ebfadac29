import { expect, it } from 'vitest'
import { clashValue } from '../../../services/panel/web/components/form/clashes/clash-value.ts'

const NO_RULE = { brands: [], categoryPaths: [], labels: [], sellerIds: [], priceMin: '', priceMax: '' }
const NO_TARGETING = { phrases: [], categoryPaths: [], brands: [], productIds: [], profiles: [], refererPatterns: [] }

it.each([
  ['name', 'Lamps', 'Lamps'],
  ['budget', 1234.5, '1,234.5'],
  ['autoPromo', false, 'off'],
  ['endAt', '2026-12-24T18:30', 'Dec 24, 2026, 6:30 PM'],
  ['endAt', '', 'empty'],
  ['attributionProductIds', ['P1', 'P2'], 'P1, P2'],
  [
    'targeting',
    { ...NO_TARGETING, phrases: ['lamp', 'light'], brands: ['Solvik'] },
    'Search phrases: lamp, light; Brands: Solvik',
  ],
  ['targeting', NO_TARGETING, 'empty'],
  ['products', { ids: ['P1'], rule: NO_RULE }, 'Product IDs: P1'],
  ['products', { ids: [], rule: { ...NO_RULE, labels: ['sale'], priceMax: 35 } }, 'Labels: sale; Price to: 35'],
])('shows the value of %s that two people have changed', (field, value, shown) => {
  expect(clashValue(field, value)).toBe(shown)
})

it('shows the first 20 values of a list and how many more there are', () => {
  const ids = Array.from({ length: 23 }, (_, i) => `P${i + 1}`)
  expect(clashValue('attributionProductIds', ids)).toBe(`${ids.slice(0, 20).join(', ')} and 3 others`)
})

it.each([
  ['password', 'a-secret-of-mine'],
  ['pacing', 'ASAP'],
  ['adFormatIds', ['01a2']],
  ['banners', [{ id: 'b1', adFormatId: 'f1' }]],
  // An ad unit has codes in a field of the same name.
  ['targeting', ['searchData']],
])('leaves the value of %s to the form', (field, value) => {
  expect(clashValue(field, value)).toBeNull()
})
