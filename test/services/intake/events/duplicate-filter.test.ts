import { beforeEach, describe, expect, it } from 'vitest'
import { LogUnavailable } from '../../../../infra/event-log/port.ts'
import { SHOP_ID } from '../../../streams/judge/fixtures.ts'
import { intakeOverMemory, showIdOf } from '../intake.fixtures.ts'

const STORED_MAX = 3
const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36'
const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'
const line = { shopProductId: 'p1', price: 19.99, quantity: 2 }
const purchase = { eventId: 'o', kind: 'PURCHASE', shopId: SHOP_ID, currency: 'PLN', products: [line] }
const pageView = { id: 'pv', referer: 'https://shop.example/', shopId: SHOP_ID }
const VIEW = '/v1/dsa/view-event'

let intake: ReturnType<typeof intakeOverMemory>
beforeEach(() => {
  intake = intakeOverMemory()
})

async function times<T>(count: number, run: () => Promise<T>): Promise<T[]> {
  const answers: T[] = []
  for (let i = 0; i < count; i++) answers.push(await run())
  return answers
}

describe('an event told again and again', () => {
  it.each([
    ['a view', VIEW, { showId: showIdOf() }],
    ['a click', '/v1/dsa/click-event', { showId: showIdOf() }],
    ['a page view', '/v1/ev/page-view', pageView],
    ['a purchase', '/v1/ev/transaction', purchase],
  ])('is accepted each time, and stored three times: %s', async (_name, url, body) => {
    const answers = await times(100, () => intake.post(url, body, { cid: 'c' }))
    expect(answers.every(({ status, body: { accepted } }) => status === 202 && accepted === 1)).toBe(true)
    expect(answers.map(({ body: { duplicates = 0 } }) => duplicates)).toEqual([0, ...Array(99).fill(1)])
    expect(intake.records()).toHaveLength(STORED_MAX)
  })

  it('is stored three times of a whole batch, and of batches of it', async () => {
    const showId = showIdOf()
    const events = Array.from({ length: 1_000 }, () => ({ type: 'VIEW', showId }))
    for (const expected of [999, 1_000]) {
      const { status, body } = await intake.post('/v1/ev/batch', { events }, { cid: 'c' })
      expect([status, body]).toEqual([202, { clientId: 'c', accepted: 1_000, duplicates: expected, rejected: [] }])
    }
    expect(intake.records()).toHaveLength(STORED_MAX)
  })

  it('is known although nobody names a cid', async () => {
    await times(10, () => intake.post('/v1/ev/page-view', pageView))
    await times(10, () => intake.post('/v1/ev/batch', { events: [{ type: 'PAGE_VIEW', data: pageView }] }))
    expect(intake.records()).toHaveLength(STORED_MAX)
  })
})

describe('what is stored whatever was told before', () => {
  it.each([
    ['another person', { showId: showIdOf({ cid: 'a' }) }, [{ cid: 'a' }, { cid: 'b' }, { cid: 'a', uid: 'u' }]],
    ['a person after a bot', { showId: showIdOf() }, [{ 'user-agent': GOOGLEBOT }, { 'user-agent': CHROME }]],
  ])('%s', async (_name, body, senders) => {
    for (const headers of senders) await times(5, () => intake.post(VIEW, body, headers as Record<string, string>))
    expect(intake.records()).toHaveLength(STORED_MAX * senders.length)
  })

  it('a click after views, and another ad', async () => {
    const showId = showIdOf()
    await times(5, () => intake.post(VIEW, { showId }))
    await intake.post('/v1/dsa/click-event', { showId })
    await intake.post(VIEW, { showId: showIdOf() })
    expect(intake.records()).toHaveLength(STORED_MAX + 2)
  })

  it('another version of an order, and another time of one event', async () => {
    await times(5, () => intake.post('/v1/ev/transaction', purchase, { cid: 'c' }))
    await intake.post('/v1/ev/transaction', { ...purchase, products: [{ ...line, price: 1 }] }, { cid: 'c' })
    const occurredAt = '2026-03-10T11:00:00Z'
    await times(5, () => intake.post('/v1/ev/transaction', { ...purchase, occurredAt }, { cid: 'c' }))
    expect(intake.records()).toHaveLength(2 * STORED_MAX + 1)
  })

  it('purchases without an eventId, since each is one', async () => {
    const { eventId, ...nameless } = purchase
    await times(10, () => intake.post('/v1/ev/transaction', nameless, { cid: 'c' }))
    expect(intake.records()).toHaveLength(10)
  })

  it('what was not durable before', async () => {
    const body = { showId: showIdOf() }
    intake.state.failWith = new LogUnavailable('the disk is full')
    const refused = await times(10, () => intake.post(VIEW, body))
    expect(refused.every(({ status }) => status === 503)).toBe(true)
    intake.state.failWith = null
    const { body: answer } = await intake.post(VIEW, body)
    expect(answer).not.toHaveProperty('duplicates')
    expect(intake.records()).toHaveLength(1)
  })
})
