import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Algorithm } from '../../../../schemas/records/entities.ts'
import { createWorld, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const paths = (response: { json(): { errors: { path: string }[] } }) => response.json().errors.map(({ path }) => path)
const bestseller = (changes: object = {}) => ({ slotHash: world.unit('BESTSELLERS'), adCount: 1, ...changes })

describe('a bad ad request is a 400 that names the field', () => {
  it.each<[Algorithm, string, object]>([
    ['CONTEXT_MATCH', 'searchData', {}],
    ['CONTEXT_MATCH', 'searchData', { searchData: '  ', categoryIds: [], categoryPaths: [' '] }],
    ['SIMILAR_CATEGORIES_AND_TITLES', 'productTitle', {}],
    ['SIMILAR_CATEGORIES_AND_TITLES_WIDE', 'productTitle', { categoryPaths: ['a'] }],
    ['SIMILAR_TITLES', 'productTitle', { productTitle: '' }],
    ['SIMILAR_TITLES_WIDE', 'productTitle', {}],
    ['SIMILAR_CATEGORIES', 'categoryPaths', { productTitle: 'x' }],
    ['SIMILAR_CATEGORIES_WIDE', 'categoryPaths', {}],
    ['SIMILAR_PRODUCT_ID', 'productId', { shopProductId: 'p1' }],
    ['SIMILAR_PRODUCT_ID_WIDE', 'productId', {}],
    ['ALSO_BOUGHT', 'shopProductId', { productId: 'p1' }],
    ['EXACT_PRODUCT_ID', 'productIds', {}],
    ['EXACT_PRODUCT_ID', 'productIds', { productIds: [] }],
  ])('%s without its %s', async (algorithm, field, targeting) => {
    const response = await world.ask([{ slotHash: world.unit(algorithm), adCount: 1, ...targeting }])
    expect(response.statusCode).toBe(400)
    expect(response.headers['content-type']).toContain('application/problem+json')
    expect(paths(response)).toEqual([`/targeting/0/${field}`])
  })

  it.each<[Algorithm, object]>([
    ['BESTSELLERS', {}],
    ['BESTSELLERS_WIDE', {}],
    ['CONTEXT_MATCH_WIDE', {}],
    ['CONTEXT_MATCH', { categoryIds: ['Lamps'] }],
    ['CONTEXT_MATCH', { categoryPaths: ['Home > Lamps'] }],
    ['SIMILAR_CATEGORIES', { categoryIds: ['Lamps'] }],
  ])('but %s with %j needs nothing more', async (algorithm, targeting) => {
    const response = await world.ask([{ slotHash: world.unit(algorithm), adCount: 1, ...targeting }])
    expect(response.statusCode).toBe(200)
  })

  it.each<[string, object]>([
    ['slotHash', { slotHash: 'no-uuid' }],
    ['slotHash', { slotHash: undefined }],
    ['adCount', { adCount: undefined }],
    ['adCount', { adCount: 0 }],
    ['adCount', { adCount: -1 }],
    ['adCount', { adCount: 1.5 }],
    ['adCount', { adCount: '3' }],
    ['minAdCount', { minAdCount: 0 }],
    ['searchData', { searchData: 5 }],
    ['excludedShopProductIds', { excludedShopProductIds: 'p1' }],
    ['excludedShopProductIds/0', { excludedShopProductIds: [1] }],
    ['priceMin', { priceMin: -0.01 }],
    ['priceMax', { priceMax: '10' }],
    ['currency', { currency: 'EURO' }],
    ['brand', { brand: ['a'] }],
    ['productIds', { productIds: Array.from({ length: 101 }, (_, i) => `p${i}`) }],
    ['attributes/0/name', { attributes: [{ value: 'x' }] }],
    ['attributes/0/value', { attributes: [{ name: 'color', value: 3 }] }],
    ['attributes', { attributes: { color: 'red' } }],
    ['categoryIds/1', { categoryIds: ['a', 3] }],
    ['categoryPaths', { categoryPaths: 'a' }],
    ['adType', { adType: 'PAID' }],
    ['lang', { lang: 'english' }],
    ['country', { country: 'DEU' }],
  ])('a malformed %s, also where the algorithm does not use it: %j', async (field, changes) => {
    const response = await world.ask([bestseller(changes)])
    expect(response.statusCode).toBe(400)
    expect(paths(response)).toContain(`/targeting/0/${field}`)
  })

  it('an unknown slot, a deleted one and one of another kind', async () => {
    const deleted = world.unit('BESTSELLERS', { name: 'deleted' })
    world.remove('AdUnit', deleted)
    const unknown = await world.ask([bestseller({ slotHash: randomUUID() }), bestseller({ slotHash: deleted })])
    expect(unknown.statusCode).toBe(400)
    expect(unknown.json()).toMatchObject({ code: 'UNKNOWN_SLOT' })
    expect(paths(unknown)).toEqual(['/targeting/0/slotHash', '/targeting/1/slotHash'])
    const display = await world.ask([bestseller({ slotHash: world.unit('DISPLAY') })])
    expect(display.statusCode).toBe(400)
    expect(display.json()).toMatchObject({ code: 'WRONG_KIND', errors: [{ path: '/targeting/0/slotHash' }] })
  })

  it('lists everything that is wrong, over all slots', async () => {
    const malformed = await world.ask([bestseller({ adCount: 0, currency: 'x' }), bestseller({ priceMin: 'x' })])
    expect(paths(malformed).sort()).toEqual(['/targeting/0/adCount', '/targeting/0/currency', '/targeting/1/priceMin'])
    const incomplete = await world.ask([
      { slotHash: world.unit('CONTEXT_MATCH'), adCount: 1 },
      bestseller({ slotHash: randomUUID() }),
      { slotHash: world.unit('ALSO_BOUGHT'), adCount: 1, businessSlotId: 'x' },
    ])
    expect(incomplete.json()).toMatchObject({ code: 'INVALID' })
    expect(paths(incomplete)).toEqual([
      '/targeting/0/searchData',
      '/targeting/1/slotHash',
      '/targeting/2/shopProductId',
      '/targeting/2/businessSlotId',
    ])
  })

  it('a cid or uid that is too long', async () => {
    for (const header of ['cid', 'uid']) {
      const response = await world.ask([bestseller()], { headers: { [header]: 'x'.repeat(257) } })
      expect(response.statusCode).toBe(400)
      expect(paths(response)).toEqual([`header/${header}`])
    }
  })

  it('a body without slots, or none at all', async () => {
    for (const targeting of [[], 'x', null, undefined]) {
      const response = await world.ask(targeting as object[])
      expect(response.statusCode).toBe(400)
      expect(paths(response)).toContain('/targeting')
    }
    expect((await world.ask([null as unknown as object])).statusCode).toBe(400)
  })

  it.each(['perhaps', '2', 'true&decorateResponse=true'])('a decorateResponse of %j', async (value) => {
    const response = await world.ask([bestseller()], { query: `?decorateResponse=${value}` })
    expect(response.statusCode).toBe(400)
    expect(paths(response)).toEqual(['querystring/decorateResponse'])
  })

  it('not a parameter that nobody knows', async () => {
    expect((await world.ask([bestseller({ profiles: ['x'], whatever: { deep: 1 } })])).statusCode).toBe(200)
  })
})
