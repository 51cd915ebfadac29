import fc from 'fast-check'
import type { Filter, IndexedProduct } from '../../../infra/product-index/port.ts'
import { anOffer, shippingTo } from '../../infra/product-index/offer.fixture.ts'

/** Small catalogues with few words, so that filters often match and often do not. */

const word = fc.constantFrom(
  'lamp',
  'Lamps',
  'red',
  'Café',
  'usb-c',
  'USB',
  '16 GB',
  '16gb',
  'rtx 2060',
  'dv7-12',
  '17"',
  'for',
  "men's",
  'wi-fi',
)
const phrase = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '))
const level = fc.constantFrom('Home', 'home ', 'Light', 'TV & Video', 'Électro', 'electro')
const path = fc
  .array(level, { minLength: 1, maxLength: 4 })
  .map((levels) => levels.join(fc.sample(fc.constantFrom('>', ' > '), { numRuns: 1, seed: levels.length })[0]))
const brand = fc.constantFrom('Acme', 'ACME ', 'B & W', 'Łódź')
const value = fc.constantFrom('Red', 'red', 'L', '3 kg', '3  KG', 'true', 'no', 'x=y')
const name = fc.constantFrom('color', 'size', 'Weight', 'weight', 'bluetooth', 'a=b', 'adult')
const label = fc.constantFrom('sale', 'Sale', 'new in')
const id = fc.constantFrom('1', '2', '3', 'a', 'A', 'x/1')
/** Of `de` and `del`, one begins like the other. */
const lang = fc.constantFrom(null, 'en', 'de', 'en-GB', 'del')
const country = fc.constantFrom('DE', 'pl')
const cents = fc.integer({ min: 1, max: 5 })
const few = <T>(values: fc.Arbitrary<T>) => fc.array(values, { maxLength: 2 })
const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null })

const product: fc.Arbitrary<IndexedProduct> = fc
  .record({
    feedId: fc.constantFrom('f1', 'f2'),
    id,
    productId: orNull(id),
    title: phrase,
    description: orNull(phrase),
    brand: orNull(brand),
    priceMicros: cents,
    salePriceMicros: orNull(cents),
    currency: fc.constantFrom('EUR', 'eur', 'PLN'),
    isAvailable: fc.boolean(),
    lang,
    productTypes: few(path),
    labels: few(label),
    color: orNull(value),
    size: orNull(value),
    adult: orNull(fc.boolean()),
    externalSellerId: orNull(fc.constantFrom('s1', 'S1')),
    productDetails: few(fc.record({ sectionName: fc.constant(null), attributeName: name, attributeValue: value })),
    shipping: few(orNull(country)).map((countries) => countries.map((each) => shippingTo(each))),
  })
  .chain((fields) =>
    fc.subarray(['c', 'd']).map((campaignIds) => ({ offer: anOffer(fields), campaignIds, signals: null })),
  )

export const catalogue = fc.uniqueArray(product, {
  maxLength: 12,
  selector: ({ offer }) => `${offer.feedId}/${offer.id}`,
})

const filter: fc.Arbitrary<Filter> = fc.oneof(
  fc.constant<Filter>({ kind: 'available' }),
  fc.record({
    kind: fc.constant('text' as const),
    text: phrase,
    lang,
    minShare: fc.constantFrom(0, 0.3, 0.5, 1),
    in: fc.constantFrom('ALL_FIELDS' as const, 'TITLE' as const),
  }),
  few(path).map((paths): Filter => ({ kind: 'categoryPaths', paths })),
  few(few(level)).map((anyOf): Filter => ({ kind: 'categoryNodes', anyOf })),
  fc.record({ kind: fc.constant('price' as const), minMicros: orNull(cents), maxMicros: orNull(cents) }),
  few(brand).map((anyOf): Filter => ({ kind: 'brand', anyOf })),
  fc.constantFrom('EUR', 'pln').map((currency): Filter => ({ kind: 'currency', currency })),
  fc.constantFrom('en', 'DE').map((each): Filter => ({ kind: 'lang', lang: each })),
  fc.constantFrom('de', 'PL', 'FR').map((each): Filter => ({ kind: 'country', country: each })),
  fc.record({ kind: fc.constant('attribute' as const), name, anyOf: few(value) }),
  few(label).map((anyOf): Filter => ({ kind: 'labels', anyOf })),
  few(fc.constantFrom('s1', 'S1', 's2')).map((anyOf): Filter => ({ kind: 'sellers', anyOf })),
  fc.constantFrom('f1', 'f2', 'f3').map((feedId): Filter => ({ kind: 'feed', feedId })),
  few(id).map((ids): Filter => ({ kind: 'ids', ids })),
  few(id).map((ids): Filter => ({ kind: 'excludeIds', ids })),
  fc.constantFrom('c', 'd', 'e').map((campaignId): Filter => ({ kind: 'campaign', campaignId })),
)

/** Most lists are short, so that offers are found. */
export const filterLists = fc.oneof(
  { weight: 3, arbitrary: fc.array(filter, { maxLength: 1 }) },
  fc.array(filter, { maxLength: 3 }),
)
