import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { discard, formatBody, type Office, openAccount, openOffice, openPublisher, paths } from '../office.ts'

const UNKNOWN = '00000000-0000-4000-8000-000000000000'

describe('ad formats', () => {
  let office: Office
  let publisher: Awaited<ReturnType<typeof openPublisher>>
  let other: Awaited<ReturnType<typeof openPublisher>>
  const make = (extra: object = {}) =>
    office.make('/v1/panel/ad-formats', formatBody(publisher.shopId, extra), publisher.token)
  const call = (method: string, id: string, body?: object, token = publisher.token) =>
    office.call(method, `/v1/panel/ad-formats/${id}`, body, token)

  beforeAll(async () => {
    office = await openOffice()
    publisher = await openPublisher(office)
    other = await openPublisher(office)
  })
  afterAll(() => discard(office))

  it('say what a banner is made of', async () => {
    const given = formatBody(publisher.shopId, { images: [{ name: 'wide', width: 970, height: 250 }] })
    const made = await make(given)
    expect(made).toEqual({ id: expect.any(String), version: 1, updatedAt: expect.any(String), ...given })
    expect((await make()).images).toEqual([{ name: null, width: 40, height: 20 }])
    expect((await call('GET', made.id)).body).toEqual(made)
  })

  it('are seen, but not made or removed, by advertisers, who fill them', async () => {
    const { token } = await openAccount(office, 'ADVERTISER')
    const { id } = await make()
    expect((await call('GET', id, undefined, token)).status).toBe(200)
    expect((await call('DELETE', id, undefined, token)).status).toBe(403)
    expect((await office.call('POST', '/v1/panel/ad-formats', formatBody(publisher.shopId), token)).status).toBe(403)
    expect((await call('GET', id, undefined, other.token)).status).toBe(404)
    const list = await office.call('GET', `/v1/panel/ad-formats?shopId=${other.shopId}`, undefined, token)
    expect(list.body.items.map((format: { id: string }) => format.id)).toEqual([other.formatId])
  })

  it.each([
    ['nothing at all', { images: [], textFields: [] }, ['/images']],
    ['a type twice', { textFields: [field('CTA'), field('TITLE'), field('CTA')] }, ['/textFields/2/type']],
    ['a type in small letters', { textFields: [field('title')] }, ['/textFields/0/type']],
    ['a size of nothing', { images: [{ width: 0, height: 1 }] }, ['/images/0/width']],
    ['a size of pages', { images: [{ width: 1, height: 4097 }] }, ['/images/0/height']],
    ['a text of no length', { textFields: [field('CTA', 0)] }, ['/textFields/0/maxLength']],
    ['11 images', { images: Array.from({ length: 11 }, () => ({ width: 1, height: 1 })) }, ['/images']],
    ['21 texts', { textFields: Array.from({ length: 21 }, (_, i) => field(`T${i}`)) }, ['/textFields']],
    ['an unknown shop', { shopId: UNKNOWN }, ['/shopId']],
  ])('refuse %s', async (_name, extra, expected) => {
    const answer = await office.call('POST', '/v1/panel/ad-formats', formatBody(publisher.shopId, extra))
    expect([answer.status, paths(answer)]).toEqual([400, expected])
  })

  it('never change', async () => {
    const made = await make()
    const answer = await call('PATCH', made.id, { name: 'Other' })
    expect(answer).toMatchObject({ status: 409, body: { code: 'CONFLICT' } })
    expect(answer.body.detail).toContain('create another one')
    expect((await call('GET', made.id)).body).toEqual(made)
  })

  it('go once neither ad units nor technical ad units name them', async () => {
    const { id } = await make()
    const removed = () => call('DELETE', id).then(({ status, body }) => [status, body?.detail])
    const placement = { shopId: publisher.shopId, name: 'Top', kind: 'DISPLAY' }
    const { id: placementId } = await office.make('/v1/panel/placements', placement)
    const unit = { placementId, name: 'Banner', algorithm: 'DISPLAY', adFormatIds: [id] }
    const { id: unitId } = await office.make('/v1/panel/ad-units', unit)
    expect(await removed()).toEqual([409, 'The ad format still has 1 ad unit'])
    const slot = { name: 'S', shopId: publisher.shopId, businessSlot: { id: unitId }, adFormatIds: [id] }
    expect((await office.call('PUT', '/v1/slots/technical/s', slot, publisher.token)).status).toBe(201)
    await office.call('PATCH', `/v1/panel/ad-units/${unitId}`, { adFormatIds: [] })
    expect(await removed()).toEqual([409, 'The ad format still has 1 technical ad unit'])
    await office.call('DELETE', '/v1/slots/technical/s', undefined, publisher.token)
    expect(await removed()).toEqual([204, undefined])
    const again = await office.call('PATCH', `/v1/panel/ad-units/${unitId}`, { adFormatIds: [id] })
    expect([again.status, paths(again)]).toEqual([400, ['/adFormatIds/0']])
  })

  it('are named by units and slots of their own shop only', async () => {
    const placement = { shopId: publisher.shopId, name: 'Top', kind: 'DISPLAY' }
    const { id: placementId } = await office.make('/v1/panel/placements', placement)
    const adFormatIds = [publisher.formatId, other.formatId]
    const unit = { placementId, name: 'Banner', algorithm: 'DISPLAY', adFormatIds }
    expect(paths(await office.call('POST', '/v1/panel/ad-units', unit))).toEqual(['/adFormatIds/1'])
    const slot = { name: 'S', shopId: publisher.shopId, businessSlot: { id: publisher.unitId }, adFormatIds }
    expect(paths(await office.call('PUT', '/v1/slots/technical/x', slot, publisher.token))).toEqual(['/adFormatIds/1'])
  })
})

function field(type: string, maxLength = 10) {
  return { type, required: false, maxLength }
}
