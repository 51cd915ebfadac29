import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { picture, upload } from '../images/pictures.ts'
import {
  BOOTSTRAP_TOKEN,
  campaignBody,
  discard,
  displayBody,
  formatBody,
  type Json,
  type Office,
  openOffice,
  openPublisher,
  shopBody,
} from '../office.ts'

/** Each property of each body is replaced by each of these values, one at a time. */
const BROKEN: unknown[] = [
  null,
  true,
  -1,
  1.5,
  1e308,
  2 ** 53,
  '',
  ' ',
  'x',
  '\u0000',
  '\ud800',
  "'; DROP TABLE shops; --",
  'x'.repeat(10_000),
  [],
  [null],
  [[]],
  {},
  { toString: 1, constructor: 2 },
]

describe('broken values', () => {
  let office: Office
  let shop: Awaited<ReturnType<typeof openPublisher>>
  let bodies: [method: string, path: string, body: Json][]

  beforeAll(async () => {
    office = await openOffice()
    shop = await openPublisher(office)
    const campaign = campaignBody(shop.shopId, {
      accountId: shop.id,
      startAt: '2026-06-01T00:00:00Z',
      endAt: '2027-06-01T00:00:00Z',
      dailyBudget: 1,
      pacing: 'EVEN',
      capping: 1,
      attributionProductIds: ['a'],
      status: 'ACTIVE',
      autoPromo: true,
      products: {
        rule: { brands: ['b'], categoryPaths: ['c'], labels: ['l'], sellerIds: ['s'], priceMin: 1, priceMax: 2 },
      },
    })
    const { id: campaignId } = await office.make('/v1/panel/campaigns', campaign)
    await office.call('PATCH', `/v1/panel/accounts/${shop.id}`, { displayEnabled: true })
    const image = await upload(office, shop.token, await picture('png', { width: 40, height: 20 }))
    const targeting = { phrases: ['p'], categoryPaths: ['c'], brands: ['b'], profiles: ['p'], refererPatterns: ['/*'] }
    const extra = { accountId: shop.id, mobileDeepLink: 'app://a', targeting }
    const display: Json = displayBody({ ...shop, imageId: image.body.id }, extra)
    display.banners[0] = { ...display.banners[0], logoImageId: image.body.id, lang: 'de' }
    const { id: displayId } = await office.make('/v1/panel/campaigns', display)
    const { kind: _display, accountId: _payer, shopId: _where, ...changeableDisplay } = display
    const account = { name: 'a', companyName: 'c', taxNumber: 't', sellerIds: ['s'], displayEnabled: true }
    const wholeShop = { ...shopBody, clickWindowHours: 1, viewWindowHours: 1, reserveCpc: 1 }
    const { currency: _currency, ...changeableShop } = wholeShop
    const {
      kind: _kind,
      accountId: _account,
      shopId: _shop,
      autoPromo: _promo,
      ...changeableCampaign
    } = campaign as Json
    const slot = {
      publisherSlotId: 's',
      name: 'n',
      shopId: shop.shopId,
      businessSlot: { id: shop.unitId },
      status: 'ACTIVE',
    }
    const location = { country: 'PL', street: 's', city: 'c', postalCode: 'p' }
    const feed = { name: 'f', url: 'https://shop.example/', lang: 'de' }
    const unit = { name: 'u', algorithm: 'BESTSELLERS', status: 'ACTIVE', adFormatIds: [], targeting: [] }
    bodies = [
      ['POST', '/v1/panel/accounts', { kind: 'PUBLISHER', ...account }],
      ['PATCH', `/v1/panel/accounts/${shop.id}`, account],
      [
        'POST',
        '/v1/panel/tokens',
        { accountId: shop.id, name: 't', scopes: ['feed'], expiresAt: '2030-01-01T00:00:00Z' },
      ],
      ['POST', '/v1/panel/shops', { accountId: shop.id, ...wholeShop }],
      ['PATCH', `/v1/panel/shops/${shop.shopId}`, changeableShop],
      ['POST', '/v1/panel/placements', { shopId: shop.shopId, name: 'p', kind: 'PRODUCT' }],
      ['PATCH', `/v1/panel/placements/${shop.placementId}`, { name: 'p' }],
      ['POST', '/v1/panel/ad-formats', formatBody(shop.shopId, { images: [{ name: 'n', width: 1, height: 2 }] })],
      ['POST', '/v1/panel/ad-units', { placementId: shop.placementId, ...unit }],
      ['PATCH', `/v1/panel/ad-units/${shop.unitId}`, unit],
      ['POST', '/v1/panel/feeds', { shopId: shop.shopId, currency: 'EUR', ...feed }],
      ['PATCH', `/v1/panel/feeds/${shop.feedId}`, feed],
      ['POST', '/v1/panel/campaigns', campaign],
      ['PATCH', `/v1/panel/campaigns/${campaignId}`, changeableCampaign],
      ['POST', '/v1/panel/campaigns', display],
      ['PATCH', `/v1/panel/campaigns/${displayId}`, changeableDisplay],
      ['PUT', '/v1/slots/technical/s', { ...slot, adFormatIds: [shop.formatId], metadata: { location } }],
      [
        'POST',
        '/v1/feed/product',
        {
          entries: [
            {
              batchId: 'b',
              method: 'UPSERT',
              product: {
                feedId: shop.feedId,
                id: 'p',
                title: 't',
                price: 2,
                salePrice: 1,
                isAvailable: true,
                link: 'https://a.example/',
                imageLink: 'https://a.example/i',
                deepLink: 'app://a',
                adult: true,
                labels: ['l'],
                shipping: [{ country: 'DE', price: '1 EUR' }],
                productDetails: [{ sectionName: 's', attributeName: 'n', attributeValue: 'v' }],
                certification: [{ certificationCode: 'c' }],
              },
            },
          ],
        },
      ],
    ]
  })
  afterAll(() => discard(office))

  it('get a problem that names them, or are taken, on every route', async () => {
    let refused = 0
    for (const [method, path, body] of bodies) {
      const sound = await office.call(method, path, body, method === 'PUT' ? shop.token : undefined)
      expect(sound.status, `${method} ${path} ${JSON.stringify(sound.body)}`).toBeLessThan(300)
      if (method === 'PUT') await office.call('DELETE', path, undefined, shop.token)
      for (const property of pointers(body)) {
        for (const value of BROKEN) {
          const token = method === 'PUT' ? shop.token : undefined
          const answer = await office.call(method, path, replaced(body, property, value), token)
          const what = `${method} ${path} ${property} = ${JSON.stringify(value).slice(0, 40)}: ${JSON.stringify(answer.body)}`
          if (answer.status < 300) {
            if (method === 'PUT') await office.call('DELETE', path, undefined, token)
            continue
          }
          refused++
          expect(answer.status, what).toBe(400)
          expect(answer.headers['content-type'], what).toContain('application/problem+json')
          const names = (answer.body.errors as { path: string }[]).some((error) => related(error.path, property))
          expect(names, what).toBe(true)
        }
      }
    }
    expect(refused).toBeGreaterThan(500)
  })

  it('that are no JSON object get a problem on every route', async () => {
    for (const [method, path] of bodies) {
      for (const body of [
        '',
        '{',
        '[]',
        'null',
        '1',
        '"x"',
        '{"a":1}',
        '{"__proto__":{}}',
        '{"constructor":{"prototype":1}}',
        '\ufffd',
      ]) {
        const answer = await office.call(method, path, body, method === 'PUT' ? shop.token : undefined)
        expect(answer.status, `${method} ${path} ${body}`).toBe(400)
        expect(answer.body.code).toMatch(/^(INVALID|MALFORMED_JSON)$/)
      }
      const token = method === 'PUT' ? shop.token : BOOTSTRAP_TOKEN
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/x-www-form-urlencoded' }
      const typed = await office.server.inject({ method: method as 'POST', url: path, headers, payload: 'x' })
      expect(typed.statusCode, path).toBe(415)
      expect(typed.json().code).toBe('UNSUPPORTED_MEDIA_TYPE')
    }
  })

  it('in paths are a 400 or a 404', async () => {
    for (const kind of ['accounts', 'tokens', 'shops', 'placements', 'ad-formats', 'ad-units', 'feeds', 'campaigns']) {
      for (const id of ['x', '%00', '%ZZ', '..%2f..', 'constructor', 'x'.repeat(101), 'x'.repeat(2_000)]) {
        for (const [method, body] of [['GET'], ['PATCH', {}], ['DELETE']] as const) {
          const answer = await office.call(method, `/v1/panel/${kind}/${id}`, body)
          expect([400, 404], `${method} ${kind}/${id}`).toContain(answer.status)
          expect(answer.body.code, `${method} ${kind}/${id}`).toBeDefined()
        }
      }
    }
  })
})

/** JSON pointers to every value inside a body. */
function pointers(value: Json, at = ''): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) => [`${at}/${name}`, ...pointers(part, `${at}/${name}`)])
}

function replaced(body: Json, pointer: string, value: unknown): Json {
  const copy = structuredClone(body)
  const names = pointer.split('/').slice(1)
  const last = names.pop()!
  names.reduce((part, name) => part[name], copy)[last] = value
  return copy
}

/** Whether the named path is the property, below it, above it, or a sibling that is validated together with it. */
function related(path: string, property: string): boolean {
  const above = property.slice(0, property.lastIndexOf('/'))
  return path.startsWith(property) || property.startsWith(path) || path.startsWith(`${above}/`)
}
