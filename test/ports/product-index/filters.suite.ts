import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tries } from '../../effort.ts'
import { anOffer } from '../../infra/product-index/offer.fixture.ts'
import { catalogue, filterLists } from './arbitraries.ts'
import { satisfies } from './oracle.ts'
import { type IndexWorld, offerWrite, promotion, query } from './world.ts'

/** Which offers each filter selects. */
export function filtersSuite(world: IndexWorld): void {
  const { given, find } = world
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
      // A word that only one offer has may itself be misspelt, so it does not correct others. A word that resembles nothing finds nothing.
      expect(await words('smartwatsh')).toEqual([])
      expect(await words('xylophone')).toEqual([])
    })

    test('an offer is analysed in its language, or in the one that its write names', async () => {
      await world.index.write([
        offerWrite(anOffer({ id: 'de', title: 'Häuser', lang: 'de' })),
        promotion('de', ['c']),
        { kind: 'offer', version: 1, offer: anOffer({ id: 'none', title: 'Häuser' }), textLang: 'de' },
        promotion('none', ['c']),
      ])
      await world.index.refresh()
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
          await world.index.clear()
          await world.index.write(
            products.flatMap(({ offer, campaignIds }) => [
              offerWrite(offer),
              promotion(offer.id, campaignIds, 1, offer.feedId),
            ]),
          )
          await world.index.refresh()
          for (const filters of lists) {
            const expected = products.filter((product) =>
              filters.every((filter) => satisfies(product, filter, products)),
            )
            const ids = expected.map(({ offer }) => `${offer.feedId}/${offer.id}`).sort()
            const scanned = await world.index.scan({ shopId: 'shop', filters, after: null, limit: 100 })
            expect(scanned.map(({ offer }) => `${offer.feedId}/${offer.id}`)).toEqual(ids)
            expect(await world.index.count('shop', filters)).toBe(ids.length)
            const campaigns = [{ campaignIds: ['c', 'd'], weight: 1 }]
            const [result] = await world.index.search([query({ filters, campaigns })])
            const promoted = expected.filter(({ campaignIds }) => campaignIds.length > 0)
            const found = result!.hits.map(({ product: { offer } }) => `${offer.feedId}/${offer.id}`)
            expect(found.sort()).toEqual(promoted.map(({ offer }) => `${offer.feedId}/${offer.id}`).sort())
          }
        }),
        { numRuns: tries(25, 250) },
      )
    })
  })
}
