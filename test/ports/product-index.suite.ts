import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type {
  Filter,
  IndexWrite,
  ProductIndex,
  ProductQuery,
  Rank,
  SearchResult,
} from '../../infra/product-index/port.ts'
import type { ProductOffer, ProductSignals } from '../../schemas/records/records.ts'
import { parseSynonyms } from '../../services/domain/catalogue/shop-synonyms.ts'
import { tries } from '../effort.ts'
import { anOffer } from '../infra/product-index/offer.fixture.ts'
import { catalogue, filterLists } from './product-index.arbitraries.ts'
import { satisfies } from './product-index.oracle.ts'

/** What every implementation of ProductIndex must hold. */
export interface ProductIndexSubject {
  /** Opens an empty index for one test. */
  open(): Promise<ProductIndex>
  /** Closes and opens the same index again, as after a restart. */
  reopen(index: ProductIndex): Promise<ProductIndex>
  /** Removes what it stored. */
  dispose(index: ProductIndex): Promise<void>
}

const offerWrite = (offer: ProductOffer, version = 1): IndexWrite => ({ kind: 'offer', version, offer })
const removal = (id: string, version: number): IndexWrite => ({
  kind: 'remove',
  version,
  shopId: 'shop',
  feedId: 'feed',
  id,
})
const promotion = (id: string, campaignIds: string[], version = 1, feedId = 'feed'): IndexWrite => ({
  kind: 'promotions',
  version,
  shopId: 'shop',
  feedId,
  id,
  campaignIds,
})
const signalsOf = (id: string, fields: Partial<ProductSignals> = {}): ProductSignals => ({
  shopId: 'shop',
  id,
  popularity: 0,
  views: 0,
  clicks: 0,
  alsoBought: [],
  computedAt: 1,
  ...fields,
})
const signalsWrite = (id: string, fields: Partial<ProductSignals> = {}, version = 1): IndexWrite => ({
  kind: 'signals',
  version,
  signals: signalsOf(id, fields),
})
const query = (fields: Partial<ProductQuery> = {}): ProductQuery => ({
  shopId: 'shop',
  filters: [],
  rank: { by: 'none' },
  campaigns: [{ campaignIds: ['c'], weight: 1 }],
  limit: 100,
  priorClickRate: 0.004,
  tieSeed: 1,
  ...fields,
})
const idsOf = (result: SearchResult | undefined) => result!.hits.map((hit) => hit.product.offer.id)

export function productIndexSuite(subject: ProductIndexSubject): void {
  let index: ProductIndex
  beforeEach(async () => {
    index = await subject.open()
  })
  afterEach(() => subject.dispose(index))

  /** Writes and makes visible; every offer is promoted by campaign c. */
  async function given(...offers: Partial<ProductOffer>[]) {
    const made = offers.map(anOffer)
    await index.write(made.flatMap((offer) => [offerWrite(offer), promotion(offer.id, ['c'], 1, offer.feedId)]))
    await index.refresh()
  }
  const find = async (...filters: Filter[]) => idsOf((await index.search([query({ filters })]))[0]).sort()
  const ranked = async (fields: Partial<ProductQuery>) => idsOf((await index.search([query(fields)]))[0])

  describe('versions', () => {
    test('nothing to write is done', async () => {
      expect(await index.write([])).toBe(0)
    })

    test('an older or equal version of an offer is ignored, a newer one replaces it', async () => {
      expect(await index.write([offerWrite(anOffer({ title: 'five' }), 5)])).toBe(1)
      expect(
        await index.write([offerWrite(anOffer({ title: 'same' }), 5), offerWrite(anOffer({ title: 'old' }), 4)]),
      ).toBe(0)
      await index.refresh()
      expect((await index.get('shop', ['p1']))[0]!.offer.title).toBe('five')
      expect(await index.write([offerWrite(anOffer({ title: 'six' }), 6)])).toBe(1)
      await index.refresh()
      expect((await index.get('shop', ['p1']))[0]!.offer.title).toBe('six')
    })

    test('the parts of a document have versions of their own', async () => {
      await index.write([offerWrite(anOffer(), 9), promotion('p1', ['c'], 1), signalsWrite('p1', { popularity: 3 }, 2)])
      expect(await index.write([promotion('p1', ['old'], 1), signalsWrite('p1', { popularity: 1 }, 2)])).toBe(0)
      await index.refresh()
      const [product] = await index.get('shop', ['p1'])
      expect(product).toEqual({ offer: anOffer(), campaignIds: ['c'], signals: signalsOf('p1', { popularity: 3 }) })
    })

    test('promotions and signals that come before the offer are kept until it comes', async () => {
      await index.write([promotion('p1', ['c']), signalsWrite('p1', { popularity: 7 })])
      await index.refresh()
      expect(await index.get('shop', ['p1'])).toEqual([])
      expect(await find()).toEqual([])
      expect(await index.count('shop', [])).toBe(0)
      await index.write([offerWrite(anOffer())])
      await index.refresh()
      const [hit] = (await index.search([query()]))[0]!.hits
      expect(hit!.product.campaignIds).toEqual(['c'])
      expect(hit!.product.signals!.popularity).toBe(7)
    })

    test('signals belong to the product id in every feed of the shop', async () => {
      await index.write([
        offerWrite(anOffer({ feedId: 'a' })),
        offerWrite(anOffer({ feedId: 'b' })),
        signalsWrite('p1', { popularity: 7 }),
      ])
      await index.refresh()
      expect((await index.get('shop', ['p1'])).map((product) => product.signals?.popularity)).toEqual([7, 7])
    })

    test('a removed offer is found no more, and a late older one does not bring it back', async () => {
      await given({ id: 'p1', title: 'lamp' })
      await index.write([removal('p1', 5)])
      await index.write([offerWrite(anOffer({ id: 'p1', title: 'lamp' }), 4)])
      await index.refresh()
      expect(await find({ kind: 'text', text: 'lamp', lang: null, minShare: 1, in: 'ALL_FIELDS' })).toEqual([])
      expect(await index.get('shop', ['p1'])).toEqual([])
      expect(await index.digests('shop', 'feed', null, 10)).toEqual([])
      await index.write([offerWrite(anOffer({ id: 'p1', title: 'lamp' }), 6)])
      await index.refresh()
      expect(await find()).toEqual(['p1'])
    })

    test('a removal that comes before the offer holds too', async () => {
      await index.write([removal('p1', 5), offerWrite(anOffer(), 4)])
      await index.refresh()
      expect(await index.get('shop', ['p1'])).toEqual([])
    })

    test('an offer whose words change is found by the new ones only', async () => {
      await given({ title: 'green lamp', brand: 'Acme', productTypes: ['Home > Light'] })
      const text = (word: string): Filter => ({ kind: 'text', text: word, lang: null, minShare: 1, in: 'ALL_FIELDS' })
      expect(await find(text('lamp'))).toEqual(['p1'])
      await index.write([
        offerWrite(anOffer({ title: 'green chair', brand: 'Other', productTypes: ['Home > Seats'] }), 2),
      ])
      await index.refresh()
      expect(await find(text('lamp'))).toEqual([])
      expect(await find(text('chair'))).toEqual(['p1'])
      expect(await find(text('green'))).toEqual(['p1'])
      expect(await find({ kind: 'brand', anyOf: ['Acme'] })).toEqual([])
      expect(await find({ kind: 'categoryPaths', paths: ['Home > Light'] })).toEqual([])
      expect(await find({ kind: 'categoryPaths', paths: ['Home'] })).toEqual(['p1'])
    })

    test('words that offers had before, and versions of one offer, do not make a word known', async () => {
      const text = (word: string): Filter => ({ kind: 'text', text: word, lang: null, minShare: 1, in: 'ALL_FIELDS' })
      await given({ id: 'a', title: 'zeppelin' }, { id: 'b', title: 'lantern' }, { id: 'c', title: 'lantern' })
      for (const version of [2, 3]) {
        await index.write([offerWrite(anOffer({ id: 'a', title: 'zeppelin' }), version)])
        await index.refresh()
      }
      expect(await find(text('zepelin'))).toEqual([])
      await index.write([offerWrite(anOffer({ id: 'a', title: 'lanterm' }), 4)])
      await index.refresh()
      expect(await index.similarTerms(['zepelin'])).toEqual([[]])
      expect(await find(text('lanterm'))).toEqual(['a'])
      await index.write([offerWrite(anOffer({ id: 'a', title: 'zeppelin' }), 5)])
      await index.refresh()
      expect(await find(text('lanterm'))).toEqual(['b', 'c'])
      expect(await index.similarTerms(['lanterm'])).toEqual([[{ term: 'lantern', offers: 2 }]])
    })
  })

  describe('visibility', () => {
    test('a write is visible within a second without a refresh', async () => {
      await index.write([offerWrite(anOffer()), promotion('p1', ['c'])])
      await expect.poll(() => find(), { interval: 50 }).toEqual(['p1'])
    })

    test('what was written is there after a restart, words, promotions, signals and versions', async () => {
      await given({ title: 'lamp', labels: ['Sale'] })
      await index.write([signalsWrite('p1', { popularity: 2 }), removal('gone', 8)])
      index = await subject.reopen(index)
      await index.refresh()
      expect(
        await find(
          { kind: 'text', text: 'lamp', lang: null, minShare: 1, in: 'TITLE' },
          { kind: 'labels', anyOf: ['Sale'] },
        ),
      ).toEqual(['p1'])
      expect((await index.get('shop', ['p1']))[0]!.signals!.popularity).toBe(2)
      expect(await index.write([offerWrite(anOffer({ id: 'gone' }), 7)])).toBe(0)
      await index.write([offerWrite(anOffer({ title: 'chair' }), 2)])
      await index.refresh()
      expect(await find({ kind: 'text', text: 'lamp', lang: null, minShare: 1, in: 'TITLE' })).toEqual([])
    })

    test('shops are those that have offers, in order', async () => {
      await index.write([
        ...['b', 'a', 'c'].map((shopId) => offerWrite(anOffer({ shopId, feedId: 'feed', id: '1' }))),
        { kind: 'remove', version: 2, shopId: 'c', feedId: 'feed', id: '1' },
        { kind: 'promotions', version: 1, shopId: 'd', feedId: 'feed', id: '1', campaignIds: ['x'] },
      ])
      await index.refresh()
      expect(await index.shops()).toEqual(['a', 'b'])
    })

    test('clear removes everything, versions too', async () => {
      await given({ title: 'lamp' }, { id: 'p2' })
      await index.write([signalsWrite('p1')])
      await index.clear()
      expect(await index.count('shop', [])).toBe(0)
      expect(await find()).toEqual([])
      expect(await index.write([offerWrite(anOffer({ title: 'chair' }), 1), promotion('p1', ['c'])])).toBe(2)
      await index.refresh()
      expect(await find()).toEqual(['p1'])
      expect(await find({ kind: 'text', text: 'lamp', lang: null, minShare: 1, in: 'TITLE' })).toEqual([])
      expect((await index.get('shop', ['p1']))[0]!.signals).toBeNull()
    })
  })

  describe('filters', () => {
    test('words are stemmed, accents and units folded, compounds found by part and whole', async () => {
      await given(
        { id: 'hp', title: 'HP Pavilion dv7-1211ea Notebook 43.2 cm (17") 16 GB' },
        { id: 'cream', title: 'Crème brûlée cups for two', description: 'With running shoes' },
      )
      const words = (text: string, minShare = 1, where: 'ALL_FIELDS' | 'TITLE' = 'ALL_FIELDS') =>
        find({ kind: 'text', text, lang: 'en', minShare, in: where })
      for (const text of ['dv7', 'dv7-1211ea', 'DV71211EA', '16gb notebooks', '17 inch pavilion', '17"']) {
        expect([text, await words(text)]).toEqual([text, ['hp']])
      }
      for (const text of ['creme brulee', 'cup for the two', 'run shoe crème']) {
        expect([text, await words(text)]).toEqual([text, ['cream']])
      }
      expect(await words('running', 1, 'TITLE')).toEqual([])
      expect(await words('cups notebook')).toEqual([])
      expect(await words('cups notebook', 0.5)).toEqual(['cream', 'hp'])
      expect(await words('cups notebook of', 0)).toEqual(['cream', 'hp'])
      expect(await words('?!', 0)).toEqual([])
    })

    test('words are found as misspelt, written apart or together, and by another name of the same kind', async () => {
      await given(
        { id: 'a', title: 'Wireless headphones' },
        { id: 'b', title: 'Wireless mouse with mouse pad' },
        { id: 'c', title: 'Smartwatch' },
        { id: 'd', title: 'Notebook pad' },
      )
      const words = (text: string, where: 'ALL_FIELDS' | 'TITLE' = 'ALL_FIELDS', lang = 'en') =>
        find({ kind: 'text', text, lang, minShare: 1, in: where })
      expect(await words('wireles')).toEqual(['a', 'b'])
      expect(await words('wireles', 'TITLE')).toEqual(['a', 'b'])
      expect(await words('wierless head phones')).toEqual(['a'])
      expect(await words('wirelesspad')).toEqual(['b'])
      expect(await words('smart watch')).toEqual(['c'])
      expect(await words('laptop pad')).toEqual(['d'])
      // A word that only one offer has may itself be misspelt; what nothing resembles is not found.
      expect(await words('smartwatsh')).toEqual([])
      expect(await words('xylophone')).toEqual([])
    })

    test('an offer is analysed in its language, or in the one that its write names', async () => {
      await index.write([
        offerWrite(anOffer({ id: 'de', title: 'Häuser', lang: 'de' })),
        promotion('de', ['c']),
        { kind: 'offer', version: 1, offer: anOffer({ id: 'none', title: 'Häuser' }), textLang: 'de' },
        promotion('none', ['c']),
      ])
      await index.refresh()
      expect(await find({ kind: 'text', text: 'Haus', lang: 'de', minShare: 1, in: 'TITLE' })).toEqual(['de', 'none'])
    })

    test('category paths hold their own level and below; nodes hold in order with gaps', async () => {
      await given(
        { id: 'tv', productTypes: ['Electronics >  TV & Video>OLED'] },
        { id: 'cam', productTypes: ['Électronics > Camera', 'Sale'] },
      )
      expect(await find({ kind: 'categoryPaths', paths: ['electronics'] })).toEqual(['cam', 'tv'])
      expect(await find({ kind: 'categoryPaths', paths: ['ELECTRONICS>TV & video', 'nothing'] })).toEqual(['tv'])
      expect(await find({ kind: 'categoryPaths', paths: ['TV & Video'] })).toEqual([])
      expect(await find({ kind: 'categoryPaths', paths: [' > '] })).toEqual([])
      expect(await find({ kind: 'categoryNodes', anyOf: [['oled'], ['sale']] })).toEqual(['cam', 'tv'])
      expect(await find({ kind: 'categoryNodes', anyOf: [['Electronics', 'OLED']] })).toEqual(['tv'])
      expect(await find({ kind: 'categoryNodes', anyOf: [['OLED', 'Electronics']] })).toEqual([])
      expect(await find({ kind: 'categoryNodes', anyOf: [['Camera', 'Sale'], []] })).toEqual([])
    })

    test('attributes are feed fields and product details, any value of a name', async () => {
      const detail = (attributeName: string, attributeValue: string) => ({
        sectionName: null,
        attributeName,
        attributeValue,
      })
      await given(
        {
          id: 'a',
          color: 'Café  au lait',
          adult: true,
          productDetails: [detail('Weight', '3 kg'), detail('Plug=Type', 'F')],
        },
        { id: 'b', color: 'red', productDetails: [detail('weight', '4 KG')] },
      )
      expect(await find({ kind: 'attribute', name: 'color', anyOf: [' cafe au LAIT '] })).toEqual(['a'])
      expect(await find({ kind: 'attribute', name: 'WEIGHT', anyOf: ['3 kg', '4 kg'] })).toEqual(['a', 'b'])
      expect(await find({ kind: 'attribute', name: 'weight', anyOf: ['3'] })).toEqual([])
      expect(await find({ kind: 'attribute', name: 'adult', anyOf: ['true'] })).toEqual(['a'])
      expect(await find({ kind: 'attribute', name: 'plug', anyOf: ['type=f'] })).toEqual([])
    })

    test('price is the sale price when there is one, bounds included', async () => {
      await given({ id: 'sale', priceMicros: 10, salePriceMicros: 5 }, { id: 'full', priceMicros: 10 })
      expect(await find({ kind: 'price', minMicros: 5, maxMicros: 5 })).toEqual(['sale'])
      expect(await find({ kind: 'price', minMicros: 6, maxMicros: null })).toEqual(['full'])
      expect(await find({ kind: 'price', minMicros: null, maxMicros: null })).toEqual(['full', 'sale'])
    })

    test('ids are feed ids or product ids, told apart by case; exclusion is by feed id', async () => {
      await given({ id: 'A', productId: 'x' }, { id: 'a', productId: 'A' }, { id: 'b/1', productId: null })
      expect(await find({ kind: 'ids', ids: ['A'] })).toEqual(['A', 'a'])
      expect(await find({ kind: 'ids', ids: ['b/1', 'x', 'nothing'] })).toEqual(['A', 'b/1'])
      expect(await find({ kind: 'ids', ids: [] })).toEqual([])
      expect(await find({ kind: 'excludeIds', ids: ['A', 'x'] })).toEqual(['a', 'b/1'])
    })

    test('every kind and combination selects exactly what it says', async () => {
      await fc.assert(
        fc.asyncProperty(catalogue, fc.array(filterLists, { minLength: 8, maxLength: 8 }), async (products, lists) => {
          await index.clear()
          await index.write(
            products.flatMap(({ offer, campaignIds }) => [
              offerWrite(offer),
              promotion(offer.id, campaignIds, 1, offer.feedId),
            ]),
          )
          await index.refresh()
          for (const filters of lists) {
            const expected = products.filter((product) =>
              filters.every((filter) => satisfies(product, filter, products)),
            )
            const ids = expected.map(({ offer }) => `${offer.feedId}/${offer.id}`).sort()
            const scanned = await index.scan({ shopId: 'shop', filters, after: null, limit: 100 })
            expect(scanned.map(({ offer }) => `${offer.feedId}/${offer.id}`)).toEqual(ids)
            expect(await index.count('shop', filters)).toBe(ids.length)
            const campaigns = [{ campaignIds: ['c', 'd'], weight: 1 }]
            const [result] = await index.search([query({ filters, campaigns })])
            const promoted = expected.filter(({ campaignIds }) => campaignIds.length > 0)
            const found = result!.hits.map(({ product: { offer } }) => `${offer.feedId}/${offer.id}`)
            expect(found.sort()).toEqual(promoted.map(({ offer }) => `${offer.feedId}/${offer.id}`).sort())
          }
        }),
        { numRuns: tries(25, 250) },
      )
    })
  })

  describe('ranking', () => {
    test('text: more of the words, rarer words and the title come first; relevance is 1 at the top and above 0', async () => {
      await given(
        { id: 'both', title: 'wireless mouse' },
        { id: 'one', title: 'wireless keyboard' },
        { id: 'deep', title: 'keyboard', description: 'works with a wireless mouse' },
        { id: 'none', title: 'desk' },
      )
      const rank = { by: 'text', text: 'wireless mouse', lang: 'en' } as const
      const [{ hits }] = (await index.search([query({ rank })])) as [SearchResult]
      expect(hits.map((hit) => hit.product.offer.id)).toEqual(['both', 'deep', 'one', 'none'])
      expect(hits[0]!.relevance).toBe(1)
      for (const { relevance } of hits) expect(relevance).toBeGreaterThan(0)
    })

    test('text: words that follow one another fit better than the same words apart', async () => {
      await given(
        { id: 'apart', title: 'phone with leather strap case' },
        { id: 'together', title: 'leather strap with phone case' },
      )
      expect(await ranked({ rank: { by: 'text', text: 'phone case', lang: 'en' } })).toEqual(['together', 'apart'])
    })

    test('categories: the longer the common path, the better', async () => {
      await given(
        { id: 'far', productTypes: ['A'] },
        { id: 'near', productTypes: ['X', 'A > B > D'] },
        { id: 'same', productTypes: ['A > B > C'] },
      )
      const [{ hits }] = (await index.search([query({ rank: { by: 'categories', paths: ['a > b > c', 'X'] } })])) as [
        SearchResult,
      ]
      expect(hits.map((hit) => hit.product.offer.id)).toEqual(['same', 'near', 'far'])
      expect(hits.map((hit) => hit.relevance)).toEqual([1, 2 / 3, 1 / 3])
    })

    test('text: offers with the words as typed come before those that say the same otherwise', async () => {
      await given(
        { id: 'other', title: 'Smartwatch' },
        { id: 'typed', title: 'Strap of leather for a very thin smart watch in black' },
        { id: 'name', title: 'Television' },
        { id: 'tv', title: 'Wall mount for a flat and large tv' },
        { id: 'others', title: 'Solid drive of a state' },
        { id: 'ssd', title: 'Adapter cable in black for ssd' },
      )
      const found = (text: string) =>
        ranked({
          filters: [{ kind: 'text', text, lang: 'en', minShare: 1, in: 'ALL_FIELDS' }],
          rank: { by: 'text', text, lang: 'en' },
        })
      expect(await found('smart watch')).toEqual(['typed', 'other'])
      expect(await found('tv')).toEqual(['tv', 'name'])
      expect(await found('ssd')).toEqual(['ssd', 'others'])
    })

    test('text and categories weigh equally', async () => {
      await given(
        { id: 'text', title: 'lamp', productTypes: ['B'] },
        { id: 'both', title: 'lamp', productTypes: ['A'] },
        { id: 'neither', title: 'desk' },
      )
      expect(await ranked({ rank: { by: 'textAndCategories', text: 'lamp', lang: null, paths: ['A'] } })).toEqual([
        'both',
        'text',
        'neither',
      ])
    })

    test('popularity: what sells more comes first', async () => {
      await given({ id: 'a' }, { id: 'b' }, { id: 'c' })
      await index.write([signalsWrite('b', { popularity: 9 }), signalsWrite('c', { popularity: 5 })])
      await index.refresh()
      expect(await ranked({ rank: { by: 'popularity' } })).toEqual(['b', 'c', 'a'])
    })

    test('only what one of the campaigns promotes is found, by the best weight among them', async () => {
      await index.write([
        ...['p1', 'p2', 'p3', 'p4'].map((id) => offerWrite(anOffer({ id }))),
        promotion('p1', ['low', 'high']),
        promotion('p2', ['middle']),
        promotion('p3', ['low']),
        promotion('p4', ['other']),
      ])
      await index.refresh()
      const campaigns = [
        { campaignIds: ['low', 'unknown'], weight: 1 },
        { campaignIds: ['high'], weight: 3 },
        { campaignIds: ['middle'], weight: 2 },
      ]
      expect(await ranked({ campaigns })).toEqual(['p1', 'p2', 'p3'])
      expect(await ranked({ campaigns, limit: 1 })).toEqual(['p1'])
      expect(await ranked({ campaigns: [] })).toEqual([])
      await index.write([promotion('p3', ['high'], 2), promotion('p1', [], 2)])
      await index.refresh()
      expect(await ranked({ campaigns })).toEqual(['p3', 'p2'])
    })

    test('what is clicked more often comes first, what nobody has seen where it is believed to', async () => {
      await given({ id: 'often', title: 'lamp' }, { id: 'seldom' }, { id: 'new', title: 'lamp' })
      const signals = { views: 1_000, popularity: 1 }
      await index.write([
        signalsWrite('often', { ...signals, clicks: 40 }),
        signalsWrite('seldom', { ...signals, clicks: 4, views: 10_000 }),
        promotion('seldom', ['dear'], 2),
      ])
      await index.refresh()
      const at = (priorClickRate: number, weight = 1) =>
        ranked({
          priorClickRate,
          campaigns: [
            { campaignIds: ['c'], weight: 1 },
            { campaignIds: ['dear'], weight },
          ],
        })
      expect(await at(0.004)).toEqual(['often', 'new', 'seldom'])
      expect(await at(0.1)).toEqual(['new', 'often', 'seldom'])
      expect(await at(0.004, 1_000)).toEqual(['seldom', 'often', 'new'])
      await index.write([signalsWrite('often', { ...signals, clicks: 0 }, 2)])
      await index.refresh()
      expect(await at(0.004)).toEqual(['new', 'often', 'seldom'])
      // How well it fits is another thing.
      const results = await index.search([
        query({ rank: { by: 'popularity' } }),
        query({ rank: { by: 'text', text: 'lamp', lang: null } }),
      ])
      const fits = results.map(({ hits }) => hits.map(({ relevance }) => relevance))
      expect(fits).toEqual([
        [1, expect.closeTo(0.00001 / Math.log(2), 8)],
        [1, 1],
      ])
    })

    test('a lift multiplies the click rate of a product in one query, and changes nothing of how well it fits', async () => {
      await given({ id: 'a', title: 'lamp' }, { id: 'b', title: 'lamp' }, { id: 'c', title: 'lamp for the desk' })
      await index.write([signalsWrite('a', { views: 1_000, clicks: 8, popularity: 1 })])
      await index.write([signalsWrite('b', { views: 1_000, clicks: 6, popularity: 1 })])
      await index.refresh()
      const rank: Rank = { by: 'text', text: 'lamp desk', lang: 'en' }
      const at = (lifts: Record<string, number>) => query({ rank, lifts: new Map(Object.entries(lifts)) })
      const [plain, up, down, other] = await index.search([at({}), at({ b: 2 }), at({ c: 0.01, a: 0.5 }), at({ x: 3 })])
      expect([plain, up, down, other].map(idsOf)).toEqual([
        ['c', 'a', 'b'],
        ['c', 'b', 'a'],
        ['b', 'a', 'c'],
        ['c', 'a', 'b'],
      ])
      const fitOf = ({ hits }: SearchResult) =>
        hits.map(({ product, relevance }) => [product.offer.id, expect.closeTo(relevance, 4)]).sort()
      expect(fitOf(up!)).toEqual(fitOf(plain!))
      expect(fitOf(down!)).toEqual(fitOf(plain!))
    })

    test('a list of campaigns weighs as before once everything was removed and written again', async () => {
      const campaigns = [
        { campaignIds: ['low'], weight: 1 },
        { campaignIds: ['high'], weight: 3 },
      ]
      const written = async (...promoted: [string, string][]) => {
        await index.clear()
        await index.write(promoted.flatMap(([id, by]) => [offerWrite(anOffer({ id })), promotion(id, [by])]))
        await index.refresh()
        return ranked({ campaigns })
      }
      expect(await written(['a', 'low'], ['b', 'high'], ['c', 'other'])).toEqual(['b', 'a'])
      expect(await written(['c', 'other'], ['a', 'high'], ['b', 'low'])).toEqual(['a', 'b'])
    })

    test('weight multiplies relevance', async () => {
      await given({ id: 'fits', title: 'lamp' }, { id: 'pays', title: 'desk', description: 'for a lamp' })
      await index.write([promotion('pays', ['rich'], 2)])
      await index.refresh()
      const rank = { by: 'text', text: 'lamp', lang: null } as const
      const at = (weight: number) =>
        ranked({
          rank,
          campaigns: [
            { campaignIds: ['c'], weight: 1 },
            { campaignIds: ['rich'], weight },
          ],
        })
      expect(await at(1)).toEqual(['fits', 'pays'])
      expect(await at(100)).toEqual(['pays', 'fits'])
    })

    test('the same fit is the same number whatever other campaigns promote', async () => {
      await given(
        { id: 'both', title: 'wireless mouse', productTypes: ['A > B'] },
        { id: 'one', title: 'wireless keyboard', productTypes: ['A'] },
        { id: 'none', title: 'desk' },
      )
      const rivals = ['one', 'none']
      await index.write([
        ...rivals.map((id) => promotion(id, ['c', 'rival'], 2)),
        ...['both', ...rivals].map((id, i) => signalsWrite(id, { popularity: 100 / (i + 1) })),
      ])
      await index.refresh()
      const text = { text: 'wireless mouse', lang: 'en' }
      const ranks: Rank[] = [
        { by: 'text', ...text },
        { by: 'categories', paths: ['a > b'] },
        { by: 'textAndCategories', ...text, paths: ['a > b'] },
        { by: 'popularity' },
        { by: 'none' },
      ]
      for (const rank of ranks) {
        const results = await index.search([
          query({ rank }),
          query({ rank, campaigns: [{ campaignIds: ['rival'], weight: 7 }] }),
        ])
        const fits = results.map(({ hits, bestFit }) =>
          rivals.map((id) => hits.find(({ product }) => product.offer.id === id)!.relevance * bestFit),
        )
        for (const [i, fit] of fits[0]!.entries()) expect(fits[1]![i]).toBeCloseTo(fit, 5)
        expect(Math.max(...results[1]!.hits.map(({ relevance }) => relevance))).toBe(1)
      }
      expect(await index.search([query({ campaigns: [] })])).toEqual([
        { hits: [], bestFit: 0, truncated: false, runnerUp: null },
      ])
    })

    test('equals turn with the seed: the same seed, the same order; each comes first at times', async () => {
      await given(...Array.from({ length: 6 }, (_, n) => ({ id: `p${n}` })))
      expect(await ranked({ tieSeed: 7 })).toEqual(await ranked({ tieSeed: 7 }))
      const firsts = new Set<string>()
      for (let tieSeed = 0; tieSeed < 60; tieSeed++) firsts.add((await ranked({ tieSeed, limit: 1 }))[0]!)
      expect(firsts.size).toBe(6)
    })

    test('a result is truncated when more matched than the limit', async () => {
      await given({ id: 'a' }, { id: 'b' }, { id: 'c' })
      const results = await index.search([
        query({ limit: 2 }),
        query({ limit: 3 }),
        query({ limit: 2, filters: [{ kind: 'ids', ids: ['a'] }] }),
      ])
      expect(results.map((result) => [result.hits.length, result.truncated])).toEqual([
        [2, true],
        [3, false],
        [1, false],
      ])
    })

    test.each([
      [
        'ja',
        'ワイヤレスマウス 無線2.4GHz',
        ['マウス', '無線の マウス', 'ワイヤレスマウス', '2.4 GHz マウス'],
        ['マウ', '有線マウス'],
      ],
      ['zh', '华为手机充电器 5000mAh', ['充电器', '手机充电', '5000 mah', '手机 充电器'], ['电脑', '手机壳']],
      ['th', 'เมาส์ไร้สาย Logi M185', ['เมาส์', 'ไร้สาย m185', 'เมาส์ไร้สาย'], ['หูฟัง']],
    ])('words of a script without spaces are found: %s', async (lang, title, finding, missing) => {
      await given({ id: 'a', title, lang }, { id: 'b', title: 'Plain mouse', lang })
      const asked = (text: string) => find({ kind: 'text', text, lang, minShare: 1, in: 'ALL_FIELDS' })
      for (const text of finding) expect([text, await asked(text)]).toEqual([text, ['a']])
      for (const text of missing) expect([text, await asked(text)]).toEqual([text, []])
    })

    test("the shop's synonyms are followed by filter and rank, after what was typed", async () => {
      await given({ id: 'a', title: 'red sofa' }, { id: 'b', title: 'red settee' }, { id: 'c', title: 'grey chair' })
      const asked = (text: string, lines: string, rules = parseSynonyms(lines, 'en').rules) =>
        ranked({
          filters: [{ kind: 'text', text, lang: null, minShare: 1, in: 'ALL_FIELDS' }],
          rank: { by: 'text', text, lang: null },
          synonyms: rules,
        })
      expect(await asked('red settee', '')).toEqual(['b'])
      expect(await asked('red settee', 'sofa, settee')).toEqual(['b', 'a'])
      expect(await asked('red sofa', 'sofa, settee')).toEqual(['a', 'b'])
      expect(await asked('red sofa', 'settee => sofa')).toEqual(['a'])
      expect(await asked('davenport', 'davenport => grey chair')).toEqual(['c'])
      // A misspelt word finds the synonyms of what it was meant to be.
      await given(
        { id: 'd', title: 'blue sofa' },
        { id: 'e', title: 'blue settee' },
        { id: 'f', title: 'green settee' },
      )
      expect(await asked('setee', 'settee => chair')).toEqual(expect.arrayContaining(['b', 'c', 'e', 'f']))
    })

    test('without campaigns every offer is found, promoted or not', async () => {
      await given({ id: 'a', title: 'lamp' }, { id: 'b', title: 'lamp of oak' })
      await index.write([promotion('a', [], 2)])
      await index.refresh()
      const rank = { by: 'text', text: 'lamp', lang: null } as const
      expect(await ranked({ rank })).toEqual(['b'])
      expect(await ranked({ rank, campaigns: null })).toEqual(['a', 'b'])
      expect(await ranked({ rank, campaigns: [] })).toEqual([])
    })

    test('queries of one call are answered in order, each by itself, and shops are kept apart', async () => {
      await given({ id: 'a' }, { id: 'b', shopId: 'other' })
      await index.write([
        { kind: 'promotions', version: 1, shopId: 'other', feedId: 'feed', id: 'b', campaignIds: ['c'] },
      ])
      await index.refresh()
      const results = await index.search([query(), query({ shopId: 'other' }), query({ shopId: 'nowhere' })])
      expect(results.map(idsOf)).toEqual([['a'], ['b'], []])
      expect(await index.search([])).toEqual([])
    })
  })

  describe('reading', () => {
    test('get finds by feed id and by product id, in the shop alone', async () => {
      await given({ id: 'a', productId: 'g' }, { id: 'b', productId: 'g' }, { id: 'c', shopId: 'other' })
      const ids = async (...wanted: string[]) =>
        (await index.get('shop', wanted)).map((product) => product.offer.id).sort()
      expect(await ids('a')).toEqual(['a'])
      expect(await ids('g')).toEqual(['a', 'b'])
      expect(await ids('c', 'nothing')).toEqual([])
    })

    test('scan goes through all pages in the order of the key, each offer once', async () => {
      const offers = ['z', 'a/1', 'a', 'm', 'B'].flatMap((id) => [
        anOffer({ id, feedId: 'f1' }),
        anOffer({ id, feedId: 'f2' }),
      ])
      await given(...offers, { id: 'x', feedId: 'f1', isAvailable: false })
      const seen: string[] = []
      for (let after: string | null = null; ; ) {
        const page = await index.scan({ shopId: 'shop', filters: [{ kind: 'available' }], after, limit: 3 })
        if (page.length === 0) break
        seen.push(...page.map(({ offer }) => `${offer.feedId}/${offer.id}`))
        after = seen.at(-1)!
      }
      expect(seen).toEqual(offers.map((offer) => `${offer.feedId}/${offer.id}`).sort())
    })

    test('sellers are counted by their offers, through every change of them', async () => {
      const sellers = (contains = '', anyOf: string[] | null = null, limit = 10) =>
        index.sellers({ shopId: 'shop', contains, anyOf, limit })
      await given(
        { id: 'a', externalSellerId: 'Nord.1' },
        { id: 'b', externalSellerId: 'Nord.1' },
        { id: 'c', externalSellerId: 'Süd' },
        { id: 'd', externalSellerId: 'nordx1' },
        { id: 'e', externalSellerId: null },
        { id: 'f', externalSellerId: 'Elsewhere', shopId: 'other' },
      )
      const [nord, sued, nordx] = [
        { sellerId: 'Nord.1', offers: 2 },
        { sellerId: 'Süd', offers: 1 },
        { sellerId: 'nordx1', offers: 1 },
      ]
      expect(await sellers()).toEqual([nord, sued, nordx])
      expect(await sellers('', null, 1)).toEqual([nord])
      expect(await sellers('NORD')).toEqual([nord, nordx])
      expect(await sellers('d.1')).toEqual([nord])
      expect(await sellers('', ['Süd', 'Nobody'])).toEqual([sued])
      expect(await sellers('', [])).toEqual([])

      const moved = anOffer({ id: 'a', externalSellerId: 'Süd' })
      await index.write([offerWrite(moved, 2), offerWrite(moved, 2), removal('b', 2), removal('d', 2)])
      await index.refresh()
      expect(await sellers()).toEqual([{ sellerId: 'Süd', offers: 2 }])
      await index.write([offerWrite(anOffer({ id: 'b', externalSellerId: 'Nord.1' }), 1), offerWrite(moved, 3)])
      await index.refresh()
      expect(await sellers()).toEqual([{ sellerId: 'Süd', offers: 2 }])
      index = await subject.reopen(index)
      expect(await sellers()).toEqual([{ sellerId: 'Süd', offers: 2 }])
      await index.clear()
      await index.refresh()
      expect(await sellers()).toEqual([])
    })

    test('similar terms are told for those that no offer has, nearest first', async () => {
      const titles = ['zeppelin red', 'zeppelin blue', 'zeppelen', 'lamp', 'lamb', 'notebook']
      await given(...titles.map((title, at) => ({ id: `p${at}`, title })))
      const similar = async (...terms: string[]) =>
        (await index.similarTerms(terms)).map((found) => found.map(({ term }) => term))
      expect(await similar('zepelin', 'lamp', 'lamo', 'notbok', 'seppelin', 'xyz', 'la')).toEqual([
        ['zeppelin', 'zeppelen'],
        [],
        ['lamb', 'lamp'],
        ['notebook'],
        [],
        [],
        [],
      ])
      expect(await index.similarTerms([])).toEqual([])
    })

    test('digests page through one feed by id', async () => {
      await given({ id: 'b' }, { id: 'a' }, { id: 'c' }, { id: 'd', feedId: 'other' })
      const first = await index.digests('shop', 'feed', null, 2)
      expect(first).toEqual([
        { id: 'a', digest: 'digest of a' },
        { id: 'b', digest: 'digest of b' },
      ])
      expect(await index.digests('shop', 'feed', 'b', 2)).toEqual([{ id: 'c', digest: 'digest of c' }])
      expect(await index.digests('shop', 'feed', 'c', 2)).toEqual([])
    })
  })
}
