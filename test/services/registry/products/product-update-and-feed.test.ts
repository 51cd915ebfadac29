import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { FeedElement } from '../../../../services/registry/feeds/items/item.ts'
import { offerFromItem } from '../../../../services/registry/feeds/items/offer-from-item.ts'
import { readEntries } from '../../../../services/registry/products/product-entries.ts'
import { tries } from '../../../effort.ts'

const feed = { shopId: 's', currency: 'EUR', lang: null }
const NOW = Date.UTC(2026, 5, 1)

const odd = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.constantFrom(
    'brak',
    '4006381333931',
    'new',
    '<b>x</b>',
    'javascript:alert(1)',
    'app://x',
    'https://a.example/ą',
    '',
  ),
  fc.string({ minLength: 90, maxLength: 800 }),
)
const product = fc.record(
  {
    id: fc.oneof(fc.string({ minLength: 1, maxLength: 10 }), odd),
    title: fc.oneof(fc.constant('Lamp'), odd),
    link: fc.oneof(fc.constant('https://a.example/'), odd),
    imageLink: fc.constantFrom('https://a.example/i', 'no address'),
    cents: fc.oneof(fc.integer({ min: 1, max: 10_000_000 }), fc.integer({ min: -5, max: 0 })),
    saleCents: fc.integer({ min: -5, max: 10_000_000 }),
    isAvailable: fc.boolean(),
    description: fc.oneof(odd, fc.string({ minLength: 4_900, maxLength: 5_100 })),
    brand: odd,
    gtin: odd,
    condition: odd,
    deepLink: odd,
    labels: fc.array(odd, { maxLength: 4 }),
    adult: fc.boolean(),
  },
  { requiredKeys: ['id', 'title', 'link', 'imageLink', 'cents', 'isAvailable'] },
)

const element = (name: string, text: string): FeedElement => ({
  space: 'google',
  name,
  text,
  children: [],
  href: null,
  rel: null,
  line: 1,
})
const euros = (cents: number) =>
  `${cents < 0 ? '-' : ''}${Math.floor(Math.abs(cents) / 100)}.${String(Math.abs(cents) % 100).padStart(2, '0')} EUR`

it('a product update and a feed that say the same of a product make the same offer, or the same refusal', () => {
  fc.assert(
    fc.property(product, ({ cents, saleCents, isAvailable, labels, adult, ...texts }) => {
      const update = {
        ...texts,
        feedId: 'f',
        price: cents / 100,
        isAvailable,
        ...(saleCents === undefined ? {} : { salePrice: saleCents / 100 }),
        ...(labels ? { labels } : {}),
        ...(adult === undefined ? {} : { adult }),
      }
      const { taken, rejected, warnings } = readEntries(
        [{ batchId: 'b', method: 'UPSERT', product: update }],
        new Map([['f', feed]]),
        NOW,
      )
      const names: Record<string, string> = { imageLink: 'image_link', deepLink: 'deep_link' }
      const elements = [
        ...Object.entries(texts).map(([name, text]) => element(names[name] ?? name, text)),
        element('price', euros(cents)),
        ...(saleCents === undefined ? [] : [element('sale_price', euros(saleCents))]),
        element('availability', isAvailable ? 'in stock' : 'out of stock'),
        ...(labels ?? []).map((label) => element('label', label)),
        ...(adult === undefined ? [] : [element('adult', adult ? 'yes' : 'no')]),
      ]
      const mapped = offerFromItem({ line: 1, elements, tooLarge: false }, { ...feed, feedId: 'f', now: NOW })
      expect(taken.length).toBe(mapped.offer ? 1 : 0)
      if (mapped.offer) {
        expect(taken[0]!.offer).toMatchObject(mapped.offer)
        expect(warnings.map(({ code }) => code).toSorted()).toEqual(mapped.issues.map(({ code }) => code).toSorted())
      } else {
        const first = mapped.issues.find(({ severity }) => severity === 'REJECTED')
        expect(rejected[0]!.code).toBe(first!.code)
      }
    }),
    { numRuns: tries(500, 5_000) },
  )
})
