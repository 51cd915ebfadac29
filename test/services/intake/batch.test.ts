import { beforeEach, describe, expect, test } from 'vitest'
import { SHOP_ID } from '../../streams/judge/fixtures.ts'
import { intakeOverMemory, NOW, showIdOf } from './intake.fixtures.ts'

let intake: ReturnType<typeof intakeOverMemory>
beforeEach(() => {
  intake = intakeOverMemory()
})

const line = { shopProductId: 'p1', price: 19.99, quantity: 2 }
const purchase = { eventId: 'order-1', kind: 'PURCHASE', shopId: SHOP_ID, currency: 'PLN', products: [line] }
const pageView = { id: 'pv-1', referer: 'https://shop.example/p/1?q=ą', shopId: SHOP_ID }

describe('a batch', () => {
  const url = '/v1/ev/batch'

  test('a batch takes all that is valid in one append, in order, and lists the rest', async () => {
    const showId = showIdOf({ kind: 'DISPLAY', cid: 'shown-to' })
    const events = [
      { type: 'VIEW', showId, occurredAt: new Date(NOW - 1_000).toISOString() },
      { type: 'CLICK', showId: 'forged' },
      { type: 'PAGE_VIEW', data: { ...pageView, cid: 'pc' } },
      { type: 'TRANSACTION', data: { ...purchase, cid: 'tc', uid: 'tu' } },
      { type: 'TRANSACTION', data: { ...purchase, cid: 'tc', products: [{ ...line, quantity: -1 }] } },
      { type: 'PAGE_VIEW', data: { ...pageView, referer: '/relative' } },
      { type: 'VIEW', showId, occurredAt: new Date(NOW - 8 * 86_400_000).toISOString() },
      { type: 'SCROLL' },
      null,
      { type: 'VIEW' },
    ]
    const { status, body } = await intake.post(url, { events })
    expect(status).toBe(202)
    expect(body.accepted).toBe(3)
    expect(body.rejected).toEqual([
      { index: 1, code: 'INVALID_SHOW_ID', message: '/events/1/showId: was not made by this service' },
      { index: 4, code: 'INVALID', message: '/events/4/data/products/0/quantity: must be >= 1' },
      { index: 5, code: 'INVALID', message: '/events/5/data/referer: must be a URL' },
      { index: 6, code: 'INVALID', message: '/events/6/occurredAt: is more than 7 days ago' },
      { index: 7, code: 'INVALID', message: '/events/7/type: must be one of VIEW, CLICK, PAGE_VIEW, TRANSACTION' },
      { index: 8, code: 'INVALID', message: '/events/8: must be object' },
      { index: 9, code: 'INVALID', message: '/events/9/showId: is required' },
    ])
    expect(intake.state.calls).toBe(1)
    expect(intake.records().map(({ topic, value }) => [topic, (value as { cid: string }).cid])).toEqual([
      ['ad-events', 'shown-to'],
      ['page-views', 'pc'],
      ['transactions', 'tc'],
    ])
    expect(intake.records()[0]!.value).toMatchObject({ occurredAt: NOW - 1_000 })
  })

  test('dates no view or click to before its ad was served', async () => {
    const served = NOW - 3_600_000
    const events = [
      [served, -3 * 86_400_000],
      [served, -4_000],
      [served, 60_000],
      [NOW + 2_000, -3_602_000],
    ].map(([emittedAt, later]) => {
      return {
        type: 'CLICK',
        showId: showIdOf({ emittedAt: emittedAt! }),
        occurredAt: new Date(emittedAt! + later!).toISOString(),
      }
    })
    const { body } = await intake.post('/v1/ev/batch', { events })
    expect(intake.records().map(({ value }) => value)).toMatchObject(
      [served, served, served + 60_000, NOW].map((occurredAt) => ({ occurredAt })),
    )
    const message = 'is before the ad was served: the time at which it was served is used'
    expect(body.warnings).toEqual([0, 3].map((index) => ({ index, path: `/events/${index}/occurredAt`, message })))
  })

  test('the time of an element is named where it stands, around the data of a transaction or in it', async () => {
    const data = { ...purchase, cid: 'c' }
    const old = new Date(NOW - 8 * 86_400_000).toISOString()
    const future = new Date(NOW + 60_000).toISOString()
    const events = [
      { type: 'TRANSACTION', data, occurredAt: old },
      { type: 'TRANSACTION', data: { ...data, occurredAt: old }, occurredAt: future },
      { type: 'TRANSACTION', data, occurredAt: future },
      { type: 'TRANSACTION', data: { ...data, occurredAt: future }, occurredAt: old },
    ]
    const { body } = await intake.post(url, { events })
    expect(body.rejected.map(({ message }: { message: string }) => message)).toEqual([
      '/events/0/occurredAt: is more than 7 days ago',
      '/events/1/data/occurredAt: is more than 7 days ago',
    ])
    expect(body.warnings.map(({ path }: { path: string }) => path)).toEqual([
      '/events/2/occurredAt',
      '/events/3/data/occurredAt',
    ])
  })

  test('a batch gives page views without a cid the one of the headers, or one assigned for them all', async () => {
    const events = [
      { type: 'PAGE_VIEW', data: pageView },
      { type: 'PAGE_VIEW', data: { ...pageView, id: 'pv-2', cid: '' } },
    ]
    const withHeader = await intake.post(url, { events }, { cid: 'hc', uid: 'hu' })
    expect(withHeader.body.clientId).toBe('hc')
    const without = await intake.post(url, { events })
    expect(without.body.clientId).toMatch(/^[0-9a-f-]{36}$/)
    const assigned = without.body.clientId
    expect(intake.records().map(({ value }) => value)).toMatchObject([
      { cid: 'hc', uid: 'hu' },
      { cid: 'hc', uid: 'hu' },
      { cid: assigned, uid: null },
      { cid: assigned, uid: null },
    ])
  })

  test('a batch answers with the cid of its events when nobody was assigned one', async () => {
    const { body } = await intake.post(url, { events: [{ type: 'VIEW', showId: showIdOf({ cid: 'shown-to' }) }] })
    expect(body.clientId).toBe('shown-to')
  })

  test('a batch records repeats and tells how many there are', async () => {
    const view = { type: 'VIEW', showId: showIdOf() }
    const bought = { type: 'TRANSACTION', data: { ...purchase, cid: 'c' } }
    const events = [
      view,
      view,
      { ...view, type: 'CLICK' },
      bought,
      bought,
      { ...bought, data: { ...bought.data, kind: 'CART' } },
    ]
    const { body } = await intake.post(url, { events }, { cid: 'c' })
    expect(body).toEqual({ clientId: 'c', accepted: 6, duplicates: 2, rejected: [] })
    expect(intake.records()).toHaveLength(6)
  })

  test('a batch of which nothing is valid stores nothing and says why', async () => {
    const { status, body } = await intake.post(url, { events: [1, 'two'] })
    expect(status).toBe(202)
    expect(body).toMatchObject({ accepted: 0, rejected: [{ index: 0 }, { index: 1 }] })
    expect(intake.state.calls).toBe(0)
  })

  test.each([
    ['no list', {}, 400],
    ['null', 'null', 400],
    ['another type', { events: 'all' }, 400],
    ['an empty list', { events: [] }, 400],
    ['1,001 elements', { events: Array(1_001).fill({}) }, 413],
  ])('with %s is refused whole', async (_, payload, status) => {
    const answer = await intake.post(url, payload)
    expect(answer.status).toBe(status)
    expect(answer.body.errors[0].path).toBe('/events')
  })

  test('a batch of 1,000 of the longest page views there are is taken, and others have their turn meanwhile', async () => {
    const text = (chars: number) => '€'.repeat(chars)
    const data = {
      ...{
        id: text(256),
        referer: `https://a.example/${text(4_078)}`,
        shopId: pageView.shopId,
        shopProductId: text(256),
      },
      ...{ cid: text(256), uid: text(256), gclid: text(1_000) },
      ...{ utmSource: text(1_000), utmMedium: text(1_000), utmCampaign: text(1_000) },
    }
    let turns = 0
    let isOver = false
    const count = () => {
      turns++
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    const { status, body } = await intake.post(url, { events: Array(1_000).fill({ type: 'PAGE_VIEW', data }) })
    isOver = true
    expect({ status, accepted: body.accepted, rejected: body.rejected }).toEqual({
      status: 202,
      accepted: 1_000,
      rejected: [],
    })
    expect(turns).toBeGreaterThan(10)
  })

  test('a batch of 1,000 transactions with nothing in their lines is refused with a few reasons each', async () => {
    const data = { ...purchase, cid: 'c', products: Array(300).fill({}) }
    const { status, body } = await intake.post(url, { events: Array(1_000).fill({ type: 'TRANSACTION', data }) })
    expect({ status, accepted: body.accepted }).toEqual({ status: 202, accepted: 0 })
    for (const { message } of body.rejected) expect(message.split('; ')).toHaveLength(5)
  })

  test('a batch takes what is right beside an element that is larger than a single event, or holds too much', async () => {
    const element = { type: 'TRANSACTION', data: { ...purchase, cid: 'c' } }
    const large = { ...element, one: 'a'.repeat(600_000), two: 'a'.repeat(600_000) }
    const deep = JSON.parse(`{"a":${'['.repeat(40)}${']'.repeat(40)}}`)
    const { status, body } = await intake.post(url, { events: [large, element, deep] })
    expect(status).toBe(202)
    expect(body).toMatchObject({
      accepted: 1,
      rejected: [
        { index: 0, code: 'TOO_LARGE' },
        { index: 2, code: 'TOO_LARGE' },
      ],
    })
  })

  test('a batch of more than 64 MiB is refused', async () => {
    const { status, body } = await intake.post(url, { events: ['x'.repeat(64 * 1024 * 1024)] })
    expect({ status, code: body.code }).toEqual({ status: 413, code: 'TOO_LARGE' })
  })

  test('a batch is not JSON when one of its elements is not', async () => {
    const { status, body } = await intake.post(url, '{"events":[{"type":"VIEW"},{"type":}]}')
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'MALFORMED_JSON' })
  })
})
