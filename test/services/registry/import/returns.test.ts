import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TransactionReturn } from '../../../../schemas/records/events.ts'
import { decode } from '../../../../schemas/wire/codec.ts'
import { discard, NOW, type Office, openAccount, openOffice, openPublisher, paths } from '../office.ts'

describe('POST /v1/panel/transactions/{eventId}/returns', () => {
  let office: Office
  let publisher: Awaited<ReturnType<typeof openPublisher>>
  let shopId: string
  beforeAll(async () => {
    office = await openOffice()
    publisher = await openPublisher(office)
    shopId = publisher.shopId
  })
  afterAll(() => discard(office))

  const giveBack = (body: object, { token = publisher.token, eventId = 'o/1' } = {}) =>
    office.call('POST', `/v1/panel/transactions/${encodeURIComponent(eventId)}/returns`, body, token)
  async function stored(): Promise<{ key: string | null; value: TransactionReturn }[]> {
    const bounds = await office.log.bounds('transaction-returns')
    const pages = bounds.map(({ partition, start }) => office.log.read('transaction-returns', partition, start, 100))
    return (await Promise.all(pages))
      .flat()
      .map(({ key, value }) => ({ key, value: decode('TransactionReturn', value!) }))
  }

  it('keeps what came back of a purchase, known or not, under the key of the purchase', async () => {
    const lines = [{ shopProductId: 'sku', quantity: 2 }]
    const occurredAt = new Date(NOW - 5_000).toISOString()
    const answer = await giveBack({ returnId: 'r1', shopId, lines, occurredAt, reason: 'too small' })
    const receivedAt = new Date(NOW).toISOString()
    const told = { returnId: 'r1', shopId, eventId: 'o/1', reason: 'too small', lines }
    expect(answer).toMatchObject({ status: 202, body: { ...told, occurredAt, receivedAt } })
    expect(await stored()).toEqual([
      {
        key: `${shopId}/o/1`,
        value: { ...told, returnedBy: publisher.id, occurredAt: NOW - 5_000, receivedAt: NOW },
      },
    ])
  })

  it('takes a return without lines for the whole purchase', async () => {
    expect((await giveBack({ returnId: 'r2', shopId })).body.lines).toEqual([])
  })

  it('lets the shop’s servers do it by a token with the scope events, and no other', async () => {
    const token = async (scopes: string[]) =>
      (await office.make('/v1/panel/tokens', { accountId: publisher.id, name: 't', scopes })).token
    expect((await giveBack({ returnId: 'r3', shopId }, { token: await token(['events']) })).status).toBe(202)
    const refused = await giveBack({ returnId: 'r3', shopId }, { token: await token(['feed']) })
    expect(refused).toMatchObject({ status: 403, body: { detail: expect.stringContaining('panel or events') } })
  })

  it('is for the publisher of the shop', async () => {
    const rival = await openPublisher(office)
    const advertiser = await openAccount(office, 'ADVERTISER')
    expect(paths(await giveBack({ returnId: 'r4', shopId }, rival))).toEqual(['/shopId'])
    expect((await giveBack({ returnId: 'r4', shopId }, advertiser)).status).toBe(403)
  })

  it.each([
    [{ lines: [] }, '/lines'],
    [{ lines: [{ shopProductId: 'sku', quantity: 0 }] }, '/lines/0/quantity'],
    [{ lines: [{ shopProductId: 'sku', quantity: 1.5 }] }, '/lines/0/quantity'],
    [{ returnId: '' }, '/returnId'],
    [{ occurredAt: '2099-01-01T00:00:00Z' }, '/occurredAt'],
  ])('refuses %j by its path', async (wrong, path) => {
    expect(paths(await giveBack({ returnId: 'r5', shopId, ...wrong }))).toEqual([path])
  })
})
