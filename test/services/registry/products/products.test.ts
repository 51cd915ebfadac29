import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemProductId } from '../../../../services/domain/catalogue/system-product-id.ts'
import { item } from '../feeds/documents.ts'
import {
  foreignId,
  NOW,
  openProductsApi,
  otherShopId,
  type ProductsApi,
  pausedId,
  runningId,
  shopId,
} from './products-api.ts'

let api: ProductsApi
beforeAll(async () => {
  api = await openProductsApi()
})
afterAll(() => api.close())

const get = (query: string, token?: string) => api.get(`products${query}`, token)
const idsOf = async (query: string, token?: string) =>
  (await get(`?shopId=${shopId}${query}`, token)).body.items.map(({ id }: { id: string }) => id)

/** The ids on each page of a search. */
async function pagesOf(query: string): Promise<string[][]> {
  const pages: string[][] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await get(`?${query}${cursor && `&cursor=${cursor}`}`)
    pages.push(body.items.map(({ id }: { id: string }) => id))
    cursor = body.nextCursor
  }
  return pages
}

describe('the products of a shop', () => {
  it('are listed with their campaigns and why they are not shown', async () => {
    const { body } = await get(`?shopId=${shopId}`)
    expect(body.nextCursor).toBeNull()
    expect(body.items).toMatchObject([
      { id: 'a', price: 12.5, salePrice: 10, campaignIds: [runningId, pausedId], whyNot: [] },
      {
        id: 'b',
        isAvailable: false,
        whyNot: [
          { code: 'NOT_AVAILABLE', campaignId: null },
          { code: 'CAMPAIGN_PAUSED', campaignId: pausedId },
        ],
      },
      { id: 'c', whyNot: [{ code: 'SELLER_MISMATCH', campaignId: foreignId }] },
      { id: 'x', whyNot: [] },
    ])
    expect(body.items[0].updatedAt).toBe(new Date(NOW).toISOString())
  })

  it('are each listed once, page by page, also the one whose id is looked for', async () => {
    const lampShopId = await api.shopOf(
      item({ id: 'a', title: 'Red lamp' }),
      item({ id: 'b', title: 'Blue lamp' }),
      item({ id: 'lamp', title: 'Plain lamp' }),
    )
    expect((await pagesOf(`shopId=${lampShopId}&q=lamp&limit=2`)).flat()).toEqual(['lamp', 'a', 'b'])
  })

  it('come in pages when several feeds have one id, too', async () => {
    const lampShopId = await api.shopOf(item({ id: 'lamp' }), item({ id: 'a', title: 'Red lamp' }))
    for (const feedId of ['G', 'H']) {
      api.putFeed(feedId, lampShopId)
      await api.putOffers(lampShopId, feedId, item({ id: 'lamp' }))
    }
    for (const limit of [1, 2, 3, 4]) {
      const pages = await pagesOf(`shopId=${lampShopId}&q=lamp&limit=${limit}`)
      expect(pages.flat(), `by ${limit}`).toEqual(['lamp', 'lamp', 'lamp', 'a'])
      expect(Math.max(...pages.map(({ length }) => length))).toBe(limit)
      const id = systemProductId(lampShopId, 'lamp')
      const found = await pagesOf(`shopId=${lampShopId}&systemProductId=${id}&limit=${limit}`)
      expect(found.flat()).toEqual(['lamp', 'lamp', 'lamp'])
      expect(Math.max(...found.map(({ length }) => length))).toBe(Math.min(limit, 3))
    }
  })

  it('are found by words, by id first, by feed and by availability', async () => {
    expect(await idsOf('&q=lamp')).toEqual(['a', 'b', 'x'])
    expect(await idsOf('&q=blue+lamp')).toEqual(['b'])
    expect(await idsOf('&q=c')).toEqual(['c'])
    expect(await idsOf('&q=P')).toEqual(['a'])
    expect(await idsOf('&feedId=G')).toEqual([])
    expect(await idsOf('&available=true')).toEqual(['a', 'c', 'x'])
    expect(await idsOf('&available=false')).toEqual(['b'])
    expect(await idsOf('&available=false&q=a')).toEqual([])
  })

  it('are found by the id that ads carry', async () => {
    const { body } = await get(`?shopId=${shopId}&q=c`)
    const { systemProductId: id } = body.items[0]
    expect(id).toBe(systemProductId(shopId, 'c'))
    expect(await idsOf(`&systemProductId=${id}`)).toEqual(['c'])
    expect(await idsOf(`&systemProductId=${id.toUpperCase()}&available=true&feedId=F`)).toEqual(['c'])
    expect(await idsOf(`&systemProductId=${id}&available=false`)).toEqual([])
    expect(await idsOf(`&systemProductId=${id}`, 'advertiser')).toEqual([])
    expect(await idsOf(`&systemProductId=${systemProductId(otherShopId, 'c')}`)).toEqual([])
    expect((await get(`?shopId=${shopId}&systemProductId=c`)).status).toBe(400)
  })

  it('come in pages that leave none out', async () => {
    for (const filter of ['', '&available=true', '&q=lamp']) {
      expect((await pagesOf(`shopId=${shopId}&limit=1${filter}`)).flat()).toEqual(await idsOf(filter))
    }
  })

  it('come in pages when a feed gives one productId to many of them, too', async () => {
    // As long as an id can be.
    const ids = Array.from({ length: 7 }, (_, i) => `${'ä'.repeat(99)}${i}`)
    const sameShopId = await api.shopOf(
      ...ids.map((id) => item({ id, title: 'Lamp', product_id: 'same' })),
      item({ id: 'b', title: 'The same lamp' }),
      item({ id: 'same', title: 'Lamp', product_id: 'same' }),
    )
    for (const limit of [1, 2, 3, 7, 8, 9, 10]) {
      const pages = await pagesOf(`shopId=${sameShopId}&q=same&limit=${limit}`)
      for (const page of pages) expect(page.length).toBeLessThanOrEqual(limit)
      expect(pages.flat(), `by ${limit}`).toEqual(['same', ...ids, 'b'])
    }
    expect(await get(`/same?shopId=${sameShopId}`)).toMatchObject({ status: 200, body: { id: 'same' } })
  })

  it('are, for an advertiser, those of its sellers, with its own campaigns', async () => {
    expect(await idsOf('', 'advertiser')).toEqual(['x'])
    expect(await idsOf('&q=red', 'advertiser')).toEqual([])
    expect(await get(`/a?shopId=${shopId}`, 'advertiser')).toMatchObject({ status: 404 })
    expect(await get(`/x?shopId=${shopId}`, 'advertiser')).toMatchObject({ body: { campaignIds: [foreignId] } })
  })

  it('are read one by one, by id or productId', async () => {
    expect(await get(`/a?shopId=${shopId}`)).toMatchObject({ status: 200, body: { id: 'a', title: 'Red lamp' } })
    expect(await get(`/P?shopId=${shopId}`)).toMatchObject({ status: 200, body: { id: 'a' } })
    expect(await get(`/none?shopId=${shopId}`)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
  })

  it.each([
    ['', 400, 'querystring/shopId'],
    [`?shopId=nonsense`, 400, 'querystring/shopId'],
    [`?shopId=${shopId}&available=maybe`, 400, 'querystring/available'],
    [`?shopId=${shopId}&cursor=x`, 400, 'querystring/cursor'],
    [`?shopId=${shopId}&limit=5000`, 400, 'querystring/limit'],
  ])('refuse the query "%s"', async (query, status, path) => {
    expect(await get(query)).toMatchObject({ status, body: { errors: [{ path }] } })
  })

  it('of another account do not exist', async () => {
    expect(await get(`?shopId=${otherShopId}`)).toMatchObject({ status: 404 })
    expect(await get(`?shopId=${shopId}`, 'nobody')).toMatchObject({ status: 401 })
  })
})

describe('the sellers of a shop', () => {
  const sellers = (query: string, token?: string) => api.get(`sellers${query}`, token)

  it('are counted by their products', async () => {
    const all = { items: [{ sellerId: 'X', productCount: 1 }], productCount: 4 }
    expect((await sellers(`?shopId=${shopId}`)).body).toEqual(all)
    expect((await sellers(`?shopId=${shopId}&q=x&ids=X&ids=Y`)).body).toEqual(all)
    expect((await sellers(`?shopId=${shopId}&q=y`)).body).toEqual({ items: [], productCount: 4 })
    expect((await sellers(`?shopId=${shopId}&ids=Y`)).body).toEqual({ items: [], productCount: 4 })
  })

  it('are to an advertiser those that its account may advertise, and to others none', async () => {
    expect((await sellers(`?shopId=${shopId}`, 'advertiser')).body).toEqual({
      items: [{ sellerId: 'X', productCount: 1 }],
      productCount: 1,
    })
    expect((await sellers(`?shopId=${shopId}&ids=Y`, 'advertiser')).body.items).toEqual([])
    expect((await sellers(`?shopId=${otherShopId}`)).status).toBe(404)
  })
})
