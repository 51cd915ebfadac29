import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SponsoredAlgorithm } from '../../../../schemas/records/entities.ts'
import { shippingTo } from '../../../infra/product-index/offer.fixture.ts'
import { createWorld, type World } from '../world.ts'

let world: World
let campaign: string
beforeEach(async () => {
  world = await createWorld()
  campaign = world.campaign()
})
afterEach(() => world.close())

const offer = (id: string, changes: object = {}, signals: object | null = null) =>
  world.offer([campaign], { id, ...changes }, signals)
const shown = async (algorithm: SponsoredAlgorithm, targeting: object = {}) =>
  (await world.ids(algorithm, targeting)).sort()

describe('BESTSELLERS', () => {
  beforeEach(() => {
    offer('hit', { title: 'red lamp', productTypes: ['Home > Lamps'], brand: 'A' }, { popularity: 9 })
    offer(
      'known',
      { title: 'blue lamp', productTypes: ['Home > Chairs'], brand: 'B', priceMicros: 50_000_000 },
      { popularity: 5 },
    )
    offer('new', { title: 'green lamp', productTypes: ['Home > Lamps'] })
    world.products.find(({ offer }) => offer.id === 'new')!.offer.color = 'red'
  })

  it('shows what sells best first', async () => {
    expect(await world.ids('BESTSELLERS')).toEqual(['hit', 'known', 'new'])
  })

  it('narrows by everything the page says', async () => {
    expect(await shown('BESTSELLERS', { searchData: 'lamp red' })).toEqual(['hit', 'new'])
    expect(await shown('BESTSELLERS', { priceMin: 20 })).toEqual(['known'])
    expect(await shown('BESTSELLERS', { priceMax: 20 })).toEqual(['hit', 'new'])
    expect(await shown('BESTSELLERS', { brand: 'a' })).toEqual(['hit'])
    expect(await shown('BESTSELLERS', { categoryPaths: ['home > lamps'] })).toEqual(['hit', 'new'])
    expect(await shown('BESTSELLERS', { categoryIds: ['Chairs'] })).toEqual(['known'])
    expect(await shown('BESTSELLERS', { attributes: [{ name: 'color', value: ' red' }] })).toEqual(['new'])
    expect(await shown('BESTSELLERS', { attributes: [{ name: 'color', value: 'Red' }] })).toEqual([])
    expect(await shown('BESTSELLERS', { excludedShopProductIds: ['hit', 'new'] })).toEqual(['known'])
    expect(await shown('BESTSELLERS', { currency: 'PLN' })).toEqual([])
    expect(await shown('BESTSELLERS', { productTitle: 'red table' })).toEqual(['hit'])
  })

  it('_WIDE ignores price, brand, category paths and attributes, and takes some word for all', async () => {
    const ignored = {
      priceMin: 20,
      priceMax: 1,
      brand: 'z',
      categoryPaths: ['x'],
      attributes: [{ name: 'color', value: 'x' }],
    }
    expect(await shown('BESTSELLERS_WIDE', ignored)).toEqual(['hit', 'known', 'new'])
    expect(await shown('BESTSELLERS_WIDE', { searchData: 'red table' })).toEqual(['hit', 'new'])
    expect(await shown('BESTSELLERS_WIDE', { categoryIds: ['Chairs'], currency: 'eur' })).toEqual(['known'])
    expect(await shown('BESTSELLERS_WIDE', { excludedShopProductIds: ['hit'] })).toEqual(['known', 'new'])
  })
})

describe('CONTEXT_MATCH', () => {
  beforeEach(() => {
    offer('both', { title: 'desk lamp', productTypes: ['Home > Lamps > Desk'] })
    offer('spread', { title: 'lamp', description: 'for the desk', productTypes: ['Home > Lamps'] })
    offer('one', { title: 'lamp shade', productTypes: ['Home > Parts'] })
    offer('none', { title: 'chair', productTypes: ['Garden'] })
  })

  it('needs every word of the phrase, somewhere', async () => {
    expect(await shown('CONTEXT_MATCH', { searchData: 'Desk LAMP' })).toEqual(['both', 'spread'])
  })

  it('_WIDE needs some word, and ranks by how many', async () => {
    expect(await world.ids('CONTEXT_MATCH_WIDE', { searchData: 'desk lamp shade' })).toHaveLength(3)
    expect(await shown('CONTEXT_MATCH_WIDE', { searchData: 'shade chair' })).toEqual(['none', 'one'])
    expect(await shown('CONTEXT_MATCH_WIDE')).toEqual(['both', 'none', 'one', 'spread'])
  })

  it('takes a category path as itself or an ancestor, any of several', async () => {
    expect(await shown('CONTEXT_MATCH', { categoryPaths: ['Home > Lamps'] })).toEqual(['both', 'spread'])
    expect(await shown('CONTEXT_MATCH', { categoryPaths: ['Home>Lamps>Desk', 'garden'] })).toEqual(['both', 'none'])
    expect(await shown('CONTEXT_MATCH', { categoryPaths: ['Lamps'] })).toEqual([])
  })

  it('takes category ids as nodes in their order, parts left out', async () => {
    expect(await shown('CONTEXT_MATCH', { categoryIds: ['Lamps'] })).toEqual(['both', 'spread'])
    expect(await shown('CONTEXT_MATCH', { categoryIds: ['Home > Desk', 'Parts'] })).toEqual(['both', 'one'])
    expect(await shown('CONTEXT_MATCH', { categoryIds: ['Desk > Home'] })).toEqual([])
  })

  it('holds phrase and category together', async () => {
    expect(await shown('CONTEXT_MATCH', { searchData: 'lamp', categoryPaths: ['Home > Parts'] })).toEqual(['one'])
  })
})

describe('similar products by what the page says', () => {
  beforeEach(() => {
    offer('self', { title: 'Solvik oak desk lamp', productTypes: ['Home > Lamps > Desk'] })
    offer('twin', { title: 'solvik  oak desk lamp xl', productTypes: ['Home > Lamps > Desk'] })
    offer('far', { title: 'steel garden lamp with a very long name', productTypes: ['Home > Garden'] })
    offer('other', { title: 'oak chair', productTypes: ['Home > Chairs'] })
    offer('foreign', { title: 'hammer', productTypes: ['Tools'], description: 'oak' })
  })
  const productTitle = ' Solvik oak  desk lamp '

  it('titles: strict needs a share of the words in the title, wide some word anywhere; never the product itself', async () => {
    expect(await shown('SIMILAR_TITLES', { productTitle })).toEqual(['twin'])
    expect(await shown('SIMILAR_TITLES_WIDE', { productTitle })).toEqual(['far', 'foreign', 'other', 'twin'])
    expect(await shown('SIMILAR_TITLES_WIDE', { productTitle, categoryPaths: ['Home > Chairs'] })).toEqual(['other'])
  })

  it('categories: strict in or below those given, wide in the same department', async () => {
    expect(await shown('SIMILAR_CATEGORIES', { categoryPaths: ['Home > Lamps'] })).toEqual(['self', 'twin'])
    expect(await shown('SIMILAR_CATEGORIES', { categoryPaths: ['Home > Lamps'], productTitle })).toEqual(['twin'])
    expect(await shown('SIMILAR_CATEGORIES', { categoryIds: ['Garden'] })).toEqual(['far'])
    expect(await shown('SIMILAR_CATEGORIES_WIDE', { categoryPaths: ['Home > Lamps'] })).toEqual([
      'far',
      'other',
      'self',
      'twin',
    ])
    expect(
      (await world.ids('SIMILAR_CATEGORIES_WIDE', { categoryPaths: ['Home > Lamps > Desk'] })).slice(0, 2).sort(),
    ).toEqual(['self', 'twin'])
  })

  it('categories and titles: both hold', async () => {
    const paths = { categoryPaths: ['Home > Chairs', 'Home > Lamps'] }
    expect(await shown('SIMILAR_CATEGORIES_AND_TITLES', { productTitle, ...paths })).toEqual(['twin'])
    expect(await shown('SIMILAR_CATEGORIES_AND_TITLES', { productTitle })).toEqual(['twin'])
    expect(await shown('SIMILAR_CATEGORIES_AND_TITLES_WIDE', { productTitle, ...paths })).toEqual([
      'far',
      'other',
      'twin',
    ])
  })

  it('filters hold as elsewhere', async () => {
    expect(await shown('SIMILAR_TITLES_WIDE', { productTitle, excludedShopProductIds: ['twin', 'far'] })).toEqual([
      'foreign',
      'other',
    ])
    expect(await shown('SIMILAR_TITLES_WIDE', { productTitle, priceMin: 11 })).toEqual([])
  })
})

describe('SIMILAR_PRODUCT_ID', () => {
  beforeEach(() => {
    offer('self', { productId: 'P', title: 'oak desk lamp', productTypes: ['Home > Lamps'] })
    offer('self2', { productId: 'P', title: 'oak desk lamp', productTypes: ['Home > Lamps'] })
    offer('twin', { title: 'steel desk lamp', productTypes: ['Home > Lamps'] })
    offer('near', { title: 'desk mat', productTypes: ['Home > Mats'], priceMicros: 99_000_000 })
    offer('foreign', { title: 'desk', productTypes: ['Tools'] })
  })

  it.each(['self', 'P'])('finds what is like the product called %s, but not its offers', async (productId) => {
    const excludedByFeedId = productId === 'self' ? ['self2', 'twin'] : ['twin']
    expect(await shown('SIMILAR_PRODUCT_ID', { productId })).toEqual(excludedByFeedId)
  })

  it('_WIDE takes one word and the same department', async () => {
    expect(await shown('SIMILAR_PRODUCT_ID_WIDE', { productId: 'P' })).toEqual(['near', 'twin'])
  })

  it('does not read the parameters that it does not list', async () => {
    const ignored = {
      priceMax: 1,
      brand: 'x',
      categoryPaths: ['x'],
      attributes: [{ name: 'color', value: 'x' }],
      searchData: 'x',
    }
    expect(await shown('SIMILAR_PRODUCT_ID', { productId: 'P', ...ignored })).toEqual(['twin'])
    expect(await shown('SIMILAR_PRODUCT_ID', { productId: 'P', currency: 'PLN' })).toEqual([])
  })

  it('shows nothing for a product that is not known, and says why', async () => {
    expect(await shown('SIMILAR_PRODUCT_ID', { productId: 'nobody' })).toEqual([])
    expect((await world.emissions())[0]!.slots[0]!.shortfall).toBe('NO_REFERENCE')
  })
})

describe('ALSO_BOUGHT', () => {
  beforeEach(() => {
    offer(
      'self',
      {},
      {
        alsoBought: [
          { id: 'often', score: 0.9 },
          { id: 'rarely', score: 0.1 },
          { id: 'gone', score: 0.8 },
          { id: 'self', score: 1 },
        ],
      },
    )
    offer('rarely')
    offer('often', { priceMicros: 99_000_000 })
    offer('stranger')
    offer('gone', { isAvailable: false })
  })

  it('shows what was bought with the product, the most often bought first', async () => {
    expect(await world.ids('ALSO_BOUGHT', { shopProductId: 'self' })).toEqual(['often', 'rarely'])
    expect((await world.emissions())[0]!.slots[0]!.ads.map((ad) => ad.relevance)).toEqual([0.9, 0.1])
  })

  it('reads exclusions and nothing else', async () => {
    const targeting = { shopProductId: 'self', priceMax: 20, currency: 'PLN', excludedShopProductIds: ['rarely'] }
    expect(await world.ids('ALSO_BOUGHT', targeting)).toEqual(['often'])
  })

  it('shows bestsellers, never the product itself, when nobody has bought it yet', async () => {
    const ids = await world.ids('ALSO_BOUGHT', { shopProductId: 'stranger' })
    expect(ids.toSorted()).toEqual(['often', 'rarely', 'self'])
  })

  it('is empty for a product that nobody knows', async () => {
    expect(await world.ids('ALSO_BOUGHT', { shopProductId: 'nobody' })).toEqual([])
  })
})

describe('EXACT_PRODUCT_ID', () => {
  it('shows exactly the products listed, by feed id or productId, that the filters let through', async () => {
    offer('a')
    offer('b', { productId: 'B' })
    offer('c', { priceMicros: 99_000_000 })
    offer('d')
    expect(await shown('EXACT_PRODUCT_ID', { productIds: ['a', 'B', 'c', 'nobody'] })).toEqual(['a', 'b', 'c'])
    expect(await shown('EXACT_PRODUCT_ID', { productIds: ['a', 'B', 'c'], priceMax: 20 })).toEqual(['a', 'b'])
    expect(await shown('EXACT_PRODUCT_ID', { productIds: ['a', 'B'], excludedShopProductIds: ['a'] })).toEqual(['b'])
  })
})

describe('every algorithm', () => {
  it('shows only what is available, of the shop, in the language and country', async () => {
    offer('plain')
    offer('sold out', { isAvailable: false })
    offer('polish', { lang: 'pl' })
    offer('german', { lang: 'de', shipping: [shippingTo('DE')] })
    offer('elsewhere', { shopId: '00000000-0000-4000-8000-000000000099' })
    expect(await shown('BESTSELLERS')).toEqual(['german', 'plain', 'polish'])
    expect(await shown('BESTSELLERS', { lang: 'de' })).toEqual(['german', 'plain'])
    expect(await shown('BESTSELLERS', { country: 'PL' })).toEqual(['plain', 'polish'])
  })
})
