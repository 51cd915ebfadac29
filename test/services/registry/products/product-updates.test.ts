import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decode } from '../../../../schemas/wire/codec.ts'
import { digest } from '../../../../services/domain/catalogue/offer.ts'
import {
  type Answer,
  discard,
  type Json,
  NOW,
  type Office,
  openAccount,
  openOffice,
  openPublisher,
  paths,
} from '../office.ts'
import { everything, lamp } from './product.fixture.ts'

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

  /** All values in the topic for a key; null for a removal. */
  async function written(id: string) {
    const values = []
    for (const { partition, start } of await office.log.bounds('products')) {
      for (const record of await office.log.read('products', partition, start, 100_000)) {
        if (record.key === keyOf(id)) values.push(record.value && decode('ProductOffer', record.value))
      }
    }
    return values
  }

  it('of a registry that another one has replaced are refused, and store nothing', async () => {
    const former = await openOffice()
    const { shopId, feedId, token } = await openPublisher(former)
    const price = async ({ call }: Office, price: number) => {
      const product = { feedId, ...lamp, price }
      return call('POST', '/v1/feed/product', { entries: [{ batchId: 'b', method: 'UPSERT', product }] }, token)
    }
    const successor = await openOffice({ log: former.log })
    expect((await price(successor, 30)).status).toBe(202)
    expect(await price(former, 20)).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } })
    const partitions = (await former.log.bounds('products')).map((each) => each.partition)
    const records = await Promise.all(partitions.map((each) => former.log.read('products', each, 0, 10)))
    const offers = records.flat().map(({ key, value }) => [key, decode('ProductOffer', value!).priceMicros])
    expect(offers).toEqual([[`${shopId}/${feedId}/lamp-1`, 30_000_000]])
    await discard(successor)
    await discard(former)
  })

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
    expect(offer?.digest).toBe(`u:${digest(offer!)}`)
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
    expect((await send(titled('first', 'a'), titled('last', 'b'))).body).toMatchObject({ accepted: 2, rejected: [] })
    expect((await written('twice')).map((value) => value?.title)).toEqual(['last'])
  })

  it('count null as not given', async () => {
    expect((await send(upsert({ ...lamp, id: 'nulls', brand: null, labels: null }))).body.rejected).toEqual([])
    expect((await written('nulls'))[0]).toMatchObject({ brand: null, labels: [] })
    expect(paths(await send(upsert({ ...lamp, title: null })))).toEqual(['/entries/0/product/title'])
  })

  it('take what is right, and name each entry that is not', async () => {
    const { status, body } = await send(
      upsert({ ...lamp, id: 'right' }, 'b0'),
      upsert({ id: '', price: -1, isAvailable: 'yes', link: 'ftp://x', imageLink: 'x' }, 'b1'),
      { batchId: 'b2', method: 'DELETE', product: {} },
      { batchId: 'b3', method: 'PUT', product: { feedId: 'f' } },
      upsert({ ...lamp, id: 'again' }, 'b1'),
      7,
      null,
    )
    expect(status).toBe(202)
    expect(body.accepted).toBe(1)
    expect(body.rejected.map((each: Json) => [each.index, each.batchId, each.field, each.code])).toEqual([
      [1, 'b1', 'isAvailable', 'INVALID_TYPE'],
      [2, 'b2', 'feedId', 'MISSING_FIELD'],
      [3, 'b3', 'method', 'INVALID_ENTRY'],
      [4, 'b1', 'batchId', 'DUPLICATE_BATCH_ID'],
      [5, null, 'entry', 'INVALID_ENTRY'],
      [6, null, 'entry', 'INVALID_ENTRY'],
    ])
    for (const field of ['id', 'title', 'price', 'link', 'imageLink']) {
      expect(body.rejected[0].message).toContain(`${field}: `)
    }
    expect(await written('right')).toHaveLength(1)
    expect(await written('again')).toEqual([])
  })

  it('cut and ignore what a feed would cut and ignore, and say so', async () => {
    const { status, body } = await send(
      upsert({
        ...lamp,
        id: 'cut',
        link: 'https://shop.example/lamp',
        description: 'x'.repeat(6_000),
        salePrice: 0,
        gtin: 'brak',
        color: 7,
        deepLink: 'java\nscript:alert(1)',
        sale_price: 1,
      }),
    )
    expect(status).toBe(202)
    expect(body.rejected).toEqual([])
    expect(body.warnings.map((each: Json) => [each.field, each.code]).toSorted()).toEqual([
      ['color', 'INVALID_VALUE'],
      ['deepLink', 'INVALID_VALUE'],
      ['description', 'VALUE_TOO_LONG'],
      ['gtin', 'INVALID_GTIN'],
      ['salePrice', 'INVALID_SALE_PRICE'],
      ['sale_price', 'UNKNOWN_FIELD'],
    ])
    expect(body.warningCount).toBe(6)
    const [offer] = await written('cut')
    expect(offer).toMatchObject({ salePriceMicros: null, gtin: null, color: null, deepLink: null })
    expect(offer?.description).toHaveLength(5_000)
  })

  it('never merge two products by a GTIN that is none', async () => {
    await send(upsert({ ...lamp, id: 'g1', gtin: 'brak' }), upsert({ ...lamp, id: 'g2', gtin: 'brak' }, 'b1'))
    expect([...(await written('g1')), ...(await written('g2'))].map((offer) => offer?.gtin)).toEqual([null, null])
  })

  it.each([1.234, 0.1 + 0.2, 999_999_999.99, 1_000])('keep a price of %d to the micro', async (price) => {
    const id = `price-${price}`
    expect((await send(upsert({ ...lamp, id, price }))).status).toBe(202)
    expect((await written(id))[0]?.priceMicros).toBe(Math.round(price * 1_000_000))
  })

  it('are refused whole, with the same list, when no entry is right', async () => {
    const { status, body } = await send(upsert({ ...lamp, price: 0 }), upsert({ ...lamp, title: '' }, 'b1'))
    expect(status).toBe(400)
    expect(body.detail).toContain('None of the 2 entries is valid')
    expect(body.errors.map((each: Json) => each.path)).toEqual(['/entries/0/product/price', '/entries/1/product/title'])
    expect(body.rejected.map((each: Json) => [each.batchId, each.field, each.code])).toEqual([
      ['b0', 'price', 'INVALID_PRICE'],
      ['b1', 'title', 'MISSING_FIELD'],
    ])
  })

  it('name a price as it was written', async () => {
    const wrong = [0, -1.5, 1e-7, 1e300].map((price, at) => upsert({ ...lamp, price }, `b${at}`))
    const { body } = await send(upsert({ ...lamp, price: 2, salePrice: 2.345 }, 'right'), ...wrong)
    expect(body.warnings.map((each: Json) => each.message)).toContain('"2.345" is not below the price')
    expect(body.rejected.map((each: Json) => each.message)).toEqual([
      '"0" is not more than 0',
      ...['-1.5', '1e-7', '1e+300'].map((price) => `"${price}" is not a price like 12.50 EUR`),
    ])
  })

  it('write to feeds of the caller only', async () => {
    const other = await openPublisher(office)
    const body = { entries: [upsert(lamp)] }
    const answer = await office.call('POST', '/v1/feed/product', body, other.token)
    expect(answer.status).toBe(400)
    expect(answer.body.errors).toEqual([{ path: '/entries/0/product/feedId', message: 'There is no such feed' }])
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
    expect(wrong).toMatchObject({ status: 202, body: { accepted: 1 } })
    expect(wrong.body.rejected).toHaveLength(9_999)
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
})
