import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEmbeddedProductIndex } from '../../../infra/product-index/embedded/product-index.ts'
import type { Filter, IndexedProduct, ProductIndex } from '../../../infra/product-index/port.ts'
import type { Targeting } from '../../../schemas/http/targeting.ts'
import type { Campaign, SponsoredAlgorithm } from '../../../schemas/records/entities.ts'
import type { Emission } from '../../../schemas/records/events.ts'
import { spendKey, viewsKey } from '../../../services/domain/money/counter-keys.ts'
import { tries } from '../../effort.ts'
import { promotedOffer } from '../../infra/product-index/offer.fixture.ts'
import { matches } from './brute-force-index.ts'
import { createWorld, NOW, type World } from './world.ts'

/** Words that no language's stemmer changes. */
const WORDS = ['zorb', 'kint', 'plav', 'drum', 'glop', 'vext', 'hult', 'brip']
const TREE = [
  'Alfa > Bravo > Charlie',
  'Alfa > Bravo',
  'Alfa > Delta > Charlie',
  'Echo > Bravo',
  'Echo > Foxtrot > Golf',
]
const CID = 'person'
const OFFERS = 300

const words = (max: number) =>
  fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: max }).map((w) => w.join(' '))
const sometimes = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 2 })

const offer = fc.record({
  title: words(4),
  description: sometimes(words(5)),
  brand: sometimes(fc.constantFrom('Acme', 'Böse', 'Cord')),
  color: sometimes(fc.constantFrom('rot', 'Rot', 'blau')),
  productTypes: fc.subarray(TREE, { maxLength: 2 }),
  priceMicros: fc.integer({ min: 1, max: 40 }).map((n) => n * 1_000_000),
  salePriceMicros: sometimes(fc.integer({ min: 1, max: 40 }).map((n) => n * 1_000_000)),
  currency: fc.constantFrom('EUR', 'EUR', 'EUR', 'PLN'),
  lang: sometimes(fc.constantFrom('en', 'de')),
  isAvailable: fc.constantFrom(true, true, true, false),
  itemGroupId: sometimes(fc.constantFrom('g1', 'g2', 'g3', 'g4')),
  productId: sometimes(fc.integer({ min: 1, max: 60 }).map((n) => `P${n}`)),
  gtin: sometimes(fc.integer({ min: 1, max: 60 }).map((n) => `${4_006_381_333_000 + n}`)),
  campaigns: fc.array(fc.nat(11), { minLength: 0, maxLength: 3 }),
  seen: sometimes(fc.record({ views: fc.nat(5_000), clicks: fc.nat(400) })),
})

const targeting = fc.record(
  {
    algorithm: fc.constantFrom<SponsoredAlgorithm>(
      'BESTSELLERS',
      'CONTEXT_MATCH',
      'CONTEXT_MATCH_WIDE',
      'EXACT_PRODUCT_ID',
      'SIMILAR_TITLES',
      'SIMILAR_TITLES_WIDE',
      'SIMILAR_CATEGORIES',
    ),
    adCount: fc.constantFrom(1, 2, 4, 10, 100),
    searchData: words(3),
    productTitle: words(3),
    priceMin: fc.integer({ min: 0, max: 30 }),
    priceMax: fc.integer({ min: 10, max: 40 }),
    brand: fc.constantFrom('acme', 'Böse'),
    currency: fc.constantFrom('EUR', 'pln'),
    lang: fc.constantFrom('en', 'de'),
    categoryPaths: fc.subarray(['alfa', 'Alfa>Bravo', ...TREE], { minLength: 1, maxLength: 2 }),
    categoryIds: fc.subarray(['Charlie', 'Alfa > Charlie', 'bravo'], { minLength: 1, maxLength: 2 }),
    attributes: fc.constantFrom([{ name: 'color', value: 'Rot' }]),
    excludedShopProductIds: fc.subarray(
      Array.from({ length: OFFERS }, (_, i) => `p${i + 1}`),
      { maxLength: 40 },
    ),
    productIds: fc.subarray(['P1', 'P2', 'P3', ...Array.from({ length: 90 }, (_, i) => `p${i + 1}`)], { minLength: 1 }),
    adType: fc.constantFrom('ALL', 'SPONSORED', 'AUTOPROMO'),
  },
  { requiredKeys: ['algorithm', 'adCount', 'searchData', 'productTitle', 'productIds', 'adType'] },
)
type Asked = Partial<Targeting> & { algorithm: SponsoredAlgorithm; adCount: number }

let folder: string
let index: ProductIndex
let world: World
const campaigns: { id: string; body: Campaign; eligible: boolean }[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'selection-'))
  index = await openEmbeddedProductIndex({ folder })
  world = await createWorld({ index })
  const kinds: [Partial<Campaign>, eligible: boolean][] = [
    [{ cpcMicros: 500_000 }, true],
    [{ cpcMicros: 400_000 }, true],
    [{ cpcMicros: 300_000 }, true],
    [{ cpcMicros: 300_000, capping: 1 }, true],
    [{ cpcMicros: 10_000 }, true],
    [{ autoPromo: true }, true],
    [{ autoPromo: true, cpcMicros: 0, budgetMicros: 0 }, true],
    [{ cpcMicros: 9_000 }, false],
    [{ budgetMicros: 5_000_000 }, false],
    [{ status: 'PAUSED' }, false],
    [{ endAt: NOW }, false],
    [{ startAt: NOW + 1 }, false],
  ]
  for (const [changes, eligible] of kinds) {
    // All requests have the same time, so all that they show is in flight together.
    const id = world.campaign({ budgetMicros: 1_000_000_000_000, ...changes })
    campaigns.push({ id, eligible, body: world.snapshot.body('Campaign', id)! })
  }
  world.counters.set(spendKey(world.counters.shardOf(campaigns[8]!.id), campaigns[8]!.id), 4_999_999)
  for (const { campaigns: promoted, seen, ...fields } of fc.sample(offer, { numRuns: OFFERS, seed: 42 })) {
    world.offer(
      [...new Set(promoted)].map((i) => campaigns[i]!.id),
      fields,
      seen,
    )
  }
  for (const { offer } of world.products.filter((_, i) => i % 3 === 0)) {
    world.counters.set(seenKey(campaigns[3]!.id, offer.id), 1)
  }
  await index.write(
    world.products.flatMap(({ offer, campaignIds, signals }) => [
      ...promotedOffer(offer, campaignIds),
      ...(signals ? [{ kind: 'signals' as const, version: 1, signals }] : []),
    ]),
  )
  await index.refresh()
  await world.refreshed()
})
afterAll(async () => {
  await world.close()
  await index.close()
  await rm(folder, { recursive: true })
})

/** The filters that the contract promises for a request, written again from its text. */
function promised(asked: Asked): Filter[] {
  const { algorithm: name } = asked
  const filters: Filter[] = [{ kind: 'available' }]
  const text = (text: string, minShare: number, within: 'ALL_FIELDS' | 'TITLE') =>
    filters.push({ kind: 'text', text, lang: 'en', minShare, in: within })
  if (name === 'BESTSELLERS' || name === 'CONTEXT_MATCH') text(asked.searchData!, 1, 'ALL_FIELDS')
  if (name === 'CONTEXT_MATCH_WIDE') text(asked.searchData!, 0, 'ALL_FIELDS')
  if (name === 'BESTSELLERS' || name === 'SIMILAR_TITLES') text(asked.productTitle!, 0.3, 'TITLE')
  if (name === 'SIMILAR_TITLES_WIDE') text(asked.productTitle!, 0, 'ALL_FIELDS')
  if (name === 'EXACT_PRODUCT_ID') filters.push({ kind: 'ids', ids: asked.productIds! })
  if (asked.excludedShopProductIds) filters.push({ kind: 'excludeIds', ids: asked.excludedShopProductIds })
  if (asked.brand) filters.push({ kind: 'brand', anyOf: [asked.brand] })
  if (asked.currency) filters.push({ kind: 'currency', currency: asked.currency })
  if (asked.lang) filters.push({ kind: 'lang', lang: asked.lang })
  for (const { name, value } of asked.attributes ?? []) filters.push({ kind: 'attribute', name, anyOf: [value] })
  if (asked.categoryPaths) filters.push({ kind: 'categoryPaths', paths: asked.categoryPaths })
  if (asked.categoryIds) filters.push({ kind: 'categoryNodes', anyOf: asked.categoryIds.map((id) => id.split('>')) })
  const micros = (amount?: number) => (amount === undefined ? null : amount * 1_000_000)
  filters.push({ kind: 'price', minMicros: micros(asked.priceMin), maxMicros: micros(asked.priceMax) })
  return filters
}

function mayShow(product: IndexedProduct, asked: Asked): boolean {
  if (asked.algorithm.startsWith('SIMILAR') && product.offer.title === asked.productTitle) return false
  if (asked.attributes?.some(({ value }) => product.offer.color !== value)) return false
  return promised(asked).every((filter) => matches(product, filter)) && promoters(product, asked).length > 0
}

const seenKey = (campaignId: string, adId: string) =>
  viewsKey(world.counters.shardOf(campaignId), 'cid', { campaignId, adId }, '2026-05-01', CID)

function promoters({ offer, campaignIds }: IndexedProduct, { adType }: Asked) {
  return campaigns.filter(({ id, body, eligible }) => {
    if (!eligible || !campaignIds.includes(id)) return false
    if (adType !== 'ALL' && body.autoPromo !== (adType === 'AUTOPROMO')) return false
    return body.capping === null || world.counters.amountOf(seenKey(id, offer.id)) < body.capping
  })
}

/** The click rate as the reports' documentation says: as if there were two more clicks, and views for them at 0.4 %. */
function clickRate({ signals }: IndexedProduct): number {
  const { views, clicks } = signals ?? { views: 0, clicks: 0 }
  return (Math.min(views, clicks) + 2) / (views + 500)
}
const key = ({ offer }: IndexedProduct) => [offer.itemGroupId, offer.productId, offer.gtin, offer.id].find(Boolean)!
const askedFor = fc.oneof(
  targeting,
  targeting.map(({ categoryPaths: _, categoryIds: __, ...rest }) => rest),
) as fc.Arbitrary<Asked>

async function ask(slots: Asked[]) {
  const body = slots.map(({ algorithm, ...rest }) => ({
    ...rest,
    slotHash: world.unit(algorithm),
    ...(algorithm === 'SIMILAR_CATEGORIES' && !rest.categoryIds
      ? { categoryPaths: rest.categoryPaths ?? ['alfa'] }
      : {}),
  }))
  const answer = await world.ads(body, { headers: { cid: CID } })
  return answer.map((ads) => ads.map((ad) => world.products.find(({ offer }) => offer.id === ad.shopProductId)!))
}
const withCategories = (asked: Asked): Asked =>
  asked.algorithm === 'SIMILAR_CATEGORIES' && !asked.categoryIds && !asked.categoryPaths
    ? { ...asked, categoryPaths: ['alfa'] }
    : asked

describe('over a random catalogue, whatever is asked', () => {
  it('no ad is outside its filters, none is missing while there is room, and no product comes twice', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(askedFor.map(withCategories), { minLength: 1, maxLength: 3 }), async (slots) => {
        world.counters.forgetReservations()
        const answer = await ask(slots)
        const taken = new Set<string>()
        for (const [i, shown] of answer.entries()) {
          const asked = slots[i]!
          const possible = world.products.filter((product) => mayShow(product, asked) && !taken.has(key(product)))
          for (const product of shown) expect(possible).toContain(product)
          const keys = shown.map(key)
          expect(new Set(keys).size).toBe(keys.length)
          expect(shown.length).toBe(Math.min(asked.adCount, new Set(possible.map(key)).size))
          for (const k of keys) taken.add(k)
        }
      }),
      { numRuns: tries(300, 3_000) },
    )
  })

  it('places go by rank and cost the second price', async () => {
    const listed = fc.record({
      algorithm: fc.constant<SponsoredAlgorithm>('EXACT_PRODUCT_ID'),
      adCount: fc.integer({ min: 1, max: 6 }),
      productIds: fc.subarray(
        Array.from({ length: 90 }, (_, i) => `p${i + 1}`),
        { minLength: 1 },
      ),
      adType: fc.constant<'SPONSORED'>('SPONSORED'),
    })
    await fc.assert(
      fc.asyncProperty(listed, async (asked) => {
        const before = (await world.emissions()).length
        world.counters.forgetReservations()
        await ask([asked])
        const emission: Emission = (await world.emissions())[before]!
        const bids = world.products
          .filter((product) => mayShow(product, asked))
          .flatMap((product) =>
            promoters(product, asked).map(({ id, body }) => {
              const rate = clickRate(product)
              return { product, campaignId: id, rate, rank: rate * body.cpcMicros }
            }),
          )
        const above = new Set<string>()
        for (const ad of emission.slots[0]!.ads) {
          const open = bids.filter(({ product }) => !above.has(key(product)))
          // Everything is listed, so everything is equally relevant.
          const won = open.find(
            ({ product, campaignId }) => product.offer.id === ad.adId && campaignId === ad.campaignId,
          )!
          expect(won.rank).toBeCloseTo(Math.max(...open.map(({ rank }) => rank)), 6)
          const rivals = open.filter(({ campaignId }) => campaignId !== ad.campaignId)
          const price = Math.max(10_000, ...rivals.map(({ rank }) => rank / won.rate))
          expect(Math.abs(ad.priceMicros - price)).toBeLessThanOrEqual(1)
          above.add(key(world.products.find(({ offer }) => offer.id === ad.adId)!))
        }
      }),
      { numRuns: tries(100, 1_000) },
    )
  })
})
