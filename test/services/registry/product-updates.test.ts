import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decode } from '../../../schemas/codec.ts'
import { digest } from '../../../services/domain/offer.ts'
import { startProductReader } from '../../../services/registry/product-reader.ts'
import { readProductUpdate } from '../../../services/registry/product-update.ts'
import { type Answer, discard, NOW, type Office, openAccount, openOffice, openPublisher, paths } from './office.ts'

const lamp = {
  id: 'lamp-1',
  title: 'Lamp',
  price: 20.5,
  isAvailable: true,
  link: 'https://shop.example/lamp?color=red&x=ą',
  imageLink: 'http://shop.example/lamp.jpg',
}
const everything = {
  ...lamp,
  id: 'lamp-2/red',
  productId: 'p1',
  description: 'A lamp',
  brand: 'Solvik',
  salePrice: 19.99,
  gtin: '4006381333931',
  catalogProductCategory: '2608',
  mpn: 'L-2',
  productType: 'Home>  Lamps ',
  shipping: [{ country: 'DE', price: '4.99 EUR', minTransitTime: '1' }],
  unitPricingMeasure: '1 ct',
  adult: false,
  energyEfficiencyClass: 'A',
  ageGroup: 'adult',
  color: 'red',
  gender: 'unisex',
  material: 'steel',
  pattern: 'plain',
  size: 'M',
  productDetails: [{ attributeName: 'Socket', attributeValue: 'E27' }],
  externalSellerId: 's1',
  externalSellerName: 'Seller',
  deepLink: 'shopapp://lamp/2',
  certification: [{ certificationAuthority: 'EC', certificationName: 'EPREL', certificationCode: '1' }],
  itemGroupId: 'g1',
  labels: ['new'],
  condition: 'new',
}

describe('product updates', () => {
  let office: Office
  let shop: Awaited<ReturnType<typeof openPublisher>>
  beforeAll(async () => {
    office = await openOffice()
    shop = await openPublisher(office)
  })
  afterAll(() => discard(office))

  const upsert = (product: object, batchId = 'b0') => ({
    batchId,
    method: 'UPSERT',
    product: { feedId: shop.feedId, ...product },
  })
  const send = (...entries: unknown[]): Promise<Answer> =>
    office.call('POST', '/v1/feed/product', { entries }, shop.token)
  const keyOf = (id: string) => `${shop.shopId}/${shop.feedId}/${id}`

  /** What the topic holds for a key: every value written, null for a removal. */
  async function written(id: string) {
    const values = []
    for (const { partition, start } of await office.log.bounds('products')) {
      for (const record of await office.log.read('products', partition, start, 100_000)) {
        if (record.key === keyOf(id)) values.push(record.value && decode('ProductOffer', record.value))
      }
    }
    return values
  }

  it('are durable offers once accepted', async () => {
    expect(await send(upsert(lamp), upsert(everything, 'b1'))).toMatchObject({ status: 202, body: { accepted: 2 } })
    const [offer] = await written('lamp-1')
    expect(offer).toMatchObject({
      shopId: shop.shopId,
      feedId: shop.feedId,
      id: 'lamp-1',
      link: 'https://shop.example/lamp?color=red&x=%C4%85',
      priceMicros: 20_500_000,
      salePriceMicros: null,
      currency: 'EUR',
      availability: 'in_stock',
      productTypes: [],
      brand: null,
      updatedAt: NOW,
    })
    expect(offer?.digest).toBe(digest(offer!))
    const [full] = await written('lamp-2/red')
    expect(full).toMatchObject({
      salePriceMicros: 19_990_000,
      productTypes: ['Home > Lamps'],
      shipping: [{ country: 'DE', region: null, price: '4.99 EUR', minTransitTime: '1' }],
      productDetails: [{ sectionName: null, attributeName: 'Socket', attributeValue: 'E27' }],
      certification: [{ certificationAuthority: 'EC', certificationValue: null }],
      deepLink: 'shopapp://lamp/2',
      labels: ['new'],
      adult: false,
    })
  })

  it('tell the item group of an offer, which its removal leaves', async () => {
    await send(upsert({ ...lamp, id: 'grouped', itemGroupId: 'lamps' }), upsert({ ...lamp, id: 'single' }, 'b1'))
    await send({ batchId: 'b', method: 'DELETE', product: { feedId: shop.feedId, id: 'grouped' } })
    const groups = []
    for (const { partition, start } of await office.log.bounds('item-groups')) {
      groups.push(...(await office.log.read('item-groups', partition, start, 100)))
    }
    const told = groups.map(({ key, value }) => [key, value && decode('ItemGroup', value).itemGroupId])
    expect(told).toContainEqual([keyOf('grouped'), 'lamps'])
    expect(told.filter(([key]) => key === keyOf('grouped') || key === keyOf('single'))).toHaveLength(1)
  })

  it('remove with feedId and id alone', async () => {
    const remove = { batchId: 'd', method: 'DELETE', product: { feedId: shop.feedId, id: 'gone', title: null } }
    expect((await send(upsert({ ...lamp, id: 'gone' }))).status).toBe(202)
    expect((await send(remove)).status).toBe(202)
    expect((await written('gone')).map((value) => value?.id ?? null)).toEqual(['gone', null])
  })

  it('let the last entry for a product win', async () => {
    const titled = (title: string, batchId: string) => upsert({ ...lamp, id: 'twice', title }, batchId)
    expect((await send(titled('first', 'a'), titled('last', 'b'))).body).toEqual({ accepted: 2 })
    expect((await written('twice')).map((value) => value?.title)).toEqual(['last'])
  })

  it('count null as not given, and a sale price of the full price as none', async () => {
    expect((await send(upsert({ ...lamp, id: 'nulls', brand: null, salePrice: 20.5 }))).status).toBe(202)
    expect((await written('nulls'))[0]).toMatchObject({ brand: null, salePriceMicros: null })
    expect(paths(await send(upsert({ ...lamp, title: null })))).toEqual(['/entries/0/product/title'])
  })

  it('take nothing when any entry is wrong, and list all that is', async () => {
    const answer = await send(
      upsert({ ...lamp, id: 'never' }),
      upsert({ id: '', price: -1, isAvailable: 'yes', link: 'ftp://x', imageLink: 'x' }, 'b1'),
      { batchId: 'b2', method: 'DELETE', product: {} },
      { batchId: 'b3', method: 'PUT', product: { feedId: 'f' } },
      upsert({ ...lamp, salePrice: 21, deepLink: 'javascript:alert(1)', sale_price: 1 }, 'b1'),
      7,
      null,
    )
    expect(answer.status).toBe(400)
    expect(answer.body.detail).toContain('6 of 7 entries are not valid')
    expect(paths(answer).toSorted()).toEqual(
      [
        '/entries/1/product/title',
        '/entries/1/product/id',
        '/entries/1/product/price',
        '/entries/1/product/isAvailable',
        '/entries/1/product/link',
        '/entries/1/product/imageLink',
        '/entries/2/product/id',
        '/entries/2/product/feedId',
        '/entries/3/product/id',
        '/entries/3/product/title',
        '/entries/3/product/price',
        '/entries/3/product/isAvailable',
        '/entries/3/product/link',
        '/entries/3/product/imageLink',
        '/entries/3/method',
        '/entries/3/product/feedId',
        '/entries/4/product/sale_price',
        '/entries/4/product/salePrice',
        '/entries/4/product/deepLink',
        '/entries/4/batchId',
        '/entries/5',
        '/entries/6',
      ].toSorted(),
    )
    expect(await written('never')).toEqual([])
  })

  it('write to feeds of the caller only', async () => {
    const other = await openPublisher(office)
    const body = { entries: [upsert(lamp)] }
    const answer = await office.call('POST', '/v1/feed/product', body, other.token)
    expect(answer.status).toBe(400)
    expect(answer.body.errors).toEqual([{ path: '/entries/0/product/feedId', message: 'there is no such feed' }])
    expect((await office.call('POST', '/v1/feed/product', body)).status).toBe(202)
    const advertiser = await openAccount(office, 'ADVERTISER')
    expect((await office.call('POST', '/v1/feed/product', body, advertiser.token)).status).toBe(403)
  })

  it('have 10,000 entries at most', async () => {
    const entries = Array.from({ length: 10_000 }, (_, i) => upsert({ ...lamp, id: `bulk-${i % 9_000}` }, `b${i}`))
    expect(await send(...entries)).toMatchObject({ status: 202, body: { accepted: 10_000 } })
    expect(await written('bulk-8999')).toHaveLength(1)
    expect(await send(...entries, upsert(lamp, 'more'))).toMatchObject({ status: 413, body: { code: 'TOO_LARGE' } })
    const wrong = await send(...entries.map((entry) => ({ ...entry, batchId: 'same' })))
    expect(wrong.body.detail).toContain('9999 of 10000 entries are not valid')
    expect(wrong.body.errors).toHaveLength(100)
  })

  it.each([
    ['nothing', '', 'MALFORMED_JSON'],
    ['half a body', '{"entries":[', 'MALFORMED_JSON'],
    ['a list', '[]', 'INVALID'],
    ['null', 'null', 'INVALID'],
    ['no entries', '{}', 'INVALID'],
    ['entries that are none', '{"entries":{}}', 'INVALID'],
    ['empty entries', '{"entries":[]}', 'INVALID'],
    ['more than entries', '{"entries":[1],"dryRun":true}', 'INVALID'],
    ['a nest', `{"entries":[${'['.repeat(100_000)}${']'.repeat(100_000)}]}`, 'INVALID'],
    ['a prototype', '{"entries":[{"__proto__":{"method":"DELETE"},"batchId":"a"}]}', 'INVALID'],
  ])('refuse %s', async (_name, body, code) => {
    const answer = await office.call('POST', '/v1/feed/product', body, shop.token)
    expect(answer).toMatchObject({ status: 400, body: { code } })
  })

  it('are let in again after refusals', async () => {
    for (let i = 0; i < 10; i++) expect((await send(7)).status).toBe(400)
    expect((await send(upsert(lamp))).status).toBe(202)
  })

  it('are read alike in a thread of their own', async () => {
    const reader = await startProductReader()
    const feeds = new Map([['f', { shopId: 's', currency: 'EUR', lang: null }]])
    const bytes = (body: unknown) => new Uint8Array(Buffer.from(JSON.stringify(body)))
    const right = { entries: [{ batchId: 'a', method: 'UPSERT', product: { ...everything, feedId: 'f' } }] }
    for (const body of [right, { entries: [{ batchId: 1 }] }, null]) {
      expect(await reader.read(bytes(body), feeds, NOW)).toEqual(readProductUpdate(bytes(body), feeds, NOW))
    }
    await reader.close()
  })
})
