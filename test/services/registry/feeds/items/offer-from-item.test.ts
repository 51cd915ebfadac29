import { describe, expect, it } from 'vitest'
import { context, item, mapped, rss } from '../documents.ts'

const one = (values: Record<string, string | undefined>, more = '') => mapped(rss(item(values, more)))

describe('an item', () => {
  it('becomes an offer with every field that it has', async () => {
    const { offer, codes } = await one(
      {
        sale_price: '10.00 EUR',
        product_id: 'P1',
        brand: 'Lux',
        gtin: '4006381333931',
        mpn: 'L-1',
        item_group_id: 'G',
        google_product_category: 'Home &gt; Lamps',
        condition: 'New',
        adult: 'no',
        age_group: 'Adult',
        color: 'red/white',
        gender: 'unisex',
        material: 'steel',
        pattern: 'plain',
        size: 'L',
        energy_efficiency_class: 'a+++',
        unit_pricing_measure: '1 ct',
        external_seller_id: 'X1',
        seller_name: 'Seller',
        deep_link: 'lamps://a1',
        expiration_date: '2030-01-31T12:00+0100',
        custom_label_1: 'b',
        custom_label_0: 'a',
      },
      '<g:additional_image_link>https://shop.example/2.jpg</g:additional_image_link>' +
        '<g:additional_image_link> https://shop.example/3.jpg?a b</g:additional_image_link>' +
        '<g:product_type>Home&gt;  Lamps</g:product_type><g:product_type>Sale</g:product_type>' +
        '<g:label>c</g:label><g:label>a</g:label>' +
        '<g:shipping><g:country>pl</g:country><g:service>Post</g:service><g:price>4.99 EUR</g:price>' +
        '<g:min_handling_time>1</g:min_handling_time></g:shipping><g:shipping>DE:Berlin:Post:5.00 EUR</g:shipping>' +
        '<g:product_detail><g:section_name>General</g:section_name><g:attribute_name>Power</g:attribute_name>' +
        '<g:attribute_value>9: W</g:attribute_value></g:product_detail><g:product_detail>:Foot:round: yes</g:product_detail>' +
        '<g:certification><g:certification_authority>EC</g:certification_authority>' +
        '<g:certification_code>123</g:certification_code></g:certification><c:Warranty type="string"> 2 years </c:Warranty>',
    )
    expect(codes).toEqual([])
    expect(offer).toEqual({
      shopId: 'S',
      feedId: 'F',
      id: 'A1',
      productId: 'P1',
      title: 'A lamp',
      description: 'Gives light',
      link: 'https://shop.example/a1',
      imageLink: 'https://shop.example/a1.jpg',
      deepLink: 'lamps://a1',
      priceMicros: 12_500_000,
      salePriceMicros: 10_000_000,
      currency: 'EUR',
      isAvailable: true,
      availability: 'in_stock',
      brand: 'Lux',
      gtin: '4006381333931',
      expiresAt: Date.UTC(2030, 0, 31, 11),
      additionalImageLinks: ['https://shop.example/2.jpg', 'https://shop.example/3.jpg?a%20b'],
      mpn: 'L-1',
      itemGroupId: 'G',
      catalogProductCategory: 'Home > Lamps',
      productTypes: ['Home > Lamps', 'Sale'],
      lang: 'en',
      condition: 'new',
      adult: false,
      ageGroup: 'adult',
      color: 'red/white',
      gender: 'unisex',
      material: 'steel',
      pattern: 'plain',
      size: 'L',
      energyEfficiencyClass: 'A+++',
      unitPricingMeasure: '1 ct',
      externalSellerId: 'X1',
      externalSellerName: 'Seller',
      labels: ['a', 'b', 'c'],
      shipping: [
        { ...noTimes, country: 'PL', region: null, price: '4.99 EUR', minHandlingTime: '1' },
        { ...noTimes, country: 'DE', region: 'Berlin', price: '5.00 EUR' },
      ],
      certification: [
        {
          certificationAuthority: 'EC',
          certificationName: null,
          certificationCode: '123',
          certificationValue: null,
        },
      ],
      productDetails: [
        { sectionName: 'General', attributeName: 'Power', attributeValue: '9: W' },
        { sectionName: null, attributeName: 'Foot', attributeValue: 'round: yes' },
      ],
      customParameters: { Warranty: '2 years' },
    })
  })

  it('expires at the end of a day that has no time, and keeps ten more images, each once', async () => {
    const images = [1, 1, ...Array.from({ length: 10 }, (_, n) => n + 2)]
    const { offer, codes } = await one(
      { expiration_date: '2030-01-31' },
      images.map((n) => `<g:additional_image_link>https://shop.example/${n}.jpg</g:additional_image_link>`).join(''),
    )
    expect(offer).toMatchObject({ expiresAt: Date.parse('2030-01-31T23:59:59Z'), isAvailable: true })
    expect(offer!.additionalImageLinks).toHaveLength(10)
    expect(codes).toEqual(['TOO_MANY_VALUES'])
  })

  it.each(['id', 'title', 'link', 'image_link', 'price', 'availability'])(
    'is rejected without %s, or with an empty one',
    async (field) => {
      for (const value of [undefined, '', ' \n', '<![CDATA[ ]]>']) {
        const { offer, issues } = await one({ [field]: value })
        expect(offer).toBeNull()
        expect(issues).toMatchObject([{ severity: 'REJECTED', code: 'MISSING_FIELD', field, line: 2 }])
      }
    },
  )

  it('is told all that it lacks at once, under its id', async () => {
    const { issues } = await one({ price: undefined, availability: 'maybe', link: 'shop.example' })
    expect(issues.map(({ code, field, productId }) => [code, field, productId])).toEqual([
      ['INVALID_LINK', 'link', 'A1'],
      ['MISSING_FIELD', 'price', 'A1'],
      ['INVALID_AVAILABILITY', 'availability', 'A1'],
    ])
  })

  it.each([
    ['id', 'x'.repeat(101), 'ID_TOO_LONG'],
    ['link', '/relative', 'INVALID_LINK'],
    ['link', 'javascript:alert(1)', 'INVALID_LINK'],
    ['image_link', 'ftp://a.example/i', 'INVALID_LINK'],
    ['image_link', `https://a.example/${'x'.repeat(2_000)}`, 'INVALID_LINK'],
    ['price', '0.00 EUR', 'INVALID_PRICE'],
    ['price', 'on request', 'INVALID_PRICE'],
    ['price', '1.234 EUR', 'AMBIGUOUS_PRICE'],
    ['price', '12.50 USD', 'CURRENCY_MISMATCH'],
    ['price', '$12.50', 'CURRENCY_MISMATCH'],
    ['availability', 'out stock', 'INVALID_AVAILABILITY'],
  ])('is rejected with %s %s', async (field, value, code) => {
    const { offer, codes } = await one({ [field]: value })
    expect(offer).toBeNull()
    expect(codes).toEqual([code])
  })

  it.each([
    ['title', 'x'.repeat(600), { title: 'x'.repeat(500) }, 'VALUE_TOO_LONG'],
    ['title', '&lt;b&gt;Big&lt;/b&gt; lamp', { title: 'Big lamp' }, 'HTML_REMOVED'],
    ['title', 'Caf\ufffd', { title: 'Caf\ufffd' }, 'ENCODING'],
    ['description', 'y '.repeat(4_000), { description: 'y '.repeat(2_500).trimEnd() }, 'VALUE_TOO_LONG'],
    ['description', '&lt;br/&gt;', { description: null }, 'MISSING_DESCRIPTION'],
    ['link', 'https://a.example/a b', { link: 'https://a.example/a%20b' }, 'URL_ENCODED'],
    ['image_link', 'https://a.example/zdję.jpg', { imageLink: 'https://a.example/zdj%C4%99.jpg' }, 'URL_ENCODED'],
    ['price', 'EUR 12,50', { priceMicros: 12_500_000 }, 'PRICE_FORMAT'],
    ['price', '12.50', { priceMicros: 12_500_000, currency: 'EUR' }, 'MISSING_CURRENCY'],
    ['sale_price', '12.50 EUR', { salePriceMicros: null }, 'INVALID_SALE_PRICE'],
    ['sale_price', '1 USD', { salePriceMicros: null }, 'INVALID_SALE_PRICE'],
    ['sale_price', 'free', { salePriceMicros: null }, 'INVALID_SALE_PRICE'],
    ['gtin', '4006381333932', { gtin: null }, 'INVALID_GTIN'],
    ['brand', 'b'.repeat(101), { brand: null }, 'VALUE_TOO_LONG'],
    ['condition', 'like new', { condition: null }, 'INVALID_VALUE'],
    ['gender', 'ladies', { gender: null }, 'INVALID_VALUE'],
    ['age_group', '30+', { ageGroup: null }, 'INVALID_VALUE'],
    ['adult', 'perhaps', { adult: null }, 'INVALID_VALUE'],
    ['energy_efficiency_class', 'H', { energyEfficiencyClass: null }, 'INVALID_VALUE'],
    ['expiration_date', 'tomorrow', { expiresAt: null }, 'INVALID_VALUE'],
    ['additional_image_link', '/2.jpg', { additionalImageLinks: [] }, 'INVALID_VALUE'],
    ['shipping', 'everywhere', { shipping: [] }, 'INCOMPLETE_GROUP'],
    ['product_detail', 'only a name', { productDetails: [] }, 'INCOMPLETE_GROUP'],
    ['custom_label_0', 'l'.repeat(101), { labels: [] }, 'VALUE_TOO_LONG'],
  ])('is taken with a warning with %s %s', async (field, value, expected, code) => {
    const { offer, issues } = await one({ [field]: value })
    expect(offer).toMatchObject(expected)
    expect(issues).toMatchObject([{ severity: 'WARNING', code, field, line: 2 }])
  })

  it('keeps the first of a repeated element, with a warning unless they agree', async () => {
    const more = '<g:brand>B</g:brand>'
    expect(await one({ brand: 'A' }, more)).toMatchObject({ offer: { brand: 'A' }, codes: ['REPEATED_FIELD'] })
    expect(await one({ brand: 'B' }, more)).toMatchObject({ offer: { brand: 'B' }, codes: [] })
  })

  it('takes empty optional elements for missing ones, and several images for one', async () => {
    const { offer, codes } = await one(
      { gender: '', age_group: ' ', gtin: '' },
      '<g:additional_image_link>https://a.example/2</g:additional_image_link>'.repeat(3),
    )
    expect(offer).toMatchObject({ gender: null, ageGroup: null, gtin: null })
    expect(codes).toEqual([])
  })

  it('never cuts a character in two', async () => {
    const { offer } = await one({ title: `${'x'.repeat(499)}😀` })
    expect(offer!.title.isWellFormed()).toBe(true)
  })

  it.each([
    ['in stock', true, 'in_stock'],
    ['In Stock', true, 'in_stock'],
    ['https://schema.org/InStock', true, 'in_stock'],
    ['available for order', true, 'in_stock'],
    ['out-of-stock', false, 'out_of_stock'],
    ['OUT_OF_STOCK', false, 'out_of_stock'],
    ['preorder', true, 'preorder'],
    ['pre order', true, 'preorder'],
    ['backorder', true, 'backorder'],
  ])('reads the availability %s', async (text, isAvailable, availability) => {
    expect((await one({ availability: text })).offer).toMatchObject({ isAvailable, availability })
  })
})

describe('a sale with dates', () => {
  const sale = (dates: string) => one({ sale_price: '9 EUR', sale_price_effective_date: dates })
  it('has its price only within them, and says when that changes', async () => {
    const at = (text: string) => Date.parse(text)
    expect(await sale('2026-06-01T00:00+0200/2026-06-30T12:00Z')).toMatchObject({
      offer: { salePriceMicros: 9_000_000 },
      staleAt: at('2026-06-30T12:00:00Z'),
    })
    expect(await sale('2026-07-01T00:00+0200/2026-07-30')).toMatchObject({
      offer: { salePriceMicros: null },
      staleAt: at('2026-06-30T22:00:00Z'),
    })
    expect(await sale('2026-05-01/2026-05-31')).toMatchObject({ offer: { salePriceMicros: null }, staleAt: null })
  })

  it('has no price when the dates cannot be read', async () => {
    for (const dates of ['June', '2026-06-01', '2026-06-30/2026-06-01', '2026-13-01/2026-14-01']) {
      expect(await sale(dates)).toMatchObject({ offer: { salePriceMicros: null }, codes: ['INVALID_SALE_DATES'] })
    }
  })
})

describe('custom parameters', () => {
  it('keeps 50, skips long values, and warns once of those beyond', async () => {
    const many = Array.from({ length: 53 }, (_, i) => `<c:p${i}>${i}</c:p${i}>`).join('')
    const { offer, codes } = await one(
      {},
      `<c:long>${'x'.repeat(501)}</c:long><c:fits>${'x'.repeat(500)}</c:fits>${many}`,
    )
    expect(Object.keys(offer!.customParameters)).toEqual(['fits', ...Array.from({ length: 49 }, (_, i) => `p${i}`)])
    expect(codes).toEqual(['CUSTOM_PARAMETER_TOO_LONG', 'TOO_MANY_CUSTOM_PARAMETERS'])
  })

  it('skips those with endless names', async () => {
    const name = 'n'.repeat(101)
    const { offer, issues } = await one({}, `<c:${name}>1</c:${name}>`)
    expect(offer!.customParameters).toEqual({})
    expect(issues).toMatchObject([{ code: 'CUSTOM_PARAMETER_TOO_LONG', field: `c:${'n'.repeat(100)}` }])
  })

  it('keeps names as written, the first of a repeated one, and nothing that poisons objects', async () => {
    const { offer, codes } = await one(
      {},
      '<c:Ab-c>1</c:Ab-c><c:Ab-c>2</c:Ab-c><c:__proto__>x</c:__proto__><c:constructor>y</c:constructor>',
    )
    expect(Object.entries(offer!.customParameters)).toEqual([
      ['Ab-c', '1'],
      ['constructor', 'y'],
    ])
    expect(codes).toEqual(['REPEATED_FIELD'])
  })
})

it('takes the settings of the feed, and ignores those of the item', async () => {
  const { offer } = await one({}, '<g:lang>xx</g:lang><g:shop_id>other</g:shop_id>')
  expect(offer).toMatchObject({ shopId: context.shopId, feedId: context.feedId, lang: context.lang })
})

const noTimes = { minHandlingTime: null, maxHandlingTime: null, minTransitTime: null, maxTransitTime: null }
