import { beforeEach, describe, expect, test } from 'vitest'
import { SHOP_ID } from '../../streams/judge/fixtures.ts'
import {
  adEndpoints,
  CAMPAIGN_ID,
  intakeOverMemory,
  line,
  NOW,
  oldPurchase,
  pageView,
  purchase,
  showIdOf,
} from './intake.fixtures.ts'

let intake: ReturnType<typeof intakeOverMemory>
beforeEach(() => {
  intake = intakeOverMemory()
})

const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36'
const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'

describe.each(adEndpoints)('%s', (url, type, kind) => {
  test('records the event of its ad under its campaign', async () => {
    const showId = showIdOf({ kind, cid: 'shown-to', uid: 'known' })
    const answer = await intake.post(url, { showId }, { 'user-agent': CHROME })
    expect(answer).toMatchObject({ status: 202, body: { clientId: 'shown-to', accepted: 1, rejected: [] } })
    expect(intake.records()).toMatchObject([
      {
        topic: 'ad-events',
        key: CAMPAIGN_ID,
        value: { type, cid: 'shown-to', uid: 'known', occurredAt: NOW, receivedAt: NOW, bot: false, claims: { kind } },
      },
    ])
  })

  test('refuses the ads of the other kind', async () => {
    const showId = showIdOf({ kind: kind === 'DISPLAY' ? 'SPONSORED' : 'DISPLAY' })
    const { status, body } = await intake.post(url, { showId })
    expect({ status, code: body.code, path: body.errors[0].path }).toEqual({
      status: 400,
      code: 'WRONG_KIND',
      path: '/showId',
    })
  })
})

describe('a view or click', () => {
  test('is of the person in the headers, and of nobody known when another cid replays the showId', async () => {
    const showId = showIdOf({ cid: 'a', uid: 'u' })
    await intake.post('/v1/dsa/view-event', { showId }, { cid: 'a', uid: 'other' })
    await intake.post('/v1/dsa/view-event', { showId }, { cid: 'b' })
    await intake.post('/v1/dsa/view-event', { showId }, { cid: '', uid: '' })
    expect(intake.records().map(({ value }) => value)).toMatchObject([
      { cid: 'a', uid: 'other', claims: { cid: 'a' } },
      { cid: 'b', uid: null, claims: { cid: 'a' } },
      { cid: 'a', uid: 'u' },
    ])
  })

  test('of an ad that was shown more than 39 days ago does not name the person who saw it', async () => {
    const days = 86_400_000
    for (const emittedAt of [NOW - 39 * days, NOW - 39 * days - 1]) {
      await intake.post('/v1/dsa/click-event', { showId: showIdOf({ cid: 'a', uid: 'u', emittedAt }) }, { cid: 'b' })
    }
    expect(intake.records().map(({ value }) => value)).toMatchObject([
      { cid: 'b', claims: { cid: 'a', uid: 'u' } },
      { cid: 'b', claims: { cid: '', uid: null } },
    ])
  })

  test.each([
    [GOOGLEBOT, true],
    ['Mozilla/5.0 HeadlessChrome/120.0 Safari/537.36', true],
    ['Scrapy/2.11', true],
    [CHROME, false],
    ['okhttp/4.12.0', false],
    ['curl/8.5.0', false],
    ['node', false],
    ['', false],
  ])('from %j is a bot: %s', async (userAgent, bot) => {
    await intake.post('/v1/dsa/view-event', { showId: showIdOf() }, { 'user-agent': userAgent })
    expect(intake.records()[0]!.value).toMatchObject({ bot })
  })

  test('of either kind, and in a batch, is known as a bot alike', async () => {
    const [sponsored, display] = [() => showIdOf(), () => showIdOf({ kind: 'DISPLAY' })]
    const asBot = { 'user-agent': GOOGLEBOT }
    await intake.post('/v1/dsa/click-event', { showId: sponsored() }, asBot)
    await intake.post('/v1/banner/dsa/view-event', { showId: display() }, asBot)
    await intake.post('/v1/banner/dsa/click-event', { showId: display() }, asBot)
    const events = ['VIEW', 'CLICK'].map((type) => ({ type, showId: sponsored() }))
    await intake.post('/v1/ev/batch', { events }, asBot)
    expect(intake.records().map(({ value }) => value)).toMatchObject(Array.from({ length: 5 }, () => ({ bot: true })))
  })

  test('with a showId that is not ours is refused', async () => {
    for (const showId of ['x', `${showIdOf()}A`, showIdOf().slice(0, -4), 'ż'.repeat(100)]) {
      const { status, body } = await intake.post('/v1/dsa/click-event', { showId })
      expect({ status, code: body.code, path: body.errors[0].path }).toEqual({
        status: 400,
        code: 'INVALID_SHOW_ID',
        path: '/showId',
      })
    }
  })
})

describe('a transaction', () => {
  const url = '/v1/ev/transaction'

  test('is recorded whole, in micros, under its cid', async () => {
    const occurredAt = new Date(NOW - 3_600_000).toISOString()
    const answer = await intake.post(url, { ...purchase, locale: 'pl_PL', occurredAt }, { cid: 'c', uid: 'u' })
    expect(answer).toMatchObject({ status: 202, body: { clientId: 'c', accepted: 1, rejected: [] } })
    const nothing = { productTitle: null, brand: null, sellerId: null }
    expect(intake.records()).toEqual([
      {
        topic: 'transactions',
        key: 'c',
        value: {
          eventId: 'order-1',
          kind: 'PURCHASE',
          shopId: SHOP_ID,
          cid: 'c',
          uid: 'u',
          currency: 'PLN',
          locale: 'pl_PL',
          occurredAt: NOW - 3_600_000,
          receivedAt: NOW,
          imported: false,
          proof: 'ANONYMOUS',
          lines: [{ shopProductId: 'p1', priceMicros: 19_990_000, quantity: 2, ...nothing }],
        },
      },
    ])
  })

  test('without an eventId gets one', async () => {
    const { eventId: _, ...bare } = purchase
    for (const body of [bare, { ...bare, eventId: '' }, { ...bare, eventId: null }])
      await intake.post(url, body, { cid: 'c' })
    const ids = intake.records().map(({ value }) => (value as { eventId: string }).eventId)
    expect(new Set(ids.filter((id) => id.length === 36)).size).toBe(3)
  })

  test('needs a cid', async () => {
    const { status, body } = await intake.post(url, purchase)
    expect(status).toBe(400)
    expect(body.errors).toEqual([{ path: 'header/cid', message: 'is required' }])
  })

  test.each<[string, object]>([
    ['/kind', { kind: 'REFUND' }],
    ['/shopId', { shopId: 'ffffffff-ffff-4fff-8fff-ffffffffffff' }],
    ['/shopId', { shopId: 7 }],
    ['/currency', { currency: 'ZŁ' }],
    ['/currency', { currency: undefined }],
    ['/products', { products: [] }],
    ['/products', { products: undefined }],
    ['/products', { products: Array(1_001).fill(line) }],
    ['/products/0/price', { products: [{ ...line, price: -0.01 }] }],
    ['/products/0/price', { products: [{ ...line, price: '19.99' }] }],
    ['/products/0/price', { products: [{ ...line, price: 1e10 }] }],
    ['/products/1/quantity', { products: [line, { ...line, quantity: 0 }] }],
    ['/products/0/quantity', { products: [{ ...line, quantity: 1.5 }] }],
    ['/products/0/shopProductId', { products: [{ ...line, shopProductId: '' }] }],
    ['/occurredAt', { occurredAt: new Date(NOW - 7 * 86_400_000 - 1).toISOString() }],
  ])('with a wrong value is refused, naming %s', async (path, change) => {
    const { status, headers, body } = await intake.post(url, { ...purchase, ...change }, { cid: 'c' })
    expect(status).toBe(400)
    expect(headers['content-type']).toContain('application/problem+json')
    expect(body.errors.map((error: { path: string }) => error.path)).toContain(path)
    expect(intake.records()).toEqual([])
  })

  test('that happened a little ahead of our clock happened now', async () => {
    await intake.post(url, { ...purchase, occurredAt: '2026-03-10T13:00:05+01:00' }, { cid: 'c' })
    expect(intake.records()[0]!.value).toMatchObject({ occurredAt: NOW })
  })
})

describe.each(['purchase', 'cart', 'wishlist'])('the deprecated /v1/events/%s', (name) => {
  test('records a transaction of its kind, with titles, brands and sellers', async () => {
    const products = [{ ...line, productTitle: 'Kettle', brand: 'Acme', sellerId: 's1' }]
    const answer = await intake.post(`/v1/events/${name}`, { ...oldPurchase, products }, { cid: 'c' })
    expect(answer.status).toBe(202)
    expect(intake.records()[0]!.value).toMatchObject({
      kind: name.toUpperCase(),
      lines: [{ shopProductId: 'p1', productTitle: 'Kettle', brand: 'Acme', sellerId: 's1' }],
    })
  })
})

describe('a page view', () => {
  const url = '/v1/ev/page-view'

  test('is recorded under the cid of its body', async () => {
    const body = { ...pageView, cid: 'c', uid: 'u', gclid: 'g', utmSource: 's', shopProductId: 'p1', utmMedium: '' }
    expect(await intake.post(url, body)).toMatchObject({ status: 202, body: { clientId: 'c' } })
    const value = { ...body, proof: 'ANONYMOUS', occurredAt: NOW, receivedAt: NOW, utmMedium: null, utmCampaign: null }
    expect(intake.records()).toEqual([{ topic: 'page-views', key: 'c', value }])
  })

  test('without a cid gets one, which the answer names', async () => {
    const { body } = await intake.post(url, pageView)
    expect(body.clientId).toMatch(/^[0-9a-f-]{36}$/)
    expect(intake.records()[0]).toMatchObject({ key: body.clientId, value: { cid: body.clientId } })
  })

  test.each([
    ['/id', { id: undefined }],
    ['/referer', { referer: 'not a url' }],
    ['/referer', { referer: undefined }],
    ['/shopId', { shopId: 'unknown' }],
  ])('with a wrong value is refused, naming %s', async (path, change) => {
    const { status, body } = await intake.post(url, { ...pageView, ...change })
    expect(status).toBe(400)
    expect(body.errors[0].path).toBe(path)
  })
})
