import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { LogUnavailable } from '../../../infra/event-log/port.ts'
import { tries } from '../../effort.ts'
import { adEndpoints, intakeOverMemory, oldPurchase, pageView, purchase, showIdOf } from './intake.fixtures.ts'

let intake: ReturnType<typeof intakeOverMemory>
beforeEach(() => {
  intake = intakeOverMemory()
})

const endpoints = [
  ...adEndpoints.map(([url]) => url),
  '/v1/ev/transaction',
  '/v1/ev/page-view',
  '/v1/ev/batch',
  '/v1/events/purchase',
  '/v1/events/cart',
  '/v1/events/wishlist',
]
const bodies: Record<string, unknown> = {
  '/v1/ev/transaction': purchase,
  '/v1/ev/page-view': pageView,
  '/v1/ev/batch': { events: [{ type: 'TRANSACTION', data: { ...purchase, cid: 'c' } }] },
  '/v1/events/purchase': oldPurchase,
  '/v1/events/cart': oldPurchase,
  '/v1/events/wishlist': oldPurchase,
}
const validBody = (url: string) =>
  bodies[url] ?? { showId: showIdOf({ kind: url.includes('banner') ? 'DISPLAY' : 'SPONSORED' }) }

describe.each(endpoints)('%s', (url) => {
  test('answers 503 with Retry-After, and no details, while the log cannot take events', async () => {
    intake.state.failWith = new LogUnavailable('disk full at /secret')
    const { status, headers, body } = await intake.post(url, validBody(url), { cid: 'c' })
    expect({ status, code: body.code }).toEqual({ status: 503, code: 'UNAVAILABLE' })
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    expect(JSON.stringify(body)).not.toContain('secret')
  })

  test('takes JSON that a browser could only send as text', async () => {
    const body = JSON.stringify(validBody(url))
    const { status } = await intake.post(url, body, { 'content-type': 'text/plain;charset=UTF-8', cid: 'c' })
    expect(status).toBe(202)
  })

  test.each([
    ['{"showId": ', 'application/json', 400],
    ['{"showId": ', 'text/plain', 400],
    ['{"__proto__": {}}', 'text/plain', 400],
    ['', 'application/json', 400],
    ['{"__proto__": {}}', 'application/json', 400],
    ['showId=1', 'application/x-www-form-urlencoded', 415],
  ])('refuses %j as %s with %i', async (payload, contentType, expected) => {
    const { status, body } = await intake.post(url, payload, { 'content-type': contentType, cid: 'c' })
    expect(status).toBe(expected)
    expect(body.status).toBe(expected)
  })

  test('refuses a cid that is too long', async () => {
    const { status, body } = await intake.post(url, validBody(url), { cid: 'x'.repeat(257) })
    expect(status).toBe(400)
    expect(body.errors[0].path).toBe('header/cid')
  })

  test('gives whatever JSON it is sent an answer that is no 5xx, and a problem unless it is taken', async () => {
    const valid = validBody(url) as Record<string, unknown>
    const mutated = fc
      .tuple(fc.constantFrom(...Object.keys(valid)), fc.jsonValue())
      .map(([name, value]) => ({ ...valid, [name]: value }))
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.jsonValue(), mutated), async (payload) => {
        const { status, body } = await intake.post(url, JSON.stringify(payload), { cid: 'c' })
        if (status === 202) return
        expect(status).toBeGreaterThanOrEqual(400)
        expect(status).toBeLessThan(500)
        expect(body.detail.length).toBeGreaterThan(0)
        if (body.code !== 'MALFORMED_JSON') expect(body.errors.length).toBeGreaterThan(0)
      }),
      { numRuns: tries(60, 600) },
    )
  })
})

test('a purchase of a shop that may only be missing from the copy of the registry here is to be sent again', async () => {
  const unknown = { ...purchase, shopId: 'ffffffff-ffff-4fff-8fff-ffffffffffff' }
  intake.snapshot.staleReason = 'The copy ends at offset 7'
  const { status, headers } = await intake.post('/v1/ev/transaction', unknown, { cid: 'c' })
  expect(status).toBe(503)
  expect(headers['retry-after']).toBe('5')
  expect((await intake.post('/v1/ev/transaction', purchase, { cid: 'c' })).status).toBe(202)
  intake.snapshot.staleReason = null
  expect((await intake.post('/v1/ev/transaction', unknown, { cid: 'c' })).status).toBe(400)
})
