import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { shippingTo } from '../../../infra/product-index/offer.fixture.ts'
import { type Answer, createWorld, type World } from '../world.ts'

let world: World
beforeEach(async () => {
  world = await createWorld()
})
afterEach(() => world.close())

const cid = { headers: { cid: 'browser-1' } }

describe('an answer', () => {
  it('has the fields of the contract, with numbers as decimals', async () => {
    const campaign = world.campaign()
    world.offer([campaign], {
      id: 'lamp "1"',
      title: 'Lamp </script>',
      priceMicros: 19_990_000,
      salePriceMicros: 15_500_000,
      brand: 'Solvik',
      catalogProductCategory: '594',
    })
    const slotHash = world.unit('BESTSELLERS')
    const response = await world.ask([{ slotHash, adCount: 4 }], cid)
    expect(response.statusCode).toBe(200)
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
    const answer = response.json<Answer>()
    const [ad] = answer.data[0]!.ads
    expect(response.headers['request-id']).toBe(ad!.requestId)
    expect(answer).toEqual({
      data: [
        {
          slotHash,
          ads: [
            {
              adUnitId: slotHash,
              systemProductId: expect.stringMatching(/^[0-9a-f-]{36}$/),
              shopProductId: 'lamp "1"',
              productTitle: 'Lamp </script>',
              productHref: 'https://shop.example/p/lamp "1"',
              productImageName: 'lamp "1".jpg',
              productPrice: 19.99,
              productSalePrice: 15.5,
              showId: ad!.showId,
              requestId: ad!.requestId,
              slotHash,
              shopId: world.shopId,
              lang: 'en',
              currency: 'EUR',
              brand: 'Solvik',
              categoryId: '594',
              autoPromo: false,
              productImageUrl: 'https://img.example/a/lamp "1".jpg',
            },
          ],
        },
      ],
      meta: null,
      clientId: 'browser-1',
    })
  })

  it('gives every ad of a request one requestId and its own showId, which opens to what was decided', async () => {
    const campaign = world.campaign({ cpcMicros: 300_000 })
    world.offer([campaign], { itemGroupId: 'g' })
    world.offer([campaign])
    const slotHash = world.unit('BESTSELLERS')
    const [ads] = await world.ads([{ slotHash, adCount: 4, country: 'de' }], { headers: { cid: 'c', uid: 'u' } })
    expect(ads).toHaveLength(2)
    expect(ads![0]!.requestId).toBe(ads![1]!.requestId)
    const first = ads!.find((ad) => ad.shopProductId === 'p1')!
    expect(world.showIds.open(first.showId)).toEqual({
      kind: 'SPONSORED',
      requestId: first.requestId,
      shopId: world.shopId,
      slotHash,
      adUnitId: slotHash,
      campaignId: campaign,
      accountId: world.accountId,
      adId: 'p1',
      itemGroupId: 'g',
      cid: 'c',
      uid: 'u',
      algorithm: 'BESTSELLERS',
      position: ads!.indexOf(first) + 1,
      priceMicros: 10_000,
      currency: 'EUR',
      autoPromo: false,
      country: 'DE',
      emittedAt: world.now,
    })
  })

  it('has the price as productSalePrice, no brand and a null categoryId when the feed has none', async () => {
    world.offer([world.campaign()])
    const ad = (await world.ads([{ slotHash: world.unit('BESTSELLERS'), adCount: 1 }]))[0]![0]!
    expect(ad).toMatchObject({ productPrice: 10, productSalePrice: 10, brand: '' })
    expect(ad).toHaveProperty('categoryId', null)
    expect(ad).not.toHaveProperty('productData')
  })

  it("names the offer's language, else the shop's", async () => {
    const campaign = world.campaign()
    world.offer([campaign], { lang: 'pl' }, { popularity: 2 })
    world.offer([campaign], {}, { popularity: 1 })
    const [ads] = await world.ads([{ slotHash: world.unit('BESTSELLERS'), adCount: 2 }])
    expect(ads!.map((ad) => ad.lang)).toEqual(['pl', 'en'])
  })

  it('assigns a client id when none is sent, and echoes the one that is', async () => {
    const ask = async (headers: Record<string, string>) =>
      (await world.ask([{ slotHash: world.unit('BESTSELLERS'), adCount: 1 }], { headers })).json<Answer>().clientId
    expect(await ask({})).toMatch(/^[0-9a-f-]{36}$/)
    expect(await ask({ cid: '' })).toMatch(/^[0-9a-f-]{36}$/)
    expect(await ask({})).not.toBe(await ask({}))
    expect(await ask({ cid: 'x "y"' })).toBe('x "y"')
    // Node returns the bytes of headers as Latin-1.
    expect(await ask({ cid: Buffer.from('żółw').toString('latin1') })).toBe('żółw')
  })

  it('names the same product alike at all times', async () => {
    world.offer([world.campaign()])
    const ask = async () => (await world.ads([{ slotHash: world.unit('BESTSELLERS'), adCount: 1 }]))[0]![0]!
    const before = await ask()
    world.now += 60_000
    expect((await ask()).systemProductId).toBe(before.systemProductId)
  })
})

describe('decorateResponse=true', () => {
  it('adds the product data, fields without data left out', async () => {
    const campaign = world.campaign()
    world.offer([campaign], {
      id: 'full',
      salePriceMicros: 9_000_000,
      externalSellerId: 's1',
      externalSellerName: 'Lamps',
      gtin: '4006381333931',
      condition: 'new',
      customParameters: { voltage: '230 V' },
      productTypes: ['Home > Lamps', 'Sale'],
      color: 'red',
      gender: 'unisex',
      material: 'steel',
      size: 'M',
      itemGroupId: 'g1',
      labels: ['top'],
      shipping: [shippingTo('DE', '4.99 EUR')],
      certification: [
        { certificationAuthority: 'EC', certificationName: 'EPREL', certificationCode: '1', certificationValue: 'A' },
      ],
      productDetails: [{ sectionName: null, attributeName: 'Bulb', attributeValue: 'E27' }],
    })
    world.offer([campaign], { id: 'bare' })
    const slotHash = world.unit('BESTSELLERS')
    const [ads] = await world.ads([{ slotHash, adCount: 2 }], { query: '?decorateResponse=true' })
    const dataOf = (id: string) => ads!.find((ad) => ad.shopProductId === id)!.productData
    expect(dataOf('full')).toEqual({
      id: 'full',
      availability: 'in_stock',
      price: 10,
      sale_price: 9,
      image_link: 'https://img.example/a/full.jpg',
      original_image_link: 'https://img.example/a/full.jpg',
      external_seller_id: 's1',
      external_seller_name: 'Lamps',
      gtin: '4006381333931',
      condition: 'new',
      custom_parameters: { voltage: '230 V' },
      product_type: 'Home > Lamps',
      color: 'red',
      gender: 'unisex',
      material: 'steel',
      size: 'M',
      item_group_id: 'g1',
      labels: ['top'],
      shipping: [{ country: 'DE', price: '4.99 EUR' }],
      certification: [{ certificationAuthority: 'EC', certificationName: 'EPREL', certificationCode: '1' }],
      product_details: [{ attributeName: 'Bulb', attributeValue: 'E27' }],
    })
    expect(dataOf('bare')).toEqual({
      id: 'bare',
      availability: 'in_stock',
      price: 10,
      image_link: 'https://img.example/a/bare.jpg',
      original_image_link: 'https://img.example/a/bare.jpg',
    })
  })

  it.each(['1', 'TRUE', 'True', 'yes', 'on'])('is also said by %s', async (value) => {
    world.offer([world.campaign()])
    const slotHash = world.unit('BESTSELLERS')
    const [ads] = await world.ads([{ slotHash, adCount: 2 }], { query: `?decorateResponse=${value}` })
    expect(ads![0]).toHaveProperty('productData')
  })

  it.each(['false', '0', 'FALSE', 'no', 'off', ''])('is not said by %j', async (value) => {
    world.offer([world.campaign()])
    const slotHash = world.unit('BESTSELLERS')
    const [ads] = await world.ads([{ slotHash, adCount: 2 }], { query: `?decorateResponse=${value}` })
    expect(ads![0]).not.toHaveProperty('productData')
  })
})
