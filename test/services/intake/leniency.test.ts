import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { SHOP_ID } from '../../streams/judge/fixtures.ts'
import { intakeOverMemory, line, NOW, pageView, purchase, showIdOf } from './intake.fixtures.ts'

let intake: ReturnType<typeof intakeOverMemory>
beforeEach(() => {
  intake = intakeOverMemory()
})

const batch = '/v1/ev/batch'
const only = () => intake.records()[0]!.value

describe('a malformed optional field is left out with a warning, and never costs the event', () => {
  test.each<[string, unknown, object]>([
    ['locale', 'pl-PL', { locale: null }],
    ['locale', 7, { locale: null }],
    ['eventId', 4711, { eventId: '4711' }],
    ['eventId', 'x'.repeat(257), { eventId: createHash('sha256').update('x'.repeat(257)).digest('hex') }],
    ['eventId', { id: 1 }, { eventId: expect.stringMatching(/^[0-9a-f-]{36}$/) }],
    // The number has lost digits, so it may be another order's id.
    ['eventId', 12345678901234567000, { eventId: expect.stringMatching(/^[0-9a-f-]{36}$/) }],
    ['occurredAt', 'yesterday', { occurredAt: NOW }],
    ['occurredAt', '2026-03-10T11:00:00', { occurredAt: NOW }],
    ['occurredAt', NOW, { occurredAt: NOW }],
    ['occurredAt', new Date(NOW + 5_001).toISOString(), { occurredAt: NOW }],
  ])('of a transaction: %s %j', async (name, value, expected) => {
    const { status, body } = await intake.post('/v1/ev/transaction', { ...purchase, [name]: value }, { cid: 'c' })
    expect(status).toBe(202)
    expect(body).toMatchObject({ accepted: 1, rejected: [] })
    expect(body.warnings).toEqual([{ path: `/${name}`, message: expect.any(String) }])
    expect(only()).toMatchObject(expected)
  })

  test.each([
    ['gclid', 'x'.repeat(1_001)],
    ['gclid', 1],
    ['utmSource', ['mail']],
    ['utmMedium', false],
    ['utmCampaign', {}],
    ['shopProductId', 5],
    ['uid', 'x'.repeat(257)],
  ])('of a page view: %s', async (name, value) => {
    const { status, body } = await intake.post('/v1/ev/page-view', { ...pageView, cid: 'c', [name]: value })
    expect([status, body.warnings]).toEqual([202, [{ path: `/${name}`, message: expect.any(String) }]])
    expect(only()).toMatchObject({ id: 'pv-1', cid: 'c', [name]: null })
  })

  test('of a page view: a cid, which is then assigned', async () => {
    const { status, body } = await intake.post('/v1/ev/page-view', { ...pageView, cid: 'x'.repeat(257) })
    expect([status, body.warnings]).toEqual([202, [{ path: '/cid', message: expect.any(String) }]])
    expect(body.clientId).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('of a line of the deprecated endpoints', async () => {
    const products = [{ ...line, productTitle: 'Kettle', brand: 7, sellerId: 'x'.repeat(257) }]
    const { kind: _, ...old } = { ...purchase, products }
    const { status, body } = await intake.post('/v1/events/purchase', old, { cid: 'c' })
    expect(status).toBe(202)
    expect(body.warnings.map(({ path }: { path: string }) => path)).toEqual([
      '/products/0/brand',
      '/products/0/sellerId',
    ])
    expect(only()).toMatchObject({ lines: [{ productTitle: 'Kettle', brand: null, sellerId: null }] })
  })

  test('of an order: another currency than that of the shop, which is kept', async () => {
    const { status, body } = await intake.post('/v1/ev/transaction', { ...purchase, currency: 'eur' }, { cid: 'c' })
    const message = expect.stringMatching(/^is not PLN, the currency of the shop/)
    expect([status, body.warnings]).toEqual([202, [{ path: '/currency', message }]])
    expect(only()).toMatchObject({ currency: 'EUR' })
  })

  test('of the headers: a uid', async () => {
    const { status, body } = await intake.post('/v1/ev/transaction', purchase, { cid: 'c', uid: 'x'.repeat(257) })
    expect([status, body.warnings]).toEqual([202, [{ path: 'header/uid', message: expect.any(String) }]])
    expect(only()).toMatchObject({ cid: 'c', uid: null })
  })

  test('and the headers count characters like a body, whatever their script', async () => {
    const id = '😀'.repeat(256)
    const headers = { cid: Buffer.from(id).toString('latin1'), uid: Buffer.from(`${id}😀`).toString('latin1') }
    const { status, body } = await intake.post('/v1/ev/transaction', purchase, headers)
    expect([status, body.warnings]).toEqual([202, [{ path: 'header/uid', message: expect.any(String) }]])
    const events = [{ type: 'TRANSACTION', data: { ...purchase, cid: id, uid: `${id}😀` } }]
    expect((await intake.post(batch, { events })).body).toMatchObject({ accepted: 1, warnings: [{}] })
    expect(intake.records().map(({ value }) => value)).toMatchObject(Array(2).fill({ cid: id, uid: null }))
  })

  test('of elements of a batch, whose warnings name their places', async () => {
    const events = [
      { type: 'VIEW', showId: showIdOf(), occurredAt: 'now' },
      { type: 'PAGE_VIEW', data: { ...pageView, gclid: 1 }, occurredAt: new Date(NOW + 60_000).toISOString() },
      { type: 'TRANSACTION', data: { ...purchase, cid: 'c' } },
      { type: 'TRANSACTION', data: { ...purchase, cid: 'c', locale: 'pl-PL', occurredAt: '' } },
    ]
    const { body } = await intake.post(batch, { events })
    expect(body).toMatchObject({ accepted: 4, rejected: [] })
    expect(body.warnings.map(({ index, path }: { index: number; path: string }) => [index, path])).toEqual([
      [0, '/events/0/occurredAt'],
      [1, '/events/1/data/gclid'],
      [1, '/events/1/occurredAt'],
      [3, '/events/3/data/occurredAt'],
      [3, '/events/3/data/locale'],
    ])
  })

  test('while a required one does: no event is made up', async () => {
    const { status, body } = await intake.post(
      '/v1/ev/transaction',
      { ...purchase, locale: 'x', kind: 1 },
      { cid: 'c' },
    )
    expect([status, body.errors.map(({ path }: { path: string }) => path)]).toEqual([400, ['/kind']])
    expect(intake.records()).toEqual([])
  })

  test('and an answer without warnings has none', async () => {
    const { body } = await intake.post('/v1/ev/transaction', purchase, { cid: 'c' })
    expect(body).not.toHaveProperty('warnings')
  })

  test('and a malformed eventId sent again is the same event', async () => {
    const data = { ...purchase, cid: 'c', eventId: 'x'.repeat(300) }
    const { body } = await intake.post(batch, {
      events: [
        { type: 'TRANSACTION', data },
        { type: 'TRANSACTION', data },
      ],
    })
    expect(body).toMatchObject({ accepted: 2, duplicates: 1 })
  })
})

describe('a member that an endpoint does not know is ignored, whatever it holds', () => {
  const known = { productTitle: null, brand: null, sellerId: null }
  const products = [{ ...line, productTitle: true, brand: ['Acme'], sellerId: 's'.repeat(10_000) }]

  test('in a line of a transaction', async () => {
    const { status, body } = await intake.post('/v1/ev/transaction', { ...purchase, products }, { cid: 'c' })
    expect([status, body.warnings]).toEqual([202, undefined])
    expect(only()).toMatchObject({ lines: [known] })
  })

  test('in a batch, so that it does not cost the other events', async () => {
    const data = { ...purchase, cid: 'c' }
    const events = [
      { type: 'TRANSACTION', data: { ...data, products } },
      { type: 'TRANSACTION', data: { ...data, eventId: 'order-2' } },
    ]
    const { status, body } = await intake.post(batch, { events })
    expect(status).toBe(202)
    expect(body).toMatchObject({ accepted: 2, rejected: [] })
    expect(only()).toMatchObject({ lines: [known] })
  })

  test('in a body of the deprecated endpoints', async () => {
    const { kind: _, ...old } = { ...purchase, products: [{ ...line, productTitle: 'Kettle' }], locale: 7 }
    const { status } = await intake.post('/v1/events/purchase', old, { cid: 'c' })
    expect(status).toBe(202)
    expect(only()).toMatchObject({ locale: null, lines: [{ productTitle: 'Kettle' }] })
  })
})

test.each([[undefined], [null], [''], ['x'.repeat(257)], [7]])(
  'a transaction of a batch with %j for its cid is refused, whatever the headers say',
  async (cid) => {
    const events = [
      { type: 'TRANSACTION', data: { ...purchase, cid } },
      { type: 'TRANSACTION', data: { ...purchase, cid: 'inside' } },
    ]
    const { status, body } = await intake.post(batch, { events }, { cid: 'header' })
    expect(status).toBe(202)
    expect(body.accepted).toBe(1)
    expect(body.rejected).toEqual([
      { index: 0, code: 'INVALID', message: expect.stringContaining('/events/0/data/cid') },
    ])
    expect(intake.records().map(({ key }) => key)).toEqual(['inside'])
  },
)

describe('null is missing', () => {
  test('in every optional field', async () => {
    const nothing = { eventId: null, locale: null, occurredAt: null }
    const nobody = { cid: null, uid: null, gclid: null, utmSource: null, utmMedium: null, utmCampaign: null }
    const events = [
      { type: 'VIEW', showId: showIdOf(), occurredAt: null },
      { type: 'PAGE_VIEW', data: { ...pageView, ...nobody, shopProductId: null }, occurredAt: null },
      { type: 'TRANSACTION', data: { ...purchase, ...nothing, cid: 'c', uid: null }, occurredAt: null },
    ]
    const { body } = await intake.post(batch, { events })
    expect(body).toMatchObject({ accepted: 3, rejected: [] })
    expect(body).not.toHaveProperty('warnings')
  })
})

describe('ids', () => {
  test('of shops are the same in any case', async () => {
    const shopId = SHOP_ID.toUpperCase()
    expect(shopId).not.toBe(SHOP_ID)
    const events = [
      { type: 'PAGE_VIEW', data: { ...pageView, shopId } },
      { type: 'TRANSACTION', data: { ...purchase, shopId, cid: 'c' } },
      { type: 'TRANSACTION', data: { ...purchase, cid: 'c' } },
    ]
    const { body } = await intake.post(batch, { events })
    expect(body).toMatchObject({ accepted: 3, duplicates: 1, rejected: [] })
    expect((await intake.post('/v1/ev/transaction', { ...purchase, shopId }, { cid: 'c' })).status).toBe(202)
    for (const { value } of intake.records()) expect(value).toMatchObject({ shopId: SHOP_ID })
  })

  test('of people are the same in a header of UTF-8 as in a body', async () => {
    const cid = 'żółw-🐢'
    const asSent = Buffer.from(cid).toString('latin1')
    await intake.post('/v1/ev/transaction', purchase, { cid: asSent, uid: asSent })
    await intake.post('/v1/ev/page-view', { ...pageView, cid, uid: cid })
    const latin1 = Buffer.from('caf\xe9', 'latin1').toString('latin1')
    await intake.post('/v1/ev/transaction', purchase, { cid: latin1 })
    expect(intake.records().map(({ value }) => value)).toMatchObject([
      { cid, uid: cid },
      { cid, uid: cid },
      { cid: 'café', uid: null },
    ])
  })
})
